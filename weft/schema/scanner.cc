#include "weft/schema/scanner.h"

#include <utility>

namespace weft::schema {
namespace {

bool is_lower_letter(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool continues_code_point(char c) {
  return (static_cast<uint8_t>(c) & 0xC0U) == 0x80U;
}

// Bytes of the code point at the start of `text`; 0 if it is none (Unicode 15, table 3-7).
size_t code_point_bytes(std::string_view text) {
  const auto byte = [&text](size_t index) { return static_cast<uint8_t>(text[index]); };
  const uint8_t first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  const size_t size = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2);
  if (first < 0xC2 || first > 0xF4 || text.size() < size) {
    return 0;
  }
  for (size_t i = 1; i < size; ++i) {
    if (!continues_code_point(text[i])) {
      return 0;
    }
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return overlong || beyond ? 0 : size;
}

}  // namespace

bool is_upper_letter(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool begins_lower(char c) {
  return is_lower_letter(c) || c == '_';
}

bool is_word_character(char c) {
  return is_lower_letter(c) || is_upper_letter(c) || is_digit(c) || c == '_';
}

std::string lowered(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    c = is_upper_letter(c) ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return lower;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out + '"';
}

bool find_bad_utf8(std::string_view text, Place& place) {
  place = {1, 1};
  while (!text.empty()) {
    const size_t size = code_point_bytes(text);
    if (size == 0) {
      return true;
    }
    if (text[0] == '\n') {
      place = {place.line + 1, 1};
    } else {
      ++place.column;
    }
    text.remove_prefix(size);
  }
  return false;
}

bool Token::is_upper() const {
  return kind == TokenKind::kWord && is_upper_letter(text[0]);
}

bool Token::is_lower() const {
  return kind == TokenKind::kWord && begins_lower(text[0]);
}

std::string Token::described() const {
  switch (kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kBad:
      return value;
    case TokenKind::kString:
      return "a string";
    case TokenKind::kVariable:
      return "'$" + std::string(text) + "'";
    case TokenKind::kWord:
    case TokenKind::kNumber:
    case TokenKind::kMark:
      break;
  }
  constexpr size_t kShownBytesMax = 60;
  return text.size() > kShownBytesMax ? "a long word" : "'" + std::string(text) + "'";
}

const Token& Scanner::peek() {
  if (!has_peeked_) {
    const Mark before = {offset_, place_};
    peeked_ = scan();
    // The token is read again by take(): its end is not the scanner's place yet.
    offset_ = before.offset;
    place_ = before.place;
    has_peeked_ = true;
  }
  return peeked_;
}

Token Scanner::take() {
  has_peeked_ = false;
  return scan();
}

Scanner::Mark Scanner::mark() {
  return {offset_, place_};
}

void Scanner::reset(const Mark& mark) {
  offset_ = mark.offset;
  place_ = mark.place;
  has_peeked_ = false;
}

Token Scanner::enum_value() {
  has_peeked_ = false;
  Token bad;
  if (!skip_blanks(bad)) {
    return bad;
  }
  size_t size = 0;
  while (is_word_character(at(size)) || at(size) == '-') {
    ++size;
  }
  return piece(size == 0 ? TokenKind::kMark : TokenKind::kWord, size);
}

void Scanner::advance(size_t bytes) {
  for (const size_t end = offset_ + bytes; offset_ < end; ++offset_) {
    if (text_[offset_] == '\n') {
      place_ = {place_.line + 1, 1};
    } else if (!continues_code_point(text_[offset_])) {
      ++place_.column;
    }
  }
}

bool Scanner::skip_blanks(Token& bad) {
  while (true) {
    if (is_blank(at()) && offset_ < text_.size()) {
      advance(1);
    } else if (at() == '/' && at(1) == '/') {
      const size_t end = text_.find('\n', offset_);
      advance((end == std::string_view::npos ? text_.size() : end) - offset_);
    } else if (at() == '/' && at(1) == '*') {
      const size_t end = text_.find("*/", offset_ + 2);
      if (end == std::string_view::npos) {
        bad = {TokenKind::kBad, {}, "a comment that does not end", place_};
        advance(text_.size() - offset_);
        return false;
      }
      advance(end + 2 - offset_);
    } else {
      return true;
    }
  }
}

Token Scanner::piece(TokenKind kind, size_t size_bytes) {
  Token token = {kind, text_.substr(offset_, size_bytes), {}, place_};
  advance(size_bytes);
  return token;
}

Token Scanner::scan() {
  Token bad;
  if (!skip_blanks(bad)) {
    return bad;
  }
  if (offset_ == text_.size()) {
    return {TokenKind::kEnd, {}, {}, place_};
  }
  const char first = at();
  const auto word_size = [this](size_t size) {
    while (is_word_character(at(size))) {
      ++size;
    }
    return size;
  };
  if (first == '"') {
    return scan_string();
  }
  if (is_digit(first)) {
    size_t size = 1;
    while (is_digit(at(size))) {
      ++size;
    }
    if (at(size) == '.' && is_digit(at(size + 1))) {
      ++size;
      while (is_digit(at(size))) {
        ++size;
      }
    }
    return piece(TokenKind::kNumber, size);
  }
  if (is_word_character(first)) {
    return piece(TokenKind::kWord, word_size(1));
  }
  if (first == '$' && begins_lower(at(1))) {
    Token token = piece(TokenKind::kVariable, word_size(2));
    token.text.remove_prefix(1);
    return token;
  }
  const std::string_view two = text_.substr(offset_, 2);
  if (two == ".." || two == "->" || two == ">=" || two == "<=" || two == "!=") {
    return piece(TokenKind::kMark, 2);
  }
  const size_t size = code_point_bytes(text_.substr(offset_));
  return piece(TokenKind::kMark, size == 0 ? 1 : size);
}

Token Scanner::scan_string() {
  Token token = {TokenKind::kString, {}, {}, place_};
  const size_t begin = offset_;
  Token bad_escape;
  advance(1);
  while (offset_ < text_.size() && at() != '"') {
    if (at() != '\\') {
      const size_t end = text_.find_first_of("\"\\", offset_);
      const size_t size = (end == std::string_view::npos ? text_.size() : end) - offset_;
      token.value += text_.substr(offset_, size);
      advance(size);
      continue;
    }
    constexpr std::string_view kLetters = "nrt\"\\";
    constexpr std::string_view kMeanings = "\n\r\t\"\\";
    const size_t letter = at(1) == '\0' ? std::string_view::npos : kLetters.find(at(1));
    if (letter == std::string_view::npos && bad_escape.kind != TokenKind::kBad) {
      const size_t shown =
          offset_ + 1 < text_.size() ? code_point_bytes(text_.substr(offset_ + 1)) : 0;
      bad_escape = {TokenKind::kBad,
                    {},
                    "an unknown escape \\" + std::string(text_.substr(offset_ + 1, shown)) +
                        " in a string (there are \\n \\r \\t \\\" \\\\)",
                    place_};
    } else if (letter != std::string_view::npos) {
      token.value += kMeanings[letter];
    }
    advance(offset_ + 1 < text_.size() ? 2 : 1);
  }
  if (offset_ == text_.size()) {
    return {TokenKind::kBad, {}, "a string that does not end", token.place};
  }
  advance(1);
  token.text = text_.substr(begin, offset_ - begin);
  return bad_escape.kind == TokenKind::kBad ? bad_escape : token;
}

}  // namespace weft::schema

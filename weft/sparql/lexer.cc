#include "weft/sparql/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "weft/sparql/characters.h"

namespace weft::sparql {
namespace {

// Longest first among those with a common start.
constexpr std::array<std::string_view, 40> kPunctuation = {
    "<<(", ")>>", "<<", ">>", "{|", "|}", "^^", "||", "&&", "!=", "<=", ">=", "{", "}",
    "(",   ")",   "[",  "]",  ".",  ";",  ",",  "=",  "<",  ">",  "!",  "+",  "-", "*",
    "/",   "?",   "|",  "^",  "~",  ":",  "&",  "@",  "$",  "%",  "\\", "_"};

bool is_local_escape(char c) {
  return std::string_view("_~.-!$&'()*+,;=/?#@%").find(c) != std::string_view::npos;
}

constexpr std::array<bool, 256> kForbiddenInIri = [] {
  std::array<bool, 256> table{};
  for (size_t c = 0; c <= 0x20; ++c) {
    table[c] = true;
  }
  for (const char c : std::string_view("<>\"{}|^`\\")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool forbidden_in_iri(unsigned char c) {
  return kForbiddenInIri[c];
}

uint32_t hex_value(char c) {
  if (c <= '9') {
    return static_cast<uint32_t>(c - '0');
  }
  return static_cast<uint32_t>((c | 0x20) - 'a') + 10;
}

}  // namespace

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0U | (c >> 6U));
    byte(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    byte(0xE0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  } else {
    byte(0xF0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3FU));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  }
}

Lexer::CodePoint Lexer::code_point(size_t offset) const {
  if (offset >= text_.size()) {
    return {0, 0};
  }
  const auto byte = [&](size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text_[offset + i]));
  };
  const char32_t first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  if (first < 0xE0) {
    return {((first & 0x1FU) << 6U) | (byte(1) & 0x3FU), 2};
  }
  if (first < 0xF0) {
    return {((first & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU), 3};
  }
  return {((first & 0x07U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) |
              (byte(3) & 0x3FU),
          4};
}

void Lexer::advance_place() {
  std::string_view passed = text_.substr(place_offset_, offset_ - place_offset_);
  place_offset_ = offset_;
  const auto characters = [](std::string_view text) {
    uint32_t count = 0;
    for (const char c : text) {
      count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    }
    return count;
  };
  uint32_t breaks = 0;
  for (const char c : passed) {
    breaks += c == '\n' ? 1 : 0;
  }
  if (breaks != 0) {
    place_.line += breaks;
    place_.column = 1;
    passed.remove_prefix(passed.rfind('\n') + 1);
  }
  place_.column += characters(passed);
}

Error Lexer::invalid(std::string message) const {
  Lexer copy = *this;
  copy.advance_place();
  return Error(ErrorKind::kInvalid, std::move(message))
      .with("line", copy.place_.line)
      .with("column", copy.place_.column);
}

Token Lexer::token(TokenKind kind, size_t begin) const {
  Token result;
  result.kind = kind;
  result.text = text_.substr(begin, offset_ - begin);
  result.place = place_;
  return result;
}

void Lexer::skip_blanks() {
  while (offset_ < text_.size()) {
    if (is_blank(static_cast<unsigned char>(text_[offset_]))) {
      ++offset_;
    } else if (text_[offset_] == '#') {
      while (offset_ < text_.size() && text_[offset_] != '\n' && text_[offset_] != '\r') {
        ++offset_;
      }
    } else {
      return;
    }
  }
}

Result<Token> Lexer::next() {
  skip_blanks();
  advance_place();
  if (offset_ >= text_.size()) {
    return token(TokenKind::kEnd, offset_);
  }
  const char c = peek();
  switch (c) {
    case '<':
      return looks_like_iri() ? iri() : punctuation();
    case '"':
    case '\'':
      return string();
    case '?':
    case '$':
      return variable();
    case '@':
      return language();
    case '_':
      return peek(1) == ':' ? blank_label() : punctuation();
    case ':':
      return word_or_name();
    case '.':
      return is_digit(static_cast<unsigned char>(peek(1))) ? number() : punctuation();
    default:
      break;
  }
  if (is_digit(static_cast<unsigned char>(c))) {
    return number();
  }
  if (is_name_base(code_point(offset_).value)) {
    return word_or_name();
  }
  return punctuation();
}

bool Lexer::looks_like_iri() const {
  for (size_t i = offset_ + 1; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '>') {
      return true;
    }
    // A backslash may begin an escape; iri() judges it.
    if (c != '\\' && forbidden_in_iri(static_cast<unsigned char>(c))) {
      return false;
    }
  }
  return false;
}

Result<Token> Lexer::iri() {
  const size_t begin = offset_++;
  const size_t close = text_.find('>', offset_);  // looks_like_iri() saw it
  std::string value;
  while (offset_ < close) {
    if (peek() == '\\') {
      const size_t before = value.size();
      WEFT_TRY_STATUS(append_escape(value, false));
      if (value.size() == before + 1 &&
          forbidden_in_iri(static_cast<unsigned char>(value.back()))) {
        return invalid("this character is not allowed in an IRI, escaped or not");
      }
    } else {
      const std::string_view rest = text_.substr(offset_, close - offset_);
      const std::string_view plain = rest.substr(0, rest.find('\\'));
      value.append(plain);
      offset_ += plain.size();
    }
  }
  ++offset_;
  Token result = token(TokenKind::kIri, begin);
  result.value = std::move(value);
  return result;
}

// At a backslash. IRIs know only \u and \U.
Status Lexer::append_escape(std::string& out, bool in_string) {
  const char letter = peek(1);
  if (letter == 'u' || letter == 'U') {
    const size_t digits = letter == 'u' ? 4 : 8;
    uint64_t value = 0;
    for (size_t i = 0; i < digits; ++i) {
      const char digit = peek(2 + i);
      if (!is_hex_digit(static_cast<unsigned char>(digit))) {
        return invalid("a codepoint escape needs " + std::to_string(digits) +
                       " hexadecimal digits");
      }
      value = value * 16 + hex_value(digit);
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
      return invalid("a codepoint escape names no Unicode character");
    }
    append_utf8(out, static_cast<char32_t>(value));
    offset_ += 2 + digits;
    return ok_status();
  }
  constexpr std::string_view kLetters = "tbnrf\\\"'";
  constexpr std::string_view kMeanings = "\t\b\n\r\f\\\"'";
  const size_t which = kLetters.find(letter);
  if (!in_string || letter == '\0' || which == std::string_view::npos) {
    return invalid("unknown escape sequence");
  }
  out.push_back(kMeanings[which]);
  offset_ += 2;
  return ok_status();
}

Result<Token> Lexer::string() {
  const size_t begin = offset_;
  const char quote = peek();
  const bool is_long = peek(1) == quote && peek(2) == quote;
  offset_ += is_long ? 3 : 1;
  std::string value;
  while (true) {
    if (offset_ >= text_.size()) {
      offset_ = begin;
      return invalid("this string does not end");
    }
    const char c = text_[offset_];
    if (c == quote && (!is_long || (peek(1) == quote && peek(2) == quote))) {
      offset_ += is_long ? 3 : 1;
      break;
    }
    if (c == '\\') {
      WEFT_TRY_STATUS(append_escape(value, true));
    } else if (!is_long && (c == '\n' || c == '\r')) {
      return invalid("a line break in a string needs triple quotes, or an escape");
    } else {
      value.push_back(c);
      ++offset_;
    }
  }
  Token result = token(TokenKind::kString, begin);
  result.value = std::move(value);
  result.long_quotes = is_long;
  return result;
}

Result<Token> Lexer::variable() {
  const size_t begin = offset_++;
  const size_t name = offset_;
  for (CodePoint c = code_point(offset_); c.length > 0; c = code_point(offset_)) {
    const bool fits =
        offset_ == name ? is_name_start(c.value) || is_digit(c.value) : is_variable_part(c.value);
    if (!fits) {
      break;
    }
    offset_ += c.length;
  }
  if (offset_ == name) {
    return token(TokenKind::kPunctuation, begin);
  }
  Token result = token(TokenKind::kVariable, begin);
  result.value = std::string(text_.substr(name, offset_ - name));
  return result;
}

Result<Token> Lexer::language() {
  const size_t begin = offset_++;
  const auto part = [&](bool digits) {
    const size_t start = offset_;
    while (is_ascii_letter(static_cast<unsigned char>(peek())) ||
           (digits && is_digit(static_cast<unsigned char>(peek())))) {
      ++offset_;
    }
    return offset_ > start;
  };
  if (!part(false)) {
    return invalid("a language tag begins with letters");
  }
  bool direction = false;
  while (peek() == '-' && !direction) {
    direction = peek(1) == '-';
    offset_ += direction ? 2 : 1;
    if (!part(!direction)) {
      return invalid("a part of this language tag is empty");
    }
  }
  Token result = token(TokenKind::kLanguage, begin);
  result.value = std::string(text_.substr(begin + 1, offset_ - begin - 1));
  return result;
}

Result<Token> Lexer::number() {
  const size_t begin = offset_;
  const auto digits = [&] {
    const size_t start = offset_;
    while (is_digit(static_cast<unsigned char>(peek()))) {
      ++offset_;
    }
    return offset_ > start;
  };
  TokenKind kind = TokenKind::kInteger;
  const bool whole = digits();
  if (peek() == '.') {
    const size_t dot = offset_++;
    const bool fraction = digits();
    const bool exponent = peek() == 'e' || peek() == 'E';
    if (fraction) {
      kind = TokenKind::kDecimal;
    } else if (!exponent || !whole) {
      offset_ = dot;  // "1." is an integer and the end of a triple
    }
  }
  if (peek() == 'e' || peek() == 'E') {
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (is_digit(static_cast<unsigned char>(peek(1 + sign)))) {
      offset_ += 1 + sign;
      digits();
      kind = TokenKind::kDouble;
    } else if (text_[offset_ - 1] == '.') {
      --offset_;
    }
  }
  return token(kind, begin);
}

// The end of a run of name characters and inner dots that begins at `begin`.
size_t Lexer::name_end(size_t begin, bool digits_first) const {
  size_t end = begin;
  size_t offset = begin;
  for (CodePoint c = code_point(offset); c.length > 0; c = code_point(offset)) {
    const bool first = offset == begin;
    const bool fits = first ? is_name_start(c.value) || (digits_first && is_digit(c.value))
                            : is_name_part(c.value);
    if (!fits && (first || c.value != '.')) {
      break;
    }
    offset += c.length;
    if (fits) {
      end = offset;
    }
  }
  return end;
}

Result<Token> Lexer::blank_label() {
  const size_t begin = offset_;
  const size_t end = name_end(begin + 2, true);
  if (end == begin + 2) {
    return invalid("a blank node label is missing after '_:'");
  }
  offset_ = end;
  Token result = token(TokenKind::kBlankLabel, begin);
  result.value = std::string(text_.substr(begin + 2, end - begin - 2));
  return result;
}

Result<Token> Lexer::word_or_name() {
  const size_t begin = offset_;
  // A prefix may not begin with '_', which next() has sent elsewhere.
  const size_t end = name_end(begin, false);
  if (end < text_.size() && text_[end] == ':') {
    offset_ = end + 1;
    return local_name(begin);
  }
  // A keyword: letters, digits and '_' (ENCODE_FOR_URI, SHA256).
  while (is_ascii_letter(static_cast<unsigned char>(peek())) ||
         is_digit(static_cast<unsigned char>(peek())) || peek() == '_') {
    ++offset_;
  }
  if (offset_ == begin) {
    return invalid("unexpected character");
  }
  return token(TokenKind::kWord, begin);
}

// After the colon of a prefixed name that begins at `begin`.
Result<Token> Lexer::local_name(size_t begin) {
  const size_t local = offset_;
  std::string value;
  size_t kept_offset = offset_;  // without trailing dots
  size_t kept_size = 0;
  while (offset_ < text_.size()) {
    const CodePoint c = code_point(offset_);
    if (c.value == '%') {
      if (!is_hex_digit(static_cast<unsigned char>(peek(1))) ||
          !is_hex_digit(static_cast<unsigned char>(peek(2)))) {
        return invalid("'%' in a prefixed name needs two hexadecimal digits");
      }
      value.append(text_.substr(offset_, 3));
      offset_ += 3;
    } else if (c.value == '\\') {
      if (!is_local_escape(peek(1))) {
        return invalid("this character cannot be escaped in a prefixed name");
      }
      value.push_back(peek(1));
      offset_ += 2;
    } else if (c.value == '.' && offset_ > local) {
      value.push_back('.');
      ++offset_;
      continue;
    } else if (c.value == ':' || is_digit(c.value) || is_name_start(c.value) ||
               (offset_ > local && is_name_part(c.value))) {
      value.append(text_.substr(offset_, c.length));
      offset_ += c.length;
    } else {
      break;
    }
    kept_offset = offset_;
    kept_size = value.size();
  }
  offset_ = kept_offset;
  value.resize(kept_size);
  Token result = token(TokenKind::kPrefixedName, begin);
  result.value = std::move(value);
  result.prefix_length = local - 1 - begin;
  return result;
}

Result<Token> Lexer::punctuation() {
  const std::string_view rest = text_.substr(offset_);
  for (const std::string_view candidate : kPunctuation) {
    if (rest.starts_with(candidate)) {
      const size_t begin = offset_;
      offset_ += candidate.size();
      return token(TokenKind::kPunctuation, begin);
    }
  }
  return invalid("unexpected character");
}

}  // namespace weft::sparql

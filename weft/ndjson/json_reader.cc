#include "weft/ndjson/json_reader.h"

#include "weft/schema/scanner.h"

namespace weft::ndjson {
namespace {

using schema::is_digit;

void append_code_point(std::string& out, uint32_t value) {
  const auto tail = [&out, value](uint32_t shift) {
    out += static_cast<char>(0x80U | ((value >> shift) & 0x3FU));
  };
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0U | (value >> 6U));
    tail(0);
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0U | (value >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (value >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

bool JsonReader::fail(std::string_view reason) {
  if (reason_.empty()) {
    reason_ = reason;
  }
  return false;
}

void JsonReader::skip_blanks() {
  while (offset_ < line_.size() && (line_[offset_] == ' ' || line_[offset_] == '\t' ||
                                    line_[offset_] == '\r' || line_[offset_] == '\n')) {
    ++offset_;
  }
}

JsonKind JsonReader::peek() {
  skip_blanks();
  if (!reason_.empty() || offset_ >= line_.size()) {
    return JsonKind::kNone;
  }
  switch (line_[offset_]) {
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    case '"':
      return JsonKind::kString;
    case 't':
    case 'f':
      return JsonKind::kBool;
    case 'n':
      return JsonKind::kNull;
    default:
      return is_digit(line_[offset_]) || line_[offset_] == '-' ? JsonKind::kNumber
                                                               : JsonKind::kNone;
  }
}

bool JsonReader::structural() {
  return ++structural_count_ <= kStructuralTokensMax ||
         fail("more than 131072 members and items on one line");
}

bool JsonReader::expect(std::string_view text) {
  skip_blanks();
  if (line_.substr(offset_, text.size()) != text) {
    return fail("expected '" + std::string(text) + "'");
  }
  offset_ += text.size();
  return true;
}

bool JsonReader::begin_object() {
  if (!structural() || !expect("{")) {
    return false;
  }
  first_ = true;
  return ++depth_ <= kJsonDepthMax || fail("more than 128 levels");
}

bool JsonReader::begin_array() {
  if (!structural() || !expect("[")) {
    return false;
  }
  first_ = true;
  return ++depth_ <= kJsonDepthMax || fail("more than 128 levels");
}

bool JsonReader::next_member(std::string& name, bool& more) {
  skip_blanks();
  more = offset_ >= line_.size() || line_[offset_] != '}';
  if (!more) {
    ++offset_;
    --depth_;
    first_ = false;
    return true;
  }
  if (!first_ && !expect(",")) {
    return false;
  }
  first_ = false;
  return structural() && read_string(name) && expect(":");
}

bool JsonReader::next_item(bool& more) {
  skip_blanks();
  more = offset_ >= line_.size() || line_[offset_] != ']';
  if (!more) {
    ++offset_;
    --depth_;
    first_ = false;
    return true;
  }
  if (!first_ && !expect(",")) {
    return false;
  }
  first_ = false;
  return structural();
}

bool JsonReader::hex4(uint32_t& out) {
  out = 0;
  for (size_t i = 0; i < 4; ++i) {
    const char c = offset_ < line_.size() ? line_[offset_] : '\0';
    const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!is_digit(c) && !letter) {
      return fail("expected four hexadecimal digits behind \\u");
    }
    const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    out = out * 16 + static_cast<uint32_t>(digit);
    ++offset_;
  }
  return true;
}

bool JsonReader::escape(std::string& out) {
  ++offset_;  // the backslash
  const char c = offset_ < line_.size() ? line_[offset_] : '\0';
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (const size_t letter = c == '\0' ? std::string_view::npos : kLetters.find(c);
      letter != std::string_view::npos) {
    out += kMeanings[letter];
    ++offset_;
    return true;
  }
  uint32_t value = 0;
  if (c != 'u') {
    return fail("unknown escape in a string");
  }
  ++offset_;
  if (!hex4(value)) {
    return false;
  }
  if (value >= 0xD800 && value < 0xE000) {
    uint32_t low = 0;
    if (value >= 0xDC00 || line_.substr(offset_, 2) != "\\u") {
      return fail("lone surrogate in a string");
    }
    offset_ += 2;
    if (!hex4(low)) {
      return false;
    }
    if (low < 0xDC00 || low >= 0xE000) {
      return fail("lone surrogate in a string");
    }
    value = 0x10000 + ((value - 0xD800) << 10U) + (low - 0xDC00);
  }
  append_code_point(out, value);
  return true;
}

bool JsonReader::read_string(std::string& out) {
  out.clear();
  if (!expect("\"")) {
    return false;
  }
  while (true) {
    size_t end = offset_;
    while (end < line_.size() && line_[end] != '"' && line_[end] != '\\' &&
           static_cast<uint8_t>(line_[end]) >= 0x20) {
      ++end;
    }
    out.append(line_, offset_, end - offset_);
    offset_ = end;
    if (end == line_.size()) {
      return fail("a string that does not end");
    }
    if (line_[end] == '"') {
      ++offset_;
      return true;
    }
    if (line_[end] != '\\') {
      return fail("a control character in a string");
    }
    if (!escape(out)) {
      return false;
    }
  }
}

bool JsonReader::read_number(std::string_view& spelling) {
  skip_blanks();
  size_t end = offset_;
  const auto at = [&](size_t index) { return index < line_.size() ? line_[index] : '\0'; };
  const auto digits = [&] {
    const size_t begin = end;
    while (is_digit(at(end))) {
      ++end;
    }
    return end > begin;
  };
  end += at(end) == '-' ? 1 : 0;
  const bool leading_zero = at(end) == '0';
  const size_t begin = end;
  if (!digits() || (leading_zero && end - begin > 1)) {
    return fail("malformed number");
  }
  if (at(end) == '.') {
    ++end;
    if (!digits()) {
      return fail("malformed number");
    }
  }
  if (at(end) == 'e' || at(end) == 'E') {
    ++end;
    end += at(end) == '-' || at(end) == '+' ? 1 : 0;
    if (!digits()) {
      return fail("malformed number");
    }
  }
  spelling = line_.substr(offset_, end - offset_);
  offset_ = end;
  return true;
}

bool JsonReader::read_bool(bool& out) {
  out = peek() == JsonKind::kBool && line_[offset_] == 't';
  return expect(out ? "true" : "false");
}

bool JsonReader::read_null() {
  return expect("null");
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kJsonDepthMax.
bool JsonReader::skip_value(bool names_once) {
  std::string text;
  std::string_view spelling;
  bool truth = false;
  bool more = true;
  switch (peek()) {
    case JsonKind::kString:
      return read_string(text);
    case JsonKind::kNumber:
      return read_number(spelling);
    case JsonKind::kBool:
      return read_bool(truth);
    case JsonKind::kNull:
      return read_null();
    case JsonKind::kArray:
      if (!begin_array()) {
        return false;
      }
      while (next_item(more) && more && skip_value()) {
      }
      return reason_.empty();
    case JsonKind::kObject: {
      std::set<std::string> names;
      if (!begin_object()) {
        return false;
      }
      while (next_member(text, more) && more) {
        if (names_once && !names.insert(text).second) {
          return fail("member \"" + text + "\" stands twice");
        }
        if (!skip_value()) {
          return false;
        }
      }
      return reason_.empty();
    }
    case JsonKind::kNone:
      break;
  }
  return fail("expected a value");
}

bool JsonReader::at_end() {
  skip_blanks();
  return offset_ == line_.size() || fail("text behind the value");
}

void JsonReader::rewind(size_t offset) {
  offset_ = offset;
  first_ = false;
}

}  // namespace weft::ndjson

#include <algorithm>
#include <optional>
#include <string>

#include "weft/rdf/scan.h"
#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"

namespace weft::rdf {
namespace {

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') {
    return digit - '0';
  }
  if (digit >= 'a' && digit <= 'f') {
    return digit - 'a' + 10;
  }
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

// The letter of the short escape of `byte`, or 0.
char short_escape(char byte) {
  switch (byte) {
    case '\b':
      return 'b';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\f':
      return 'f';
    case '\r':
      return 'r';
    case '"':
    case '\\':
      return byte;
    default:
      return 0;
  }
}

// The byte that the short escape `letter` stands for, or nothing.
std::optional<char> short_escaped(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'f':
      return '\f';
    case 'r':
      return '\r';
    case '"':
    case '\'':
    case '\\':
      return letter;
    default:
      return std::nullopt;
  }
}

void append_one_escaped(std::string& out, char byte) {
  if (const char letter = short_escape(byte); letter != 0) {
    out.push_back('\\');
    out.push_back(letter);
    return;
  }
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto value = static_cast<uint8_t>(byte);
  out.append("\\u00");
  out.push_back(kDigits[value >> 4U]);
  out.push_back(kDigits[value & 0x0FU]);
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  bool non_ascii = false;
  while (true) {
    const char* const stop = find_literal_end(at, end, non_ascii);
    out.append(at, stop);
    if (stop == end) {
      return;
    }
    append_one_escaped(out, *stop);
    at = stop + 1;
  }
}

std::optional<DecodedEscape> decode_numeric_escape(std::string_view text) {
  if (text.size() < 2 || text[0] != '\\' || (text[1] != 'u' && text[1] != 'U')) {
    return std::nullopt;
  }
  const size_t digits = text[1] == 'u' ? 4 : 8;
  if (text.size() < digits + 2) {
    return std::nullopt;
  }
  char32_t value = 0;
  for (const char digit : text.substr(2, digits)) {
    const int bits = hex_value(digit);
    if (bits < 0 || value > (kCodePointMax >> 4U)) {
      return std::nullopt;
    }
    value = (value << 4U) | static_cast<char32_t>(bits);
  }
  if (value > kCodePointMax || is_surrogate(value)) {
    return std::nullopt;
  }
  return DecodedEscape{value, static_cast<uint8_t>(digits + 2)};
}

std::optional<DecodedEscape> decode_escape(std::string_view text) {
  if (text.size() >= 2 && text[0] == '\\') {
    if (const std::optional<char> byte = short_escaped(text[1])) {
      return DecodedEscape{static_cast<char32_t>(*byte), 2};
    }
  }
  return decode_numeric_escape(text);
}

std::optional<std::string> unescape(std::string_view escaped) {
  std::string out;
  out.reserve(escaped.size());
  size_t at = 0;
  while (at < escaped.size()) {
    const size_t slash = std::min(escaped.find('\\', at), escaped.size());
    out.append(escaped.substr(at, slash - at));
    if (slash == escaped.size()) {
      break;
    }
    const std::optional<DecodedEscape> escape = decode_escape(escaped.substr(slash));
    if (!escape) {
      return std::nullopt;
    }
    append_code_point(out, escape->value);
    at = slash + escape->size_bytes;
  }
  return out;
}

}  // namespace weft::rdf

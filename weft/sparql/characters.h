// The character classes of SPARQL's terminals (SPARQL 1.1 Query §19.8, productions 164 to 173).
#pragma once

#include <cstdint>
#include <string>

namespace weft::sparql {

constexpr bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_ascii_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_hex_digit(char32_t c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_blank(char32_t c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// PN_CHARS_BASE
constexpr bool is_name_base(char32_t c) {
  return is_ascii_letter(c) || (c >= 0xC0 && c <= 0xD6) || (c >= 0xD8 && c <= 0xF6) ||
         (c >= 0xF8 && c <= 0x2FF) || (c >= 0x370 && c <= 0x37D) || (c >= 0x37F && c <= 0x1FFF) ||
         (c >= 0x200C && c <= 0x200D) || (c >= 0x2070 && c <= 0x218F) ||
         (c >= 0x2C00 && c <= 0x2FEF) || (c >= 0x3001 && c <= 0xD7FF) ||
         (c >= 0xF900 && c <= 0xFDCF) || (c >= 0xFDF0 && c <= 0xFFFD) ||
         (c >= 0x10000 && c <= 0xEFFFF);
}
// PN_CHARS_U
constexpr bool is_name_start(char32_t c) {
  return is_name_base(c) || c == '_';
}
// PN_CHARS without '-': also what a variable's name goes on with
constexpr bool is_variable_part(char32_t c) {
  return is_name_start(c) || is_digit(c) || c == 0xB7 || (c >= 0x300 && c <= 0x36F) ||
         (c >= 0x203F && c <= 0x2040);
}
// PN_CHARS
constexpr bool is_name_part(char32_t c) {
  return is_variable_part(c) || c == '-';
}

// Appends the UTF-8 form of a code point that is no surrogate.
void append_utf8(std::string& out, char32_t c);

}  // namespace weft::sparql

// UTF-8 by code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::rdf {

inline constexpr char32_t kCodePointMax = 0x10FFFF;

struct DecodedCodePoint {
  char32_t value = 0;
  uint8_t size_bytes = 0;  // 0: the bytes are no UTF-8
};

// The code point at the start of `text`, which must not be empty. No surrogates, no overlong forms.
DecodedCodePoint decode_code_point(std::string_view text);

// `value` must be at most kCodePointMax and no surrogate.
void append_code_point(std::string& out, char32_t value);

constexpr bool is_surrogate(char32_t value) {
  return value >= 0xD800 && value <= 0xDFFF;
}

// The offset of the first byte that is not part of a well-formed sequence; text.size() if none is.
size_t find_invalid_utf8(std::string_view text);

// The number of code points of valid UTF-8 (of anything else: of bytes that do not continue one).
size_t count_code_points(std::string_view text);

}  // namespace weft::rdf

#include "weft/rdf/utf8.h"

#include <cstring>

namespace weft::rdf {
namespace {

bool continues(char byte) {
  return (static_cast<uint8_t>(byte) & 0xC0U) == 0x80U;
}

char32_t tail_bits(char byte) {
  return static_cast<uint8_t>(byte) & 0x3FU;
}

// The size of the sequence at `at`, which does not begin with ASCII; 0 if it is malformed. The
// common lengths first, without putting the character together.
size_t multibyte_size(const char* at, size_t left) {
  const auto first = static_cast<uint8_t>(at[0]);
  if ((first & 0xF0U) == 0xE0U && left >= 3 && continues(at[1]) && continues(at[2])) {
    // Neither overlong nor a surrogate.
    const auto second = static_cast<uint8_t>(at[1]);
    return (first != 0xE0 || second >= 0xA0) && (first != 0xED || second < 0xA0) ? 3 : 0;
  }
  if (first >= 0xC2 && first <= 0xDF && left >= 2 && continues(at[1])) {
    return 2;
  }
  return decode_code_point({at, left}).size_bytes;
}

}  // namespace

// Unicode 15, table 3-7, "Well-Formed UTF-8 Byte Sequences".
DecodedCodePoint decode_code_point(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) {
    return {first, 1};
  }
  if (first >= 0xC2 && first <= 0xDF) {
    if (text.size() < 2 || !continues(text[1])) {
      return {};
    }
    return {((first & 0x1FU) << 6U) | tail_bits(text[1]), 2};
  }
  if (first >= 0xE0 && first <= 0xEF) {
    if (text.size() < 3 || !continues(text[1]) || !continues(text[2])) {
      return {};
    }
    const char32_t value =
        ((first & 0x0FU) << 12U) | (tail_bits(text[1]) << 6U) | tail_bits(text[2]);
    return value < 0x800 || is_surrogate(value) ? DecodedCodePoint{} : DecodedCodePoint{value, 3};
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (text.size() < 4 || !continues(text[1]) || !continues(text[2]) || !continues(text[3])) {
      return {};
    }
    const char32_t value = ((first & 0x07U) << 18U) | (tail_bits(text[1]) << 12U) |
                           (tail_bits(text[2]) << 6U) | tail_bits(text[3]);
    return value < 0x10000 || value > kCodePointMax ? DecodedCodePoint{}
                                                    : DecodedCodePoint{value, 4};
  }
  return {};
}

void append_code_point(std::string& out, char32_t value) {
  const auto byte = [&out](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  if (value < 0x80) {
    byte(value);
  } else if (value < 0x800) {
    byte(0xC0U | (value >> 6U));
    byte(0x80U | (value & 0x3FU));
  } else if (value < 0x10000) {
    byte(0xE0U | (value >> 12U));
    byte(0x80U | ((value >> 6U) & 0x3FU));
    byte(0x80U | (value & 0x3FU));
  } else {
    byte(0xF0U | (value >> 18U));
    byte(0x80U | ((value >> 12U) & 0x3FU));
    byte(0x80U | ((value >> 6U) & 0x3FU));
    byte(0x80U | (value & 0x3FU));
  }
}

size_t find_invalid_utf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 8) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + at, 8);
      if ((word & 0x8080808080808080U) == 0) {
        at += 8;
        continue;
      }
    }
    if (static_cast<uint8_t>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    // A run of other characters is decoded without looking for ASCII words in between.
    do {
      const size_t size = multibyte_size(text.data() + at, text.size() - at);
      if (size == 0) {
        return at;
      }
      at += size;
    } while (at < text.size() && static_cast<uint8_t>(text[at]) >= 0x80);
  }
  return text.size();
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (const char byte : text) {
    count += continues(byte) ? 0U : 1U;
  }
  return count;
}

}  // namespace weft::rdf

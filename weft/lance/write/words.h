// Arrays of integers as files hold them: little-endian, one after another.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

namespace weft::lance::write {

template <typename T>
void append_words(std::string& out, std::span<const T> words) {
  if constexpr (std::endian::native == std::endian::little) {
    out.append(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  } else {
    for (T word : words) {
      for (size_t byte = 0; byte < sizeof(T); ++byte) {
        out.push_back(static_cast<char>(word & 0xffU));
        word = static_cast<T>(word >> 8U);
      }
    }
  }
}

inline void append_octets(std::string& out, std::span<const uint8_t> octets) {
  out.append(reinterpret_cast<const char*>(octets.data()), octets.size());
}

// Fills up to a multiple of `alignment` with `filler`; what lies there means nothing.
inline void pad(std::string& out, size_t alignment, char filler) {
  out.append((alignment - out.size() % alignment) % alignment, filler);
}

}  // namespace weft::lance::write

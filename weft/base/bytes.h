// Views of bytes, and the two casts between text and bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

using ByteView = std::span<const std::byte>;
using Bytes = std::vector<std::byte>;

inline ByteView as_bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}
// A view of the same memory. Whoever stores a std::string in a temporary wants to_text instead.
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::string to_text(ByteView bytes) {
  return std::string(as_text(bytes));
}
inline Bytes to_bytes(std::string_view text) {
  const ByteView view = as_bytes(text);
  return {view.begin(), view.end()};
}
inline const uint8_t* as_octets(ByteView bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

}  // namespace weft

// Unsigned LEB128 over 64 bits, as every varint of our formats: low seven bits first, bit 7 says
// "more", at most ten bytes; written in the shortest form, longer forms are accepted.
#pragma once

#include <cstdint>
#include <string>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::codec {

inline constexpr size_t kVarintBytesMax = 10;

constexpr size_t varint_size(uint64_t value) {
  size_t size = 1;
  while (value >= 0x80) {
    value >>= 7U;
    ++size;
  }
  return size;
}

inline void append_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

constexpr uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>((value >> 1U) ^ (~(value & 1U) + 1));
}

// Decodes one varint at `cursor` (< = `end`) and moves `cursor` behind it. False on end of input or
// an eleventh byte; `cursor` is then unspecified. The hot loop of every tile: kept inline.
inline bool decode_varint(const uint8_t*& cursor, const uint8_t* end, uint64_t& value) {
  if (cursor < end && *cursor < 0x80) [[likely]] {
    value = *cursor++;
    return true;
  }
  uint64_t result = 0;
  for (uint32_t shift = 0; shift < 64 && cursor < end; shift += 7) {
    const uint8_t octet = *cursor++;
    result |= static_cast<uint64_t>(octet & 0x7fU) << shift;
    if (octet < 0x80) {
      value = result;
      return true;
    }
  }
  return false;
}

// Reads a structure front to back and never beyond its end. After the first failure every read
// gives zero or an empty view, and ok() is false: read a whole record, then ask once. Keeps a view:
// the bytes must outlive the reader and what it hands out.
class ByteReaderView {
 public:
  explicit ByteReaderView(ByteView bytes)
      : begin_(as_octets(bytes)), cursor_(begin_), end_(begin_ + bytes.size()) {}

  bool ok() const { return ok_; }
  size_t position() const { return static_cast<size_t>(cursor_ - begin_); }
  size_t remaining() const { return static_cast<size_t>(end_ - cursor_); }

  uint64_t varint();
  uint8_t u8();
  uint16_t u16();
  uint32_t u32();
  uint64_t u64();
  // `size` bytes.
  ByteView bytes(uint64_t size);
  // A varint length, then that many bytes.
  ByteView length_prefixed() { return bytes(varint()); }
  // A varint count of things that take at least `size_min` bytes each; fails if they cannot fit, so
  // that a damaged count never sizes an allocation.
  uint64_t count(size_t size_min);
  void fail() {
    ok_ = false;
    cursor_ = end_;
  }

 private:
  const uint8_t* begin_;
  const uint8_t* cursor_;
  const uint8_t* end_;
  bool ok_ = true;
};

void append_u16(std::string& out, uint16_t value);
void append_u32(std::string& out, uint32_t value);
void append_u64(std::string& out, uint64_t value);
void append_length_prefixed(std::string& out, std::string_view bytes);

}  // namespace weft::codec

#include "weft/codec/varint.h"

#include <bit>
#include <cstring>

namespace weft::codec {
namespace {

static_assert(std::endian::native == std::endian::little,
              "fixed-width integers are copied as they lie in memory");

template <typename T>
void append_fixed(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

template <typename T>
T read_fixed(ByteReaderView& reader) {
  const ByteView bytes = reader.bytes(sizeof(T));
  T value = 0;
  if (bytes.size() == sizeof(T)) {
    std::memcpy(&value, bytes.data(), sizeof(T));
  }
  return value;
}

}  // namespace

uint64_t ByteReaderView::varint() {
  uint64_t value = 0;
  if (!decode_varint(cursor_, end_, value)) {
    fail();
    return 0;
  }
  return value;
}

uint8_t ByteReaderView::u8() {
  return read_fixed<uint8_t>(*this);
}
uint16_t ByteReaderView::u16() {
  return read_fixed<uint16_t>(*this);
}
uint32_t ByteReaderView::u32() {
  return read_fixed<uint32_t>(*this);
}
uint64_t ByteReaderView::u64() {
  return read_fixed<uint64_t>(*this);
}

ByteView ByteReaderView::bytes(uint64_t size) {
  if (size > remaining()) {
    fail();
    return {};
  }
  const ByteView view(reinterpret_cast<const std::byte*>(cursor_), static_cast<size_t>(size));
  cursor_ += size;
  return view;
}

uint64_t ByteReaderView::count(size_t size_min) {
  const uint64_t value = varint();
  if (value > remaining() / size_min) {
    fail();
    return 0;
  }
  return value;
}

void append_u16(std::string& out, uint16_t value) {
  append_fixed(out, value);
}
void append_u32(std::string& out, uint32_t value) {
  append_fixed(out, value);
}
void append_u64(std::string& out, uint64_t value) {
  append_fixed(out, value);
}

void append_length_prefixed(std::string& out, std::string_view bytes) {
  append_varint(out, bytes.size());
  out.append(bytes);
}

}  // namespace weft::codec

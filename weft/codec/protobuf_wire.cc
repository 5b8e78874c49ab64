#include "weft/codec/protobuf_wire.h"

#include <bit>

namespace weft::codec {

namespace {

// Little-endian, `size` bytes that are there.
uint64_t load_little(const uint8_t* from, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= static_cast<uint64_t>(from[i]) << (8 * i);
  }
  return value;
}

// Calls `take(value)` for each varint of a repeated integer.
template <typename Take>
bool each_integer(const WireField& field, Take take) {
  if (field.type == WireType::kVarint) {
    take(field.scalar);
    return true;
  }
  if (field.type != WireType::kBytes) {
    return false;
  }
  const uint8_t* cursor = as_octets(field.bytes);
  const uint8_t* const end = cursor + field.bytes.size();
  while (cursor < end) {
    uint64_t value = 0;
    if (!decode_varint(cursor, end, value)) {
      return false;
    }
    take(value);
  }
  return true;
}

}  // namespace

bool WireField::as_u64(uint64_t& value) const {
  if (type != WireType::kVarint) {
    return false;
  }
  value = scalar;
  return true;
}

bool WireField::as_u32(uint32_t& value) const {
  if (type != WireType::kVarint) {
    return false;
  }
  value = static_cast<uint32_t>(scalar);
  return true;
}

bool WireField::as_i64(int64_t& value) const {
  if (type != WireType::kVarint) {
    return false;
  }
  value = static_cast<int64_t>(scalar);
  return true;
}

bool WireField::as_i32(int32_t& value) const {
  if (type != WireType::kVarint) {
    return false;
  }
  value = static_cast<int32_t>(static_cast<uint32_t>(scalar));
  return true;
}

bool WireField::as_bool(bool& value) const {
  if (type != WireType::kVarint) {
    return false;
  }
  value = scalar != 0;
  return true;
}

bool WireField::as_double(double& value) const {
  if (type != WireType::kFixed64) {
    return false;
  }
  value = std::bit_cast<double>(scalar);
  return true;
}

bool WireField::as_bytes(ByteView& value) const {
  if (type != WireType::kBytes) {
    return false;
  }
  value = bytes;
  return true;
}

bool WireField::as_text(std::string& value) const {
  if (type != WireType::kBytes) {
    return false;
  }
  value = to_text(bytes);
  return true;
}

bool WireField::append_u64s(std::vector<uint64_t>& values) const {
  return each_integer(*this, [&](uint64_t value) { values.push_back(value); });
}

bool WireField::append_u32s(std::vector<uint32_t>& values) const {
  return each_integer(*this,
                      [&](uint64_t value) { values.push_back(static_cast<uint32_t>(value)); });
}

bool WireField::append_i32s(std::vector<int32_t>& values) const {
  return each_integer(*this, [&](uint64_t value) {
    values.push_back(static_cast<int32_t>(static_cast<uint32_t>(value)));
  });
}

bool WireReaderView::expect(bool condition) {
  if (!condition) {
    ok_ = false;
  }
  return condition;
}

bool WireReaderView::next(WireField& field) {
  if (!ok_ || cursor_ == end_) {
    return false;
  }
  const uint8_t* const start = cursor_;
  const uint8_t* cursor = cursor_;
  uint64_t tag = 0;
  ok_ = false;
  if (!decode_varint(cursor, end_, tag) || tag >> 3U == 0 || tag >> 3U > kWireFieldNumberMax) {
    return false;
  }
  // Number 0 with wire type 7: no reader gets beyond it.
  static constexpr std::byte kNoMessage[] = {std::byte{7}};
  field = {};
  field.number = static_cast<uint32_t>(tag >> 3U);
  field.bytes = kNoMessage;
  const auto left = [&] { return static_cast<size_t>(end_ - cursor); };
  switch (tag & 7U) {
    case 0:
      field.type = WireType::kVarint;
      if (!decode_varint(cursor, end_, field.scalar)) {
        return false;
      }
      break;
    case 1:
      field.type = WireType::kFixed64;
      if (left() < 8) {
        return false;
      }
      field.scalar = load_little(cursor, 8);
      cursor += 8;
      break;
    case 2: {
      field.type = WireType::kBytes;
      uint64_t size = 0;
      if (!decode_varint(cursor, end_, size) || size > left()) {
        return false;
      }
      field.bytes = ByteView(reinterpret_cast<const std::byte*>(cursor), size);
      cursor += size;
      break;
    }
    case 5:
      field.type = WireType::kFixed32;
      if (left() < 4) {
        return false;
      }
      field.scalar = load_little(cursor, 4);
      cursor += 4;
      break;
    default:
      return false;
  }
  field.raw =
      ByteView(reinterpret_cast<const std::byte*>(start), static_cast<size_t>(cursor - start));
  cursor_ = cursor;
  ok_ = true;
  return true;
}

void WireWriter::tag(uint32_t number, WireType type) {
  append_varint(out_, static_cast<uint64_t>(number) << 3U | static_cast<uint64_t>(type));
}

void WireWriter::u64(uint32_t number, uint64_t value) {
  if (value != 0) {
    u64_always(number, value);
  }
}

void WireWriter::u64_always(uint32_t number, uint64_t value) {
  tag(number, WireType::kVarint);
  append_varint(out_, value);
}

void WireWriter::fixed64_always(uint32_t number, uint64_t value) {
  tag(number, WireType::kFixed64);
  append_u64(out_, value);
}

void WireWriter::real_always(uint32_t number, double value) {
  fixed64_always(number, std::bit_cast<uint64_t>(value));
}

void WireWriter::bytes(uint32_t number, std::string_view value) {
  if (!value.empty()) {
    bytes_always(number, value);
  }
}

void WireWriter::bytes_always(uint32_t number, std::string_view value) {
  tag(number, WireType::kBytes);
  append_length_prefixed(out_, value);
}

void WireWriter::packed_u64(uint32_t number, const std::vector<uint64_t>& values) {
  std::string packed;
  for (const uint64_t value : values) {
    append_varint(packed, value);
  }
  bytes(number, packed);
}

void WireWriter::packed_u32(uint32_t number, const std::vector<uint32_t>& values) {
  std::string packed;
  for (const uint32_t value : values) {
    append_varint(packed, value);
  }
  bytes(number, packed);
}

void WireWriter::packed_i32(uint32_t number, const std::vector<int32_t>& values) {
  std::string packed;
  for (const int32_t value : values) {
    append_varint(packed, static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  bytes(number, packed);
}

}  // namespace weft::codec

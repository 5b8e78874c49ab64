#include "weft/lance/read/leaf_values.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace weft::lance::read {
namespace {

using columns::Array;
using columns::ArrayParts;
using columns::Type;
using columns::TypeId;

constexpr uint64_t kSmallOffsetMax = std::numeric_limits<int32_t>::max();

Error text_too_long() {
  return Error(ErrorKind::kLimit, "the text of one batch passes what 32-bit offsets can hold")
      .with("bytes_max", kSmallOffsetMax);
}

uint64_t bit_bytes(uint64_t bits) {
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

}  // namespace

Status append_bit_run(GrowingBytes& out, uint64_t out_bits, ByteView bits, uint64_t first_bit,
                      uint64_t count) {
  if (count == 0) {
    return ok_status();
  }
  const uint64_t bytes_before = out.size();
  WEFT_TRY_STATUS(out.append_zeros(bit_bytes(out_bits + count) - bytes_before));
  if (out_bits % 8 == 0 && first_bit % 8 == 0) {
    std::memcpy(out.data() + out_bits / 8, bits.data() + first_bit / 8, bit_bytes(count));
    const unsigned rest = (out_bits + count) % 8;
    if (rest != 0) {
      out.data()[out.size() - 1] &= static_cast<std::byte>((1U << rest) - 1);
    }
    return ok_status();
  }
  const uint8_t* const from = as_octets(bits);
  auto* const to = reinterpret_cast<uint8_t*>(out.data());
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t source = first_bit + i;
    const unsigned bit = (from[source / 8] >> (source % 8)) & 1U;
    const uint64_t target = out_bits + i;
    to[target / 8] = static_cast<uint8_t>(to[target / 8] | (bit << (target % 8)));
  }
  return ok_status();
}

Status append_ones(GrowingBytes& out, uint64_t out_bits, uint64_t count) {
  WEFT_TRY_STATUS(out.append_zeros(bit_bytes(out_bits + count) - out.size()));
  auto* const to = reinterpret_cast<uint8_t*>(out.data());
  uint64_t bit = out_bits;
  const uint64_t end = out_bits + count;
  for (; bit < end && bit % 8 != 0; ++bit) {
    to[bit / 8] = static_cast<uint8_t>(to[bit / 8] | (1U << (bit % 8)));
  }
  if (end > bit) {
    std::memset(to + bit / 8, 0xff, (end - bit) / 8);
    bit += (end - bit) / 8 * 8;
  }
  for (; bit < end; ++bit) {
    to[bit / 8] = static_cast<uint8_t>(to[bit / 8] | (1U << (bit % 8)));
  }
  return ok_status();
}

LeafShape LeafShape::fixed(uint64_t bits) {
  LeafShape shape;
  shape.kind = Kind::kFixed;
  shape.bits = bits;
  return shape;
}

LeafShape LeafShape::text(bool large_offsets) {
  LeafShape shape;
  shape.kind = Kind::kText;
  shape.large_offsets = large_offsets;
  return shape;
}

Result<LeafShape> LeafShape::of(const Type& type) {
  LeafShape shape;
  if (type.id() == TypeId::kNull) {
    return shape;
  }
  if (type.id() == TypeId::kDictionary) {
    return of(*type.value_type());
  }
  if (columns::is_binary_like(type.id())) {
    return text(columns::has_large_offsets(type.id()));
  }
  if (type.id() == TypeId::kFixedSizeList) {
    WEFT_TRY(shape, of(*type.children()[0].type));
    if (shape.kind != Kind::kBits && shape.kind != Kind::kFixed) {
      return Error(ErrorKind::kUnsupported, "a fixed-size list of such items is not supported")
          .with("type", type.to_string());
    }
    const auto size = static_cast<uint64_t>(type.list_size());
    shape.bits *= size;  // bounded by layout::kFixedListValuesMax
    for (uint64_t& items : shape.level_items) {
      items *= size;
    }
    shape.level_items.insert(shape.level_items.begin(), size);
    return shape;
  }
  shape.bits = columns::bit_width(type);
  shape.kind = shape.bits == 1 ? Kind::kBits : Kind::kFixed;
  if (shape.bits == 0) {
    return Error(ErrorKind::kUnsupported, "a leaf column of this type is not supported")
        .with("type", type.to_string());
  }
  return shape;
}

LeafValues::LeafValues(LeafShape shape, ReadMemory* memory)
    : shape_(std::move(shape)), bytes_(memory), offsets_(memory), memory_(memory) {}

Status LeafValues::reserve(uint64_t more) {
  if (shape_.kind == LeafShape::Kind::kText) {
    return offsets_.reserve_more((more + 1) * (shape_.large_offsets ? 8 : 4));
  }
  if (more > std::numeric_limits<uint64_t>::max() / 2 / std::max<uint64_t>(shape_.bits, 1)) {
    return Error(ErrorKind::kLimit, "too many values at once").with("values", more);
  }
  return bytes_.reserve_more(bit_bytes(more * shape_.bits));
}

Status LeafValues::own_bytes() {
  if (adopted_.empty()) {
    return ok_status();
  }
  const columns::Buffer adopted = std::exchange(adopted_, columns::Buffer());
  return bytes_.append(adopted.view());
}

Status LeafValues::append_fixed(ByteView bytes) {
  WEFT_CHECK(shape_.kind == LeafShape::Kind::kFixed && bytes.size() % shape_.bytes() == 0);
  WEFT_TRY_STATUS(own_bytes());
  WEFT_TRY_STATUS(bytes_.append(bytes));
  count_ += bytes.size() / shape_.bytes();
  return ok_status();
}

Result<std::byte*> LeafValues::extend_fixed(uint64_t count) {
  WEFT_TRY_STATUS(own_bytes());
  WEFT_TRY(std::byte* const at, bytes_.extend(count * shape_.bytes()));
  count_ += count;
  return at;
}

void LeafValues::drop_fixed(uint64_t count) {
  bytes_.set_size(bytes_.size() - count * shape_.bytes());
  count_ -= count;
}

Status LeafValues::append_or_adopt(const columns::Buffer& bytes) {
  if (count_ != 0) {
    return append_fixed(bytes.view());
  }
  adopted_ = bytes;
  count_ = bytes.size() / shape_.bytes();
  return ok_status();
}

Status LeafValues::append_bits(ByteView bytes, uint64_t first_bit, uint64_t count) {
  WEFT_TRY_STATUS(
      append_bit_run(bytes_, count_ * shape_.bits, bytes, first_bit, count * shape_.bits));
  count_ += count;
  return ok_status();
}

Status LeafValues::append_set_bits(uint64_t count) {
  WEFT_TRY_STATUS(append_ones(bytes_, count_, count));
  count_ += count;
  return ok_status();
}

template <typename T>
Status LeafValues::note_end(uint64_t end) {
  if (end > static_cast<uint64_t>(std::numeric_limits<T>::max())) {
    return text_too_long();
  }
  if (offsets_.empty()) {
    WEFT_TRY_STATUS(offsets_.append_zeros(sizeof(T)));
  }
  WEFT_TRY(std::byte* const at, offsets_.extend(sizeof(T)));
  const auto value = static_cast<T>(end);
  std::memcpy(at, &value, sizeof(T));
  ++count_;
  return ok_status();
}

Status LeafValues::end_text() {
  return shape_.large_offsets ? note_end<int64_t>(bytes_.size()) : note_end<int32_t>(bytes_.size());
}

Status LeafValues::append_text(ByteView bytes) {
  WEFT_TRY_STATUS(bytes_.append(bytes));
  return end_text();
}

namespace {

template <typename Out, typename In>
void put_ends(std::byte* out, const std::byte* ends, uint64_t count, uint64_t shift) {
  for (uint64_t i = 0; i < count; ++i) {
    In end;
    std::memcpy(&end, ends + i * sizeof(In), sizeof(In));
    const auto value = static_cast<Out>(end + shift);
    std::memcpy(out + i * sizeof(Out), &value, sizeof(Out));
  }
}

}  // namespace

template <typename T>
Status LeafValues::append_text_run(ByteView bytes, const std::byte* ends, uint64_t count, T first) {
  const uint64_t base = bytes_.size();
  WEFT_TRY_STATUS(bytes_.append(bytes));
  return append_text_ends(base, ends, count, first);
}

template <typename T>
Status LeafValues::append_text_ends(uint64_t base, const std::byte* ends, uint64_t count, T first) {
  if (!shape_.large_offsets && bytes_.size() > kSmallOffsetMax) {
    return text_too_long();
  }
  const size_t width = shape_.large_offsets ? sizeof(int64_t) : sizeof(int32_t);
  if (offsets_.empty()) {
    WEFT_TRY_STATUS(offsets_.append_zeros(width));
  }
  WEFT_TRY(std::byte* const at, offsets_.extend(count * width));
  const uint64_t shift = base - first;
  if (shape_.large_offsets) {
    put_ends<int64_t, T>(at, ends, count, shift);
  } else {
    put_ends<int32_t, T>(at, ends, count, shift);
  }
  count_ += count;
  return ok_status();
}
template Status LeafValues::append_text_run(ByteView, const std::byte*, uint64_t, uint32_t);
template Status LeafValues::append_text_run(ByteView, const std::byte*, uint64_t, uint64_t);
template Status LeafValues::append_text_ends(uint64_t, const std::byte*, uint64_t, uint32_t);
template Status LeafValues::append_text_ends(uint64_t, const std::byte*, uint64_t, uint64_t);

Status LeafValues::append_blanks(uint64_t count) {
  switch (shape_.kind) {
    case LeafShape::Kind::kNothing:
      break;
    case LeafShape::Kind::kBits: {
      const uint64_t end = (count_ + count) * shape_.bits;
      WEFT_TRY_STATUS(bytes_.append_zeros(bit_bytes(end) - bytes_.size()));
      break;
    }
    case LeafShape::Kind::kFixed:
      WEFT_TRY_STATUS(own_bytes());
      WEFT_TRY_STATUS(bytes_.append_zeros(count * shape_.bytes()));
      break;
    case LeafShape::Kind::kText:
      WEFT_TRY_STATUS(reserve(count));
      for (uint64_t i = 0; i < count; ++i) {
        WEFT_TRY_STATUS(end_text());
      }
      return ok_status();
  }
  count_ += count;
  return ok_status();
}

Status LeafValues::append_item_validity_ranges(size_t level, ByteView bits,
                                               std::span<const IndexRange> ranges, uint64_t count) {
  while (item_validity_.size() <= level) {
    item_validity_.emplace_back(memory_);
  }
  ItemValidity& validity = item_validity_[level];
  const uint64_t items_each = shape_.level_items[level];
  const uint64_t before = (count_ - count) * items_each;
  WEFT_TRY_STATUS(append_ones(validity.bits, validity.count, before - validity.count));
  validity.count = before;
  for (const IndexRange range : ranges) {
    const uint64_t items = range.size() * items_each;
    WEFT_TRY_STATUS(
        append_bit_run(validity.bits, validity.count, bits, range.begin * items_each, items));
    validity.count += items;
  }
  return ok_status();
}

ByteView LeafValues::fixed_at(uint64_t index) const {
  return bytes_.view().subspan(index * shape_.bytes(), shape_.bytes());
}

ByteView LeafValues::text_at(uint64_t index) const {
  uint64_t begin = 0;
  uint64_t end = 0;
  if (shape_.large_offsets) {
    std::memcpy(&begin, offsets_.data() + index * 8, 8);
    std::memcpy(&end, offsets_.data() + index * 8 + 8, 8);
  } else {
    uint32_t small[2];
    std::memcpy(small, offsets_.data() + index * 4, 8);
    begin = small[0];
    end = small[1];
  }
  return bytes_.view().subspan(begin, end - begin);
}

Result<columns::ArrayPtr> LeafValues::finish_lists(const columns::TypePtr& type,
                                                   columns::Buffer validity,
                                                   columns::Buffer bytes) {
  std::vector<columns::TypePtr> chain = {type};
  while (chain.back()->id() == TypeId::kFixedSizeList) {
    chain.push_back(chain.back()->children()[0].type);
  }
  for (size_t level = 0; level < item_validity_.size(); ++level) {
    ItemValidity& items = item_validity_[level];
    if (items.count != 0) {
      const uint64_t all = count_ * shape_.level_items[level];
      WEFT_TRY_STATUS(append_ones(items.bits, items.count, all - items.count));
    }
  }
  uint64_t length = count_;
  for (const columns::TypePtr& each : chain) {
    length *= each->id() == TypeId::kFixedSizeList ? static_cast<uint64_t>(each->list_size()) : 1;
  }
  columns::ArrayPtr array;
  for (size_t i = chain.size(); i-- > 0;) {
    ArrayParts parts;
    parts.type = chain[i];
    parts.length = length;
    if (i == 0) {
      parts.validity = std::exchange(validity, {});
    } else if (i <= item_validity_.size()) {
      parts.validity = item_validity_[i - 1].bits.finish();
    }
    if (array == nullptr) {
      parts.values = std::exchange(bytes, {});
    } else {
      parts.children.push_back(std::move(array));
    }
    if (i > 0) {
      length /= static_cast<uint64_t>(chain[i - 1]->list_size());
    }
    array = Array::make(std::move(parts));
  }
  count_ = 0;
  item_validity_.clear();
  return array;
}

Result<columns::ArrayPtr> LeafValues::finish(const columns::TypePtr& type,
                                             columns::Buffer validity) {
  ArrayParts parts;
  parts.type = type;
  parts.length = count_;
  if (shape_.kind == LeafShape::Kind::kNothing) {
    count_ = 0;
    return Array::make(std::move(parts));
  }
  columns::Buffer bytes = adopted_.empty() ? bytes_.finish() : std::exchange(adopted_, {});
  if (type->id() == TypeId::kFixedSizeList) {
    return finish_lists(type, std::move(validity), std::move(bytes));
  }
  parts.validity = std::move(validity);
  parts.values = std::move(bytes);
  if (shape_.kind == LeafShape::Kind::kText) {
    if (offsets_.empty()) {
      WEFT_TRY_STATUS(offsets_.append_zeros(shape_.large_offsets ? 8 : 4));
    }
    parts.offsets = offsets_.finish();
  }
  count_ = 0;
  return Array::make(std::move(parts));
}

}  // namespace weft::lance::read

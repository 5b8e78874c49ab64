#include "weft/lance/write/chunk_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "weft/base/check.h"
#include "weft/codec/lane_packing.h"
#include "weft/lance/write/words.h"

namespace weft::lance::write {

using layout::Encoding;

namespace {

// A chunk's word, count of levels and sizes, with padding.
constexpr uint64_t kChunkOverheadBytes = 16;

// The greatest power of two of items of `bits` each that a chunk holds.
size_t items_that_fit(uint64_t bits, size_t items_max) {
  size_t items = 2;
  while (items * 2 <= items_max && items * 2 * bits <= kChunkValueBytes * 8) {
    items *= 2;
  }
  return items;
}

class Flat final : public ChunkValues {
 public:
  Flat(const PageRows& rows, const ValueShape& shape) : rows_(rows), shape_(shape) {
    has_item_nulls_ = std::find(rows.item_validity.begin(), rows.item_validity.end(), 0) !=
                      rows.item_validity.end();
    const uint64_t bits = shape.value_bits() + (has_item_nulls_ ? shape.items() : 0);
    items_ = items_that_fit(bits, bits == 1 ? kChunkItemsMax : 1024);
  }

  Encoding encoding() const override {
    Encoding encoding = Encoding::flat(shape_.bits);
    for (size_t i = shape_.lists.size(); i-- > 0;) {
      encoding = Encoding::fixed_size_list(shape_.lists[i], std::move(encoding),
                                           has_item_nulls_ && i == 0);
    }
    return encoding;
  }
  size_t buffer_count() const override { return has_item_nulls_ ? 2 : 1; }
  size_t chunk_items(uint64_t first) const override {
    return static_cast<size_t>(std::min<uint64_t>(items_, rows_.slot_count - first));
  }
  void append(uint64_t first, size_t count, ChunkOutput& out) const override {
    if (has_item_nulls_) {
      append_bits(rows_.item_validity, first * shape_.items(), count * shape_.items(),
                  out.next_buffer());
    }
    if (shape_.kind == ValueKind::kBits) {
      append_bits(rows_.values, first * shape_.items(), count * shape_.items(), out.next_buffer());
    } else {
      const uint64_t size = shape_.gathered_bytes();
      append_octets(out.next_buffer(), std::span(rows_.values).subspan(first * size, count * size));
    }
  }
  uint64_t estimated_bytes() const override {
    return rows_.slot_count * shape_.value_bits() / 8 +
           (rows_.slot_count / items_ + 1) * kChunkOverheadBytes;
  }

 private:
  static void append_bits(std::span<const uint8_t> bits, uint64_t first, uint64_t count,
                          std::string& out) {
    for (uint64_t i = 0; i < count; i += 8) {
      uint32_t octet = 0;
      for (uint64_t k = 0; k < std::min<uint64_t>(8, count - i); ++k) {
        octet |= static_cast<uint32_t>(bits[first + i + k]) << k;
      }
      out.push_back(static_cast<char>(octet));
    }
  }

  const PageRows& rows_;
  const ValueShape& shape_;
  bool has_item_nulls_ = false;
  size_t items_ = 0;
};

template <codec::PackedWord T>
class Integers : public ChunkValues {
 public:
  explicit Integers(std::span<const uint8_t> values)
      : values_(values), count_(values.size() / sizeof(T)) {}

 protected:
  static constexpr uint32_t kBits = sizeof(T) * 8;

  void copy(uint64_t first, size_t count, T* out) const {
    std::memcpy(out, values_.data() + first * sizeof(T), count * sizeof(T));
  }
  T at(uint64_t index) const {
    T value = 0;
    copy(index, 1, &value);
    return value;
  }

  std::span<const uint8_t> values_;
  uint64_t count_ = 0;
};

template <codec::PackedWord T>
class PlainIntegers final : public Integers<T> {
 public:
  using Integers<T>::Integers;
  Encoding encoding() const override { return Encoding::flat(this->kBits); }
  size_t chunk_items(uint64_t first) const override {
    return static_cast<size_t>(std::min<uint64_t>(kItems, this->count_ - first));
  }
  void append(uint64_t first, size_t count, ChunkOutput& out) const override {
    append_octets(out.next_buffer(), this->values_.subspan(first * sizeof(T), count * sizeof(T)));
  }
  uint64_t estimated_bytes() const override {
    return this->values_.size() + (this->count_ / kItems + 1) * kChunkOverheadBytes;
  }

 private:
  static constexpr size_t kItems = sizeof(T) == 8 ? 512 : 1024;
};

// One block of 1024 values a chunk: the width in a word of its own, then the block.
template <codec::PackedWord T>
class PackedIntegers final : public Integers<T> {
 public:
  explicit PackedIntegers(std::span<const uint8_t> values) : Integers<T>(values) {
    std::array<T, codec::kPackedBlockValues> block{};
    for (uint64_t first = 0; first < this->count_; first += block.size()) {
      const size_t count =
          static_cast<size_t>(std::min<uint64_t>(block.size(), this->count_ - first));
      this->copy(first, count, block.data());
      const uint32_t width = codec::width_of<T>(std::span<const T>(block.data(), count));
      bytes_ += kChunkOverheadBytes + sizeof(T) * (1 + codec::packed_word_count<T>(width));
    }
  }
  Encoding encoding() const override { return Encoding::inline_bitpacking(this->kBits); }
  size_t chunk_items(uint64_t first) const override {
    return static_cast<size_t>(std::min<uint64_t>(codec::kPackedBlockValues, this->count_ - first));
  }
  void append(uint64_t first, size_t count, ChunkOutput& out) const override {
    std::array<T, codec::kPackedBlockValues> block{};
    this->copy(first, count, block.data());
    const uint32_t width = codec::width_of<T>(block);
    std::array<T, codec::kPackedBlockValues + 1> words{};
    words[0] = static_cast<T>(width);
    const size_t packed = codec::packed_word_count<T>(width);
    codec::pack_lanes<T>(block, width, std::span(words).subspan(1, packed));
    append_words<T>(out.next_buffer(), std::span(words).first(1 + packed));
  }
  uint64_t estimated_bytes() const override { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

// Values and run lengths of one byte.
template <codec::PackedWord T>
class RunIntegers final : public Integers<T> {
 public:
  explicit RunIntegers(std::span<const uint8_t> values) : Integers<T>(values) {
    for (uint64_t i = 0; i < this->count_; ++runs_) {
      i += run_at(i, this->count_ - i);
    }
  }
  Encoding encoding() const override {
    return Encoding::run_length(Encoding::flat(this->kBits), Encoding::flat(8));
  }
  size_t buffer_count() const override { return 2; }
  size_t chunk_items(uint64_t first) const override {
    const uint64_t left = this->count_ - first;
    size_t runs = 0;
    uint64_t items = 0;
    // As far as a chunk reaches, then down to a power of two.
    while (items < std::min<uint64_t>(left, kChunkItemsMax) && runs < kRunsMax) {
      items += run_at(first + items, std::min<uint64_t>(left, kChunkItemsMax) - items);
      ++runs;
    }
    return static_cast<size_t>(items == left ? items : std::bit_floor(items));
  }
  void append(uint64_t first, size_t count, ChunkOutput& out) const override {
    std::string lengths;
    std::string& values = out.next_buffer();
    for (size_t i = 0; i < count;) {
      const size_t run = run_at(first + i, count - i);
      const T value = this->at(first + i);
      append_words<T>(values, std::span(&value, 1));
      lengths.push_back(static_cast<char>(run));
      i += run;
    }
    out.next_buffer() += lengths;
  }
  uint64_t estimated_bytes() const override {
    const uint64_t chunks = std::max(this->count_ / kChunkItemsMax, runs_ / (kRunsMax / 2)) + 1;
    return runs_ * (sizeof(T) + 1) + chunks * 2 * kChunkOverheadBytes;
  }

 private:
  static constexpr size_t kRunMax = 255;
  static constexpr size_t kRunsMax = kChunkValueBytes / (sizeof(T) + 1);

  size_t run_at(uint64_t first, uint64_t most) const {
    const auto end = static_cast<size_t>(std::min<uint64_t>(most, kRunMax));
    const T value = this->at(first);
    size_t run = 1;
    while (run < end && this->at(first + run) == value) {
      ++run;
    }
    return run;
  }

  uint64_t runs_ = 0;
};

template <codec::PackedWord T>
ChunkValuesPtr smallest(std::span<const uint8_t> values) {
  ChunkValuesPtr best = std::make_unique<PlainIntegers<T>>(values);
  ChunkValuesPtr packed = std::make_unique<PackedIntegers<T>>(values);
  if (packed->estimated_bytes() < best->estimated_bytes()) {
    best = std::move(packed);
  }
  ChunkValuesPtr runs = std::make_unique<RunIntegers<T>>(values);
  if (runs->estimated_bytes() < best->estimated_bytes()) {
    best = std::move(runs);
  }
  return best;
}

template <typename Offset>
class Texts final : public ChunkValues {
 public:
  Texts(std::span<const uint64_t> ends, std::span<const uint8_t> bytes, Encoding encoding)
      : ends_(ends), bytes_(bytes), encoding_(std::move(encoding)) {}

  Encoding encoding() const override { return encoding_; }
  size_t chunk_items(uint64_t first) const override {
    const uint64_t left = count() - first;
    if (left <= 2) {
      return static_cast<size_t>(left);
    }
    uint64_t items = 2;
    while (items < left && items * 2 <= kChunkItemsMax &&
           size_of(first, std::min(items * 2, left)) <= kTextChunkBytes) {
      items *= 2;
    }
    return static_cast<size_t>(std::min(items, left));
  }
  // Offsets from the start of the buffer, then the bytes, padded to the offsets' size.
  void append(uint64_t first, size_t count, ChunkOutput& out) const override {
    std::string& buffer = out.next_buffer();
    const uint64_t start = sizeof(Offset) * (count + 1);
    const uint64_t base = ends_[first];
    std::array<Offset, kChunkItemsMax + 1> offsets;  // NOLINT(*-member-init): filled below
    for (size_t i = 0; i <= count; ++i) {
      offsets[i] = static_cast<Offset>(start + ends_[first + i] - base);
    }
    append_words<Offset>(buffer, std::span(offsets).first(count + 1));
    append_octets(buffer, bytes_.subspan(base, ends_[first + count] - base));
    pad(buffer, sizeof(Offset), 'H');
  }
  uint64_t estimated_bytes() const override {
    const uint64_t plain = size_of(0, count());
    return plain + (plain / (kTextChunkBytes / 2) + 1) * kChunkOverheadBytes +
           (encoding_.kind == layout::EncodingKind::kFsst ? encoding_.bytes.size() : 0);
  }

 private:
  uint64_t count() const { return ends_.size() - 1; }
  uint64_t size_of(uint64_t first, uint64_t count) const {
    return sizeof(Offset) * (count + 1) + ends_[first + count] - ends_[first];
  }

  std::span<const uint64_t> ends_;
  std::span<const uint8_t> bytes_;
  Encoding encoding_;
};

}  // namespace

std::string& ChunkOutput::next_buffer() {
  end_buffers();
  begin_ = out_.size();
  return out_;
}

void ChunkOutput::end_buffers() {
  if (begin_) {
    sizes_.push_back(out_.size() - *begin_);
    pad(out_, alignment_, filler_);
    begin_.reset();
  }
}

ChunkValuesPtr flat_values(const PageRows& rows, const ValueShape& shape) {
  return std::make_unique<Flat>(rows, shape);
}

ChunkValuesPtr integer_values(std::span<const uint8_t> values, uint32_t bits) {
  switch (bits) {
    case 8:
      return smallest<uint8_t>(values);
    case 16:
      return smallest<uint16_t>(values);
    case 32:
      return smallest<uint32_t>(values);
    default:
      WEFT_CHECK(bits == 64);
      return smallest<uint64_t>(values);
  }
}

ChunkValuesPtr text_values(std::span<const uint64_t> ends, std::span<const uint8_t> bytes,
                           Encoding encoding, bool large) {
  if (large) {
    return std::make_unique<Texts<uint64_t>>(ends, bytes, std::move(encoding));
  }
  return std::make_unique<Texts<uint32_t>>(ends, bytes, std::move(encoding));
}

}  // namespace weft::lance::write

#include "weft/lance/write/dictionary.h"

#include <cstring>

#include "weft/codec/lz4.h"
#include "weft/codec/varint.h"
#include "weft/lance/write/words.h"

namespace weft::lance::write {

using layout::Encoding;
using layout::FileVersion;

namespace {

constexpr uint64_t kSlotsMin = 100;
// After so many values the first look at how many of them are distinct.
constexpr uint64_t kFirstLook = 4096;
constexpr uint64_t kFixedIndexMax = 0x7fff'ffff;

uint64_t hash_of(std::span<const uint8_t> value) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
  uint64_t hash = value.size() * kMultiplier;
  const uint8_t* at = value.data();
  size_t left = value.size();
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29U;
  };
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    mix(word);
  }
  if (left != 0) {
    uint64_t word = 0;
    std::memcpy(&word, at, left);
    mix(word);
  }
  return hash ^ hash >> 32U;
}

// Values by content, in a table of open addresses. Values are named by a slot that has them.
class ValueTable {
 public:
  ValueTable(const PageRows& rows, const ValueShape& shape) : rows_(rows) {
    text_ = shape.kind == ValueKind::kText;
    size_ = shape.gathered_bytes();
    places_.assign(size_t{4} * kFirstLook, kFree);
  }

  std::span<const uint8_t> value(uint64_t slot) const {
    return text_ ? rows_.text(slot) : std::span(rows_.values).subspan(slot * size_, size_);
  }
  uint64_t count() const { return slots_.size(); }
  std::vector<uint64_t> take_slots() { return std::move(slots_); }

  // The number of the value of `slot`, a new one if it was not seen.
  uint32_t number_of(uint64_t slot) {
    const std::span<const uint8_t> bytes = value(slot);
    const uint64_t hash = hash_of(bytes);
    uint32_t& place = find(bytes, hash);
    if (place != kFree) {
      return place;
    }
    const auto number = static_cast<uint32_t>(slots_.size());
    place = number;
    slots_.push_back(slot);
    hashes_.push_back(hash);
    if (slots_.size() * 2 > places_.size()) {
      grow();
    }
    return number;
  }

 private:
  static constexpr uint32_t kFree = 0xffff'ffff;

  uint32_t& find(std::span<const uint8_t> bytes, uint64_t hash) {
    const size_t mask = places_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      uint32_t& place = places_[at];
      if (place == kFree) {
        return place;
      }
      if (hashes_[place] == hash) {
        const std::span<const uint8_t> other = value(slots_[place]);
        if (other.size() == bytes.size() &&
            (bytes.empty() || std::memcmp(other.data(), bytes.data(), bytes.size()) == 0)) {
          return place;
        }
      }
    }
  }

  void grow() {
    places_.assign(places_.size() * 2, kFree);
    const size_t mask = places_.size() - 1;
    for (uint32_t number = 0; number < slots_.size(); ++number) {
      size_t at = hashes_[number] & mask;
      while (places_[at] != kFree) {
        at = (at + 1) & mask;
      }
      places_[at] = number;
    }
  }

  const PageRows& rows_;
  bool text_ = false;
  uint64_t size_ = 0;
  std::vector<uint32_t> places_;
  std::vector<uint64_t> slots_;
  std::vector<uint64_t> hashes_;
};

template <typename Offset>
std::string text_block(const PageRows& rows, const DistinctValues& values) {
  std::string out;
  const uint64_t header = 2 * sizeof(Offset);
  const uint64_t start = header + sizeof(Offset) * (values.slots.size() + 1);
  std::vector<Offset> offsets{static_cast<Offset>(8 * sizeof(Offset)), static_cast<Offset>(start)};
  offsets.reserve(values.slots.size() + 3);
  Offset end = 0;
  offsets.push_back(end);
  for (const uint64_t slot : values.slots) {
    end += static_cast<Offset>(rows.text(slot).size());
    offsets.push_back(end);
  }
  append_words<Offset>(out, offsets);
  for (const uint64_t slot : values.slots) {
    append_octets(out, rows.text(slot));
  }
  return out;
}

}  // namespace

std::optional<DistinctValues> distinct_values(const PageRows& rows, const ValueShape& shape,
                                              std::span<const uint8_t> slot_nulls) {
  if (rows.slot_count < kSlotsMin) {
    return std::nullopt;
  }
  DistinctValues out;
  ValueTable table(rows, shape);
  std::vector<uint32_t> numbers(rows.slot_count);
  uint64_t next_look = kFirstLook;
  for (uint64_t slot = 0; slot < rows.slot_count; ++slot) {
    if (!slot_nulls.empty() && slot_nulls[slot] != 0) {
      continue;
    }
    const uint64_t known = table.count();
    numbers[slot] = table.number_of(slot);
    if (table.count() != known) {
      out.bytes += table.value(slot).size();
      if (table.count() > kDictionaryItemsMax || out.bytes > kDictionaryBytesMax) {
        return std::nullopt;
      }
    }
    if (slot >= next_look) {
      // Of few values most of the first thousands are new too; later ever less.
      if (table.count() > slot / 4 * (next_look == kFirstLook ? 3 : 2)) {
        return std::nullopt;
      }
      next_look *= 2;
    }
  }
  if (table.count() == 0 || table.count() > rows.slot_count / 2) {
    return std::nullopt;
  }
  out.slots = table.take_slots();
  out.indices.resize(numbers.size() * sizeof(uint32_t));
  std::memcpy(out.indices.data(), numbers.data(), out.indices.size());
  return out;
}

Result<DistinctValues> all_distinct_values(const PageRows& rows, const ValueShape& shape,
                                           std::span<const uint8_t> slot_nulls) {
  DistinctValues out;
  ValueTable table(rows, shape);
  const size_t index_bytes = shape.index_bits / 8;
  // Engines number with signed and unsigned integers: half of the range is safe.
  const uint64_t values_max =
      shape.index_bits >= 32 ? kFixedIndexMax : uint64_t{1} << (shape.index_bits - 1);
  out.indices.resize(rows.slot_count * index_bytes);
  for (uint64_t slot = 0; slot < rows.slot_count; ++slot) {
    if (!slot_nulls.empty() && slot_nulls[slot] != 0) {
      continue;
    }
    const uint64_t number = table.number_of(slot);
    if (number >= values_max) {
      return Error(ErrorKind::kLimit, "more distinct values than a dictionary index can number")
          .with("values_max", values_max);
    }
    for (size_t byte = 0; byte < index_bytes; ++byte) {
      out.indices[slot * index_bytes + byte] = static_cast<uint8_t>(number >> (8 * byte));
    }
  }
  out.slots = table.take_slots();
  return out;
}

PageDictionary page_dictionary(const PageRows& rows, const ValueShape& shape,
                               const DistinctValues& values, FileVersion version) {
  PageDictionary out;
  out.item_count = values.slots.size();
  if (shape.kind == ValueKind::kText) {
    out.encoding = Encoding::variable(shape.large ? 64 : 32);
    out.bytes =
        shape.large ? text_block<uint64_t>(rows, values) : text_block<uint32_t>(rows, values);
  } else {
    const uint64_t size = shape.gathered_bytes();
    out.encoding = Encoding::flat(shape.bits);
    for (const uint64_t slot : values.slots) {
      append_octets(out.bytes, std::span(rows.values).subspan(slot * size, size));
    }
  }
  if (version == FileVersion::kV22) {
    std::string packed;
    codec::append_u32(packed, static_cast<uint32_t>(out.bytes.size()));
    if (codec::lz4_append_block(packed, as_bytes(out.bytes)).ok() &&
        packed.size() < out.bytes.size()) {
      out.bytes = std::move(packed);
      out.encoding = Encoding::general(layout::Scheme::kLz4, std::move(out.encoding));
    }
  }
  return out;
}

}  // namespace weft::lance::write

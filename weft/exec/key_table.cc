#include "weft/exec/key_table.h"

#include <algorithm>
#include <bit>

namespace weft::exec {
namespace {

constexpr size_t kSlotsMin = 64;
constexpr size_t kKeysMax = UINT32_MAX - 1;

// Multiply and fold: cheap, and every bit of the id reaches the low bits that choose the slot.
uint64_t mix(uint64_t hash, uint64_t id) {
  hash = (hash ^ id) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32U);
}

}  // namespace

KeyTable::KeyTable(size_t width, base::MemoryBudget* budget) : charge_(budget), keys_(width) {}

void KeyTable::hash(std::span<const Column* const> keys, size_t rows,
                    std::vector<uint64_t>& hashes) {
  hashes.assign(rows, 0x243f6a8885a308d3ULL);
  for (const Column* column : keys) {
    const rdf::TermId* ids = column->data();
    for (size_t row = 0; row < rows; ++row) {
      hashes[row] = mix(hashes[row], ids[row]);
    }
  }
}

bool KeyTable::equal(std::span<const Column* const> keys, size_t row, uint32_t number) const {
  for (size_t c = 0; c < keys.size(); ++c) {
    if (keys_[c][number] != (*keys[c])[row]) {
      return false;
    }
  }
  return true;
}

Status KeyTable::grow(size_t keys_wanted) {
  if (keys_wanted > kKeysMax) {
    return Error(ErrorKind::kLimit, "too many different keys in one hash table")
        .with("keys_max", kKeysMax);
  }
  // At most half full, and keys may still double before the vectors move.
  const size_t slots = std::max(kSlotsMin, std::bit_ceil(keys_wanted * 2));
  if (slots <= slots_.size()) {
    return ok_status();
  }
  const uint64_t per_key = keys_.size() * sizeof(rdf::TermId) + sizeof(uint32_t);
  WEFT_TRY_STATUS(charge_.cover(slots * sizeof(uint32_t) + (slots / 2) * per_key));
  for (Column& column : keys_) {
    column.reserve(slots / 2);
  }
  key_hashes_.reserve(slots / 2);
  slots_.assign(slots, 0);
  const size_t mask = slots - 1;
  for (size_t number = 0; number < size_; ++number) {
    size_t slot = key_hashes_[number] & mask;
    while (slots_[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = static_cast<uint32_t>(number + 1);
  }
  return ok_status();
}

Status KeyTable::insert(std::span<const Column* const> keys, size_t rows,
                        std::vector<uint32_t>& numbers) {
  hash(keys, rows, hashes_);
  numbers.resize(rows);
  for (size_t row = 0; row < rows; ++row) {
    if ((size_ + 1) * 2 > slots_.size()) {
      WEFT_TRY_STATUS(grow(size_ + 1));
    }
    const size_t mask = slots_.size() - 1;
    const auto hash32 = static_cast<uint32_t>(hashes_[row]);
    size_t slot = hash32 & mask;
    while (true) {
      const uint32_t found = slots_[slot];
      if (found == 0) {
        for (size_t c = 0; c < keys.size(); ++c) {
          keys_[c].push_back((*keys[c])[row]);
        }
        key_hashes_.push_back(hash32);
        slots_[slot] = static_cast<uint32_t>(++size_);
        numbers[row] = static_cast<uint32_t>(size_ - 1);
        break;
      }
      if (key_hashes_[found - 1] == hash32 && equal(keys, row, found - 1)) {
        numbers[row] = found - 1;
        break;
      }
      slot = (slot + 1) & mask;
    }
  }
  return ok_status();
}

void KeyTable::find(std::span<const Column* const> keys, size_t rows,
                    std::vector<uint32_t>& numbers, std::vector<uint64_t>& hashes) const {
  numbers.assign(rows, kAbsent);
  if (size_ == 0) {
    return;
  }
  hash(keys, rows, hashes);
  const size_t mask = slots_.size() - 1;
  for (size_t row = 0; row < rows; ++row) {
    const auto hash32 = static_cast<uint32_t>(hashes[row]);
    for (size_t slot = hash32 & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
      const uint32_t number = slots_[slot] - 1;
      if (key_hashes_[number] == hash32 && equal(keys, row, number)) {
        numbers[row] = number;
        break;
      }
    }
  }
}

void KeyTable::clear() {
  for (Column& column : keys_) {
    column.clear();
  }
  key_hashes_.clear();
  std::fill(slots_.begin(), slots_.end(), 0U);
  size_ = 0;
}

}  // namespace weft::exec

#include "weft/quads/term_table.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

#include "weft/base/check.h"

namespace weft::quads {
namespace {

constexpr size_t kSlotsMin = 64;

}  // namespace

uint64_t TermTable::hash_of(std::string_view token) {
  return std::hash<std::string_view>{}(token);
}

size_t TermTable::slot_of(std::string_view wanted, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != kNoOrdinal &&
         (hashes_[slots_[slot] - 1] != hash || token(slots_[slot]) != wanted)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void TermTable::grow(size_t slot_count) {
  slots_.assign(slot_count, kNoOrdinal);
  const size_t mask = slot_count - 1;
  for (size_t i = 0; i < hashes_.size(); ++i) {
    size_t slot = hashes_[i] & mask;
    while (slots_[slot] != kNoOrdinal) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = static_cast<Ordinal>(i + 1);
  }
}

Ordinal TermTable::intern(std::string_view token, uint64_t hash) {
  if (2 * (size() + 1) > slots_.size()) {
    grow(std::max(kSlotsMin, 2 * slots_.size()));
  }
  const size_t slot = slot_of(token, hash);
  if (slots_[slot] == kNoOrdinal) {
    WEFT_CHECK(size() < std::numeric_limits<Ordinal>::max() - 1);
    text_.append(token);
    ends_.push_back(text_.size());
    hashes_.push_back(hash);
    slots_[slot] = static_cast<Ordinal>(size());
  }
  return slots_[slot];
}

Ordinal TermTable::find(std::string_view token) const {
  return slots_.empty() ? kNoOrdinal : slots_[slot_of(token, hash_of(token))];
}

uint64_t TermTable::memory_bytes() const {
  return text_.capacity() + 8 * (ends_.capacity() + hashes_.capacity()) + 4 * slots_.capacity();
}

void TermTable::reserve(size_t tokens, size_t bytes) {
  text_.reserve(text_.size() + bytes);
  ends_.reserve(size() + tokens);
  hashes_.reserve(size() + tokens);
  const size_t wanted = std::bit_ceil(std::max(kSlotsMin, 2 * (size() + tokens + 1)));
  if (wanted > slots_.size()) {
    grow(wanted);
  }
}

}  // namespace weft::quads

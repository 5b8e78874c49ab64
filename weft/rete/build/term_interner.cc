#include "weft/rete/build/term_interner.h"

#include <bit>
#include <cstring>

#include "weft/rete/build/token_sort.h"

namespace weft::rete::build {
namespace {

constexpr size_t kSlotsMin = 1024;
constexpr uint64_t kArenaBytesMax = UINT32_MAX;

uint64_t load64(const char* from) {
  uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The two halves of a 128-bit product, folded: each input bit reaches every output bit.
uint64_t fold(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
}

constexpr uint64_t kOdd1 = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
constexpr uint64_t kOdd2 = 0xD6E8FEB86659FD93;  // an odd number with mixed bits

}  // namespace

uint32_t TermInterner::hash(std::string_view token) const {
  const char* at = token.data();
  size_t left = token.size();
  uint64_t state = seed_ ^ (left * kOdd1);
  while (left > 16) {
    state = fold(load64(at) ^ state ^ kOdd1, load64(at + 8) ^ kOdd2);
    at += 16;
    left -= 16;
  }
  uint64_t low = 0;
  uint64_t high = 0;
  if (left >= 8) {
    low = load64(at);
    high = load64(at + left - 8);
  } else {
    std::memcpy(&low, at, left);
  }
  state = fold(low ^ state ^ kOdd1, high ^ kOdd2);
  return static_cast<uint32_t>(fold(state ^ kOdd2, kOdd1));
}

void TermInterner::prefetch(uint32_t hash) const {
  if (!slots_.empty()) {
    __builtin_prefetch(slots_.data() + (hash >> shift_));
  }
}

uint32_t TermInterner::intern(std::string_view token, uint32_t hash, uint8_t roles) {
  if ((size_ + 1) * size_t{4} > slots_.size() * 3) {
    grow_slots(slots_.empty() ? kSlotsMin : slots_.size() * 2);
  }
  const size_t mask = slots_.size() - 1;
  size_t slot = hash >> shift_;
  while (true) {
    Term& term = slots_[slot];
    if (term.id_plus_one == 0) {
      term.hash = hash;
      term.id_plus_one = ++size_;
      term.offset = static_cast<uint32_t>(arena_.size());
      term.length_and_roles = static_cast<uint32_t>(token.size() << 2U) | roles;
      arena_.append({token.data(), token.size()});
      return size_ - 1;
    }
    if (term.hash == hash && term.length() == token.size() &&
        std::memcmp(arena_.data() + term.offset, token.data(), token.size()) == 0) {
      term.length_and_roles |= roles;
      return term.id_plus_one - 1;
    }
    slot = (slot + 1) & mask;
  }
}

void TermInterner::grow_slots(size_t capacity) {
  PageArray<Term> bigger;
  bigger.resize(capacity);
  const auto bits = static_cast<unsigned>(std::countr_zero(capacity));
  shift_ = 32 - bits;
  const size_t mask = capacity - 1;
  for (const Term& term : slots_.span()) {
    if (term.id_plus_one != 0) {
      size_t slot = term.hash >> shift_;
      while (bigger[slot].id_plus_one != 0) {
        slot = (slot + 1) & mask;
      }
      bigger[slot] = term;
    }
  }
  slots_ = std::move(bigger);
}

bool TermInterner::has_room(size_t count, size_t bytes) const {
  return arena_.size() + bytes <= kArenaBytesMax && size_ + uint64_t{count} < (uint64_t{1} << 30U);
}

uint64_t TermInterner::memory_bytes_with(size_t count, size_t bytes) const {
  uint64_t slot_bytes = slots_.size() * sizeof(Term);
  if ((size_ + count) * 4 > slots_.size() * 3) {
    slot_bytes *= 3;  // the old slots and twice as many new ones, for a moment
  }
  // Sorting happens after the last growth and needs the references beside the slots.
  const uint64_t sorting = (size_ + count) * (sizeof(TokenRef) + sizeof(uint32_t));
  return arena_.size() + bytes + std::max(slot_bytes, slots_.size() * sizeof(Term) + sorting);
}

void TermInterner::release() {
  arena_.release();
  slots_.release();
  shift_ = 32;
  size_ = 0;
}

}  // namespace weft::rete::build

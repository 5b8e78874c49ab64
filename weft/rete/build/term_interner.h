// Numbers distinct tokens in the order they come: an open-addressing table over an arena. The inner
// loop of reading.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/rete/build/pages.h"

namespace weft::rete::build {

// What a term was seen as. A graph name is a subject.
inline constexpr uint8_t kRoleSubject = 1;
inline constexpr uint8_t kRoleObject = 2;

// Not thread-safe.
class TermInterner {
 public:
  struct Term {
    uint32_t hash = 0;
    uint32_t id_plus_one = 0;  // 0: a free slot
    uint32_t offset = 0;
    uint32_t length_and_roles = 0;  // length << 2 | roles
    uint32_t length() const { return length_and_roles >> 2U; }
    uint8_t roles() const { return static_cast<uint8_t>(length_and_roles & 3U); }
  };

  // `seed` moves terms between slots and changes nothing else.
  explicit TermInterner(uint64_t seed) : seed_(seed) {}

  uint32_t hash(std::string_view token) const;
  void prefetch(uint32_t hash) const;
  // The id of `token` (0, 1, …), which from now on has `roles` too. There must be room().
  uint32_t intern(std::string_view token, uint32_t hash, uint8_t roles);
  uint32_t intern(std::string_view token, uint8_t roles) {
    return intern(token, hash(token), roles);
  }

  // True if `count` more terms of `bytes` in all can be numbered (offsets have 32 bits).
  bool has_room(size_t count, size_t bytes) const;
  // Memory in use after `count` more terms of `bytes`, sorting included.
  uint64_t memory_bytes_with(size_t count, size_t bytes) const;

  uint32_t size() const { return size_; }
  std::string_view token(uint32_t offset, uint32_t length) const {
    return {arena_.data() + offset, length};
  }
  const char* arena() const { return arena_.data(); }
  // All slots, free ones included.
  std::span<const Term> slots() const { return slots_.span(); }
  // Frees the slots, keeps the tokens.
  void release_slots() { slots_.release(); }
  // Empty again; memory is given back.
  void release();

 private:
  void grow_slots(size_t capacity);

  uint64_t seed_;
  PageArray<char> arena_;
  PageArray<Term> slots_;  // a power of two, at most 3/4 used
  unsigned shift_ = 32;
  uint32_t size_ = 0;
};

}  // namespace weft::rete::build

// Sorts tokens bytewise, shorter first, as the dictionary of a segment has them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/rete/build/pages.h"

namespace weft::rete::build {

// One token of an arena. `key` is scratch space of the sort.
struct TokenRef {
  uint64_t key = 0;
  uint32_t offset = 0;
  uint32_t length_and_roles = 0;  // length << 2 | roles
  uint32_t id = 0;
  uint32_t unused = 0;
  uint32_t length() const { return length_and_roles >> 2U; }
  uint8_t roles() const { return static_cast<uint8_t>(length_and_roles & 3U); }
};

// Tokens may hold any bytes, equal ones stay in any order. Eight bytes are compared at a time, what
// a group has in common is skipped; the stack is explicit, so that no input is too deep.
void sort_tokens(std::span<TokenRef> refs, const char* arena);

}  // namespace weft::rete::build

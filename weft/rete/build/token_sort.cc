#include "weft/rete/build/token_sort.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace weft::rete::build {
namespace {

struct Group {
  size_t begin;
  size_t end;
  uint32_t depth;
};

std::string_view rest(const TokenRef& ref, const char* arena, uint32_t depth) {
  return {arena + ref.offset + depth, ref.length() - depth};
}

// Eight bytes from `depth` on, big-endian, padded with zeros.
uint64_t key_at(const TokenRef& ref, const char* arena, uint32_t depth) {
  const uint32_t left = ref.length() - depth;
  uint64_t key = 0;
  if (left >= 8) {
    std::memcpy(&key, arena + ref.offset + depth, 8);
  } else {
    std::memcpy(&key, arena + ref.offset + depth, left);
  }
  return __builtin_bswap64(key);
}

size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t end = std::min(a.size(), b.size());
  size_t at = 0;
  while (at + 8 <= end) {
    uint64_t x = 0;
    uint64_t y = 0;
    std::memcpy(&x, a.data() + at, 8);
    std::memcpy(&y, b.data() + at, 8);
    if (x != y) {
      return at + static_cast<size_t>(std::countr_zero(x ^ y)) / 8;
    }
    at += 8;
  }
  while (at < end && a[at] == b[at]) {
    ++at;
  }
  return at;
}

// How many bytes from `depth` on all of a group have in common.
uint32_t shared_depth(std::span<const TokenRef> group, const char* arena, uint32_t depth) {
  std::string_view common = rest(group[0], arena, depth);
  for (const TokenRef& ref : group.subspan(1)) {
    common = common.substr(0, common_prefix(common, rest(ref, arena, depth)));
    if (common.size() < 8) {
      break;  // not worth a look at the others
    }
  }
  return common.size() < 8 ? depth : depth + static_cast<uint32_t>(common.size());
}

// Orders a group whose members agree up to `depth`; groups that still tie go onto `stack`.
void sort_group(std::span<TokenRef> refs, const char* arena, const Group& group,
                std::vector<Group>& stack) {
  const std::span<TokenRef> part = refs.subspan(group.begin, group.end - group.begin);
  const uint32_t depth = shared_depth(part, arena, group.depth);
  for (TokenRef& ref : part) {
    ref.key = key_at(ref, arena, depth);
  }
  std::sort(part.begin(), part.end(),
            [](const TokenRef& a, const TokenRef& b) { return a.key < b.key; });
  size_t at = 0;
  while (at < part.size()) {
    size_t end = at + 1;
    while (end < part.size() && part[end].key == part[at].key) {
      ++end;
    }
    if (end - at > 1) {
      // Tokens that end within these eight bytes come first, by length: padded alike, the shorter
      // one is a prefix of the longer.
      const auto middle =
          std::partition(part.begin() + static_cast<std::ptrdiff_t>(at),
                         part.begin() + static_cast<std::ptrdiff_t>(end),
                         [depth](const TokenRef& ref) { return ref.length() - depth <= 8; });
      std::sort(part.begin() + static_cast<std::ptrdiff_t>(at), middle,
                [](const TokenRef& a, const TokenRef& b) { return a.length() < b.length(); });
      const auto first_long = static_cast<size_t>(middle - part.begin());
      if (end - first_long > 1) {
        stack.push_back({group.begin + first_long, group.begin + end, depth + 8});
      }
    }
    at = end;
  }
}

}  // namespace

void sort_tokens(std::span<TokenRef> refs, const char* arena) {
  std::vector<Group> stack;
  if (refs.size() > 1) {
    stack.push_back({0, refs.size(), 0});
  }
  while (!stack.empty()) {
    const Group group = stack.back();
    stack.pop_back();
    sort_group(refs, arena, group, stack);
  }
}

}  // namespace weft::rete::build

// Where the parts of a run lie, and what its fences say. Format: docs/formats/key-index.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/graph/key_run.h"

namespace weft::graph {

inline constexpr size_t kFenceBytes = 16;
inline constexpr size_t kFingerprintBytes = 2;
inline constexpr size_t kBlockBytes = kEntriesPerBlock * kKeyEntryBytes;
inline constexpr uint64_t kBlocksPerPageMin = 8;

// Blocks, pages, the root, one behind the other.
struct RunLayout {
  explicit RunLayout(uint64_t entry_count);

  uint64_t pages_begin() const { return entries * kKeyEntryBytes; }
  uint64_t root_begin() const {
    return pages_begin() + blocks * kFenceBytes + entries * kFingerprintBytes;
  }
  uint64_t file_bytes() const { return root_begin() + pages * kFenceBytes; }
  storage::Range block(uint64_t index) const {
    const uint64_t begin = index * kBlockBytes;
    return {begin, std::min<uint64_t>(kBlockBytes, pages_begin() - begin)};
  }
  storage::Range page(uint64_t index) const {
    const uint64_t bytes = blocks_per_page * (kFenceBytes + kEntriesPerBlock * kFingerprintBytes);
    const uint64_t begin = pages_begin() + index * bytes;
    return {begin, std::min(bytes, root_begin() - begin)};
  }
  storage::Range root() const { return {root_begin(), pages * kFenceBytes}; }
  // Pages and root.
  storage::Range tail() const { return {pages_begin(), file_bytes() - pages_begin()}; }
  size_t blocks_of_page(uint64_t index) const {
    return std::min(blocks_per_page, blocks - index * blocks_per_page);
  }

  uint64_t entries;
  uint64_t blocks;
  uint64_t blocks_per_page;
  uint64_t pages;
};

// The first eight bytes, ordered as the digests are.
uint64_t prefix_of(const codec::Digest16& digest);
// The first eight bytes of the hash of what lies below a fence.
uint64_t check_of(ByteView bytes);

struct Fence {
  uint64_t prefix = 0;  // of the first digest below
  uint64_t check = 0;
};
std::vector<Fence> parse_fences(ByteView bytes);
void append_fence(std::string& out, const codec::Digest16& first, ByteView below);
// The children that may hold a digest with this prefix: [first, second).
std::pair<size_t, size_t> children_of(const std::vector<Fence>& fences, uint64_t prefix);

// Two bytes of a digest that tell nothing of its order.
void append_fingerprint(std::string& out, const codec::Digest16& digest);
// Whether `fingerprints` has that of `digest`.
bool has_fingerprint(ByteView fingerprints, const codec::Digest16& digest);

KeyEntry entry_at(ByteView block, size_t index);

}  // namespace weft::graph

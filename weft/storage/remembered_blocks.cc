#include "weft/storage/remembered_blocks.h"

#include <algorithm>
#include <optional>

namespace weft::storage {

uint64_t remembered_block_count(uint64_t size) {
  return (size + kRememberedBlockBytes - 1) / kRememberedBlockBytes;
}

Range remembered_block(uint64_t size, uint64_t index) {
  const uint64_t offset = index * kRememberedBlockBytes;
  return {offset, std::min(kRememberedBlockBytes, size - offset)};
}

void add_blocks(const Range& range, uint64_t size, RememberedBlocks& blocks) {
  const uint64_t first = range.offset / kRememberedBlockBytes;
  const uint64_t end =
      range.size == 0 ? first : remembered_block_count(std::min(size, range.offset + range.size));
  for (uint64_t index = first; index < end; ++index) {
    const auto at =
        std::ranges::lower_bound(blocks, index, {}, &RememberedBlocks::value_type::first);
    if (at == blocks.end() || at->first != index) {
      blocks.emplace(at, index, Buffer());
    }
  }
}

MissingBlocks find_blocks(ObjectMemory& memory, const ObjectMemory::Known& object,
                          RememberedBlocks& blocks) {
  MissingBlocks missing;
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::optional<Buffer> found = memory.block(object, blocks[i].first);
    if (found.has_value()) {
      blocks[i].second = *std::move(found);
      continue;
    }
    const Range range = remembered_block(object.size, blocks[i].first);
    if (!missing.ranges.empty() &&
        missing.ranges.back().offset + missing.ranges.back().size == range.offset) {
      missing.ranges.back().size += range.size;
    } else {
      missing.ranges.push_back(range);
    }
    missing.blocks.push_back(i);
    missing.bytes += range.size;
  }
  return missing;
}

void take_blocks(ObjectMemory& memory, const ObjectMemory::Known& object,
                 const MissingBlocks& missing, std::span<const Buffer> read, bool remembers,
                 RememberedBlocks& blocks) {
  size_t at = 0;
  for (const size_t i : missing.blocks) {
    const Range range = remembered_block(object.size, blocks[i].first);
    at += range.offset >= missing.ranges[at].offset + missing.ranges[at].size ? 1 : 0;
    blocks[i].second = read[at].slice(range.offset - missing.ranges[at].offset, range.size);
    if (remembers) {
      memory.insert_block(object, blocks[i].first, blocks[i].second.view());
    }
  }
}

Buffer join_blocks(const Range& range, const RememberedBlocks& blocks) {
  if (range.size == 0) {
    return {};
  }
  const uint64_t first = range.offset / kRememberedBlockBytes;
  auto at = std::ranges::lower_bound(blocks, first, {}, &RememberedBlocks::value_type::first);
  const uint64_t skip = range.offset - first * kRememberedBlockBytes;
  if (skip + range.size <= at->second.size()) {
    return at->second.slice(skip, range.size);
  }
  Bytes joined;
  joined.reserve(range.size);
  for (uint64_t from = skip; joined.size() < range.size; ++at, from = 0) {
    const uint64_t count = std::min<uint64_t>(at->second.size() - from, range.size - joined.size());
    const ByteView part = at->second.view().subspan(from, count);
    joined.insert(joined.end(), part.begin(), part.end());
  }
  return Buffer::from(std::move(joined));
}

}  // namespace weft::storage

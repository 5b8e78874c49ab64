#include "weft/rete/build/directory_leaves.h"

#include <algorithm>

#include "weft/codec/varint.h"
#include "weft/rete/format.h"

namespace weft::rete::build {
namespace {

constexpr uint64_t kRootBudgetBytes = 40960;
// The budget is computed as if the file had this many sections.
constexpr uint64_t kBudgetSections = 12;

}  // namespace

LeafBlocks cut_leaves(size_t entry_count, uint64_t target, const EncodeEntries& encode,
                      const BlockCodec& codec) {
  LeafBlocks result;
  std::string raw;
  std::string stored;
  size_t begin = 0;
  uint64_t sum = 0;
  for (size_t entry = 0; entry < entry_count; ++entry) {
    raw.clear();
    encode(entry, entry + 1, raw);
    sum += raw.size();
    if (sum < target && entry + 1 < entry_count) {
      continue;
    }
    raw.clear();
    encode(begin, entry + 1, raw);
    codec.store(as_bytes(raw), stored);
    result.raw_max = std::max<uint64_t>(result.raw_max, raw.size());
    result.leaves.push_back({begin, entry + 1 - begin, result.blocks.size(), stored.size()});
    result.blocks += stored;
    begin = entry + 1;
    sum = 0;
  }
  return result;
}

void encode_chunk_entries(std::span<const ChunkEntry> entries, std::string& raw) {
  uint64_t previous_run = 0;
  for (const ChunkEntry& entry : entries) {
    codec::append_varint(raw, entry.first_run - previous_run);
    codec::append_length_prefixed(raw, entry.key);
    codec::append_varint(raw, entry.stored_bytes);
    previous_run = entry.first_run;
  }
}

void encode_tile_entries(std::span<const TileSummary> entries, std::string& raw) {
  uint32_t previous_a = 0;
  for (const TileSummary& tile : entries) {
    codec::append_varint(raw, tile.first_a - previous_a);
    codec::append_varint(raw, tile.last_a - tile.first_a);
    codec::append_varint(raw, tile.stored_bytes);
    previous_a = tile.first_a;
  }
  for (const TileSummary& tile : entries) {
    codec::append_varint(raw, tile.b_min);
    codec::append_varint(raw, tile.b_max - tile.b_min);
    codec::append_varint(raw, tile.c_min);
    codec::append_varint(raw, tile.c_max - tile.c_min);
  }
}

void encode_quad_tile_entries(std::span<const TileSummary> entries, std::string& raw) {
  if (entries.empty()) {
    return;
  }
  uint32_t previous_g = 0;
  uint64_t expected = entries.front().offset;
  for (const TileSummary& tile : entries) {
    codec::append_varint(raw, tile.first_g - previous_g);
    codec::append_varint(raw, tile.first_a);
    codec::append_varint(raw, tile.last_g - tile.first_g);
    codec::append_varint(raw, tile.last_a);
    codec::append_varint(raw, tile.stored_bytes << 1U | (tile.is_raw ? 1U : 0U));
    codec::append_varint(raw, tile.b_min);
    codec::append_varint(raw, tile.b_max - tile.b_min);
    codec::append_varint(raw, tile.c_min);
    codec::append_varint(raw, tile.c_max - tile.c_min);
    codec::append_varint(raw, tile.offset == expected ? 0 : tile.offset + 1);
    expected = tile.offset + tile.stored_bytes;
    previous_g = tile.first_g;
  }
}

Result<std::string> fit_root(std::span<DirectoryGroup> groups,
                             const std::function<std::vector<UnitRoot>()>& make_units,
                             const BlockCodec& codec) {
  for (DirectoryGroup& group : groups) {
    WEFT_TRY(group.result, group.cut(group.target));
  }
  std::string stored;
  while (true) {
    std::string raw;
    for (const UnitRoot& unit : make_units()) {
      raw.push_back(static_cast<char>(unit.tag));
      codec::append_length_prefixed(raw, unit.payload);
    }
    codec.store(as_bytes(raw), stored);
    const uint64_t root_bytes = 2 + kBudgetSections * kSectionEntryBytes6 + 4 + stored.size();
    DirectoryGroup* largest = nullptr;
    for (DirectoryGroup& group : groups) {
      if (largest == nullptr || group.result.leaves.size() >= largest->result.leaves.size()) {
        largest = &group;
      }
    }
    if (root_bytes <= kRootBudgetBytes || largest == nullptr ||
        largest->result.leaves.size() <= 1) {
      if (raw.size() > kUnitRootsBytesMax) {
        return Error(ErrorKind::kLimit, "the directory roots are too long for the format")
            .with("bytes", raw.size())
            .with("limit_bytes", kUnitRootsBytesMax);
      }
      return stored;
    }
    largest->target *= 2;
    WEFT_TRY(largest->result, largest->cut(largest->target));
  }
}

}  // namespace weft::rete::build

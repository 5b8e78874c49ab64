// Cuts the directories of a segment into leaf blocks, so that the root block stays small: the
// writer's leaf rule and root budget. Format: docs/formats/rete.md, "Leaf rule" and "Root budget".
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/rete/build/block_codec.h"
#include "weft/rete/build/dictionary_writer.h"
#include "weft/rete/build/tile_encoder.h"

namespace weft::rete::build {

struct Leaf {
  uint64_t first = 0;  // entry
  uint64_t count = 0;
  uint64_t offset = 0;  // of the stored block among its group's
  uint64_t bytes = 0;
};

struct LeafBlocks {
  std::vector<Leaf> leaves;
  std::string blocks;  // stored, one after the other
  uint64_t raw_max = 0;
};

// Encodes entries [begin, end) as one raw leaf block, appended to the string.
using EncodeEntries = std::function<void(size_t begin, size_t end, std::string& raw)>;

// Entries are added up by their size as a leaf of one; the entry that reaches `target` closes its
// leaf.
LeafBlocks cut_leaves(size_t entry_count, uint64_t target, const EncodeEntries& encode,
                      const BlockCodec& codec);

void encode_chunk_entries(std::span<const ChunkEntry> entries, std::string& raw);
void encode_tile_entries(std::span<const TileSummary> entries, std::string& raw);
void encode_quad_tile_entries(std::span<const TileSummary> entries, std::string& raw);

// One directory of the file, to be cut again with a larger target if the root gets too long.
struct DirectoryGroup {
  using Cut = std::function<Result<LeafBlocks>(uint64_t target)>;
  explicit DirectoryGroup(Cut how) : cut(std::move(how)) {}

  Cut cut;
  uint64_t target = kLeafTargetBytes;
  LeafBlocks result;

  static constexpr uint64_t kLeafTargetBytes = 16384;
};

struct UnitRoot {
  uint8_t tag = 0;
  std::string payload;
};

// Cuts all groups so that the unit roots, made by `make_units` from the groups' results and stored,
// fit the root budget if they can. Returns the stored unit roots. `groups` are in the sequence that
// decides between equals: of the groups with most leaves the last one is cut coarser.
// Errors: kLimit if the raw unit roots exceed the format's limit.
Result<std::string> fit_root(std::span<DirectoryGroup> groups,
                             const std::function<std::vector<UnitRoot>()>& make_units,
                             const BlockCodec& codec);

}  // namespace weft::rete::build

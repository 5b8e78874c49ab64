// The list of named graphs: ids and quad counts in blocks, with an index of the blocks in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/block_cache.h"
#include "weft/rete/format.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

// The place of a directory block of the graph list, and the list's totals.
struct GraphIndex {
  struct Block {
    uint32_t first_graph = 0;
    storage::Range stored;
    bool is_raw = false;
  };
  uint64_t graph_count = 0;
  uint64_t quad_count = 0;
  uint64_t block_graphs = 0;  // graphs per block
  std::vector<Block> blocks;
  Codec codec = Codec::kNone;
  uint64_t raw_bytes_max = 0;

  uint64_t graphs_in(size_t block) const;
  // Index of the block a graph would be in; blocks.size() if it lies before all.
  size_t block_of(uint32_t graph) const;
};

// `p0` is the block index, `blocks` the region of the blocks. Errors: kCorrupt with fact
// "reason".
Status parse_graph_blocks(std::string_view p0, storage::Range blocks, uint32_t graph_limit,
                          GraphIndex& index);

// One decoded block: graphs strictly ascending, none without quads.
class GraphBlock final : public CachedBlock {
 public:
  struct Entry {
    uint32_t graph = 0;
    uint64_t quad_count = 0;
  };
  // Errors: kCorrupt with fact "reason".
  static Result<std::shared_ptr<const GraphBlock>> from_raw(std::string_view raw,
                                                            const GraphIndex& index, size_t block,
                                                            uint32_t graph_limit);
  size_t memory_bytes() const override {
    return sizeof(*this) + entries_.capacity() * sizeof(Entry);
  }
  const std::vector<Entry>& entries() const { return entries_; }
  // 0 if the graph is not listed.
  uint64_t quads_in(uint32_t graph) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace weft::rete

// What the pages of one leaf column give for some rows: values, and the levels that say how they
// nest. Pages leave out layers' nulls that they do not have, so levels are renumbered to one
// numbering per column: every item layer nullable, every list layer nullable and perhaps empty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/type.h"
#include "weft/lance/layout/encoding.h"
#include "weft/lance/read/block_decoder.h"
#include "weft/lance/read/leaf_values.h"

namespace weft::lance::read {

// The layers above a leaf, from the inside out.
struct LeafPath {
  columns::TypePtr type;  // of the leaf
  LeafShape shape;
  std::vector<bool> layer_is_list;  // the leaf's own item layer first

  unsigned list_count() const;
  // In the common numbering: the greatest definition level that has a value slot.
  unsigned visible_max() const;
};
// Appends the paths of all leaves of a top-level type, in the order of the file's columns. Errors:
// kUnsupported; kLimit beyond layout::kLayersMax.
Status append_leaf_paths(const columns::TypePtr& type, std::vector<LeafPath>& out);

// From the levels of one page to those of the column.
class LevelMap {
 public:
  // Errors: kCorrupt if the layers of the page are not those of the column.
  static Result<LevelMap> make(const LeafPath& path, const std::vector<layout::Layer>& layers);

  unsigned list_count() const { return list_count_; }
  // In the page's numbering.
  unsigned visible_max() const { return visible_max_; }
  bool is_identity() const { return is_identity_; }
  const std::vector<uint16_t>& table() const { return table_; }

 private:
  unsigned list_count_ = 0;
  unsigned visible_max_ = 0;
  bool is_identity_ = true;
  std::vector<uint16_t> table_;
};

struct LeafOutput {
  LeafOutput(const LeafPath& path, ReadMemory* read_memory)
      : values(path.shape, read_memory), memory(read_memory) {}

  LeafValues values;
  Levels repetition;  // empty if the column has no list layer
  Levels definition;  // empty as long as all are 0
  uint64_t event_count = 0;
  ReadMemory* memory;

  // `count` events of a page; `definition_levels` may be empty: all 0. Errors: kCorrupt if a level
  // is none of the page's; kLimit.
  Status append_levels(const LevelMap& map, std::span<const uint16_t> repetition_levels,
                       std::span<const uint16_t> definition_levels, uint64_t count);
  // `count` events of the same definition level of the common numbering, without repetition.
  Status append_level_run(uint16_t level, uint64_t count);
};

}  // namespace weft::lance::read

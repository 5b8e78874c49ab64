// Many look-ups in one order, each for the rows of one pattern: what a join by index does thousands
// of times.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "weft/base/result.h"
#include "weft/rete/block_loader.h"
#include "weft/rete/scan.h"
#include "weft/rete/tile_walk.h"

namespace weft::rete {

// Remembers the leaf and the tile of the last look-up, so that neighbours cost no search of the
// cache. Not thread-safe. What is given must outlive it.
class TileLookup {
 public:
  TileLookup(BlockLoader& loader, const TileDirectory& directory, rdf::Permutation permutation,
             const TermCounts& counts)
      : loader_(loader),
        directory_(directory),
        columns_(rdf::positions(permutation)),
        counts_(counts) {}

  // Appends the rows that pass `filter`, which binds the leading column and one graph. False, with
  // nothing appended, if there are more rows to look at than `rows_max`. Errors: those of a scan.
  Result<bool> append(const RowFilter& filter, size_t rows_max, LocalBatch& rows,
                      const std::stop_token& stop);

 private:
  Status move_to_leaf(size_t leaf, const std::stop_token& stop);
  Status move_to_tile(const TileEntry& entry, const std::stop_token& stop);
  // Where to begin in the loaded leaf.
  size_t first_entry(const RowFilter& filter) const;
  bool append_tile(const RowFilter& filter, size_t rows_end, LocalBatch& rows) const;

  BlockLoader& loader_;
  const TileDirectory& directory_;
  std::array<rdf::Position, 3> columns_;
  const TermCounts& counts_;
  size_t leaf_index_ = SIZE_MAX;
  std::shared_ptr<const TileLeaf> leaf_;
  storage::Range tile_place_;
  std::shared_ptr<const Tile> tile_;
};

}  // namespace weft::rete

// Many look-ups in one order, each for the rows of one pattern: what a join by index does thousands
// of times, and a property path step by step.
//
// What the last look-up found is where the next one begins. If the tile at hand must hold all rows
// that are wanted, neither the directory nor the cache is asked; within the tile, a place near the
// last one is found without a search.
//
// P1  At most one leaf and one tile are held, whether or not the cache has dropped them: that much
//     beyond its budget for each object of this class.
// P2  The rows depend on the pattern alone, not on what was asked before; so does an error, but for
//     damage of a tile without a wanted row, which is read only at the border of two leaves. After
//     an error any pattern may be asked, the same one again included.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "weft/base/result.h"
#include "weft/rete/block_loader.h"
#include "weft/rete/scan.h"
#include "weft/rete/tile_walk.h"

namespace weft::rete {

// Not thread-safe. What is given must outlive it.
class TileLookup {
 public:
  TileLookup(BlockLoader& loader, const TileDirectory& directory, rdf::Permutation permutation,
             const TermCounts& counts)
      : loader_(loader),
        directory_(directory),
        columns_(rdf::positions(permutation)),
        counts_(counts) {}

  const TileDirectory& directory() const { return directory_; }

  // Appends the rows that pass `filter`, which binds the leading column and one graph. False, with
  // nothing appended, if there are more rows to look at than `rows_max`. Errors: those of a scan.
  Result<bool> append(const RowFilter& filter, size_t rows_max, LocalBatch& rows,
                      const std::stop_token& stop);

 private:
  // Whether all rows of the tile that the filter's prefix leaves, and none of any other, are in the
  // tile at hand: the prefix lies between its first and its last row.
  bool tile_holds_all(const RowFilter& filter) const;
  Status move_to_leaf(size_t leaf, const std::stop_token& stop);
  Status move_to_tile(const TileEntry& entry, const std::stop_token& stop);
  // Where to begin in the loaded leaf.
  size_t first_entry(const RowFilter& filter) const;
  Result<bool> append_tiles(const RowFilter& filter, size_t rows_end, LocalBatch& rows,
                            const std::stop_token& stop);
  // From the tile at hand. False, with rows of it missing, if they go beyond `rows_end`.
  bool append_tile(const RowFilter& filter, size_t rows_end, LocalBatch& rows);

  BlockLoader& loader_;
  const TileDirectory& directory_;
  std::array<rdf::Position, 3> columns_;
  const TermCounts& counts_;
  size_t leaf_index_ = SIZE_MAX;
  std::shared_ptr<const TileLeaf> leaf_;
  storage::Range tile_place_;
  std::shared_ptr<const Tile> tile_;
  // Where the last rows of the tile at hand were found; SIZE_MAX: nowhere yet.
  size_t run_index_ = SIZE_MAX;
  TileCursor cursor_;
};

}  // namespace weft::rete

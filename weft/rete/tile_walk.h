// Enumerates the tiles of one directory that may hold rows of a pattern, in order, leaf by leaf;
// and loads them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/block_loader.h"
#include "weft/rete/tile.h"
#include "weft/rete/tile_directory.h"

namespace weft::rete {

// What rows are wanted, in the columns of a permutation, as stored role ids; 0 stands for any.
struct RowFilter {
  uint32_t graph = 0;      // of directories of quads only
  bool any_graph = false;  // all graphs of a directory of quads
  std::array<uint32_t, 3> columns{};

  // How many leading columns are bound.
  size_t prefix() const {
    return columns[0] == 0 ? 0 : columns[1] == 0 ? 1 : columns[2] == 0 ? 2 : 3;
  }
  // True if rows within the prefix still have to be looked at.
  bool needs_look() const {
    const size_t bound =
        (columns[0] != 0 ? 1U : 0U) + (columns[1] != 0 ? 1U : 0U) + (columns[2] != 0 ? 1U : 0U);
    return bound != prefix();
  }
  GroupKey lowest() const { return {graph, columns[0]}; }
  GroupKey highest() const {
    return {any_graph ? 0xFFFF'FFFF : graph,
            any_graph || columns[0] == 0 ? 0xFFFF'FFFF : columns[0]};
  }
  bool may_hold(const TileZone& zone) const;
};

// Whether all rows of a tile are before, or none is before, `row` of `graph`, as far as the
// directory tells: false is no proof of the contrary.
bool ends_before(const TileEntry& entry, uint32_t graph, const TileRow& row);
bool begins_behind(const TileEntry& entry, uint32_t graph, const TileRow& row);

using TileLeaves = std::vector<std::shared_ptr<const TileLeaf>>;
Result<TileLeaves> load_tile_leaves(BlockLoader& loader, const TileDirectory& directory,
                                    std::span<const size_t> leaves, const std::stop_token& stop);
// One of them: the shortest way to a leaf that is kept or in the cache.
Result<std::shared_ptr<const TileLeaf>> load_tile_leaf(BlockLoader& loader,
                                                       const TileDirectory& directory, size_t leaf,
                                                       const std::stop_token& stop);

using Tiles = std::vector<std::shared_ptr<const Tile>>;
// A tile that is wanted from one of several directories.
struct TileRequest {
  const TileDirectory* directory = nullptr;
  TileEntry entry;
};
Result<Tiles> load_tiles(BlockLoader& loader, std::span<const TileRequest> requests, bool keep,
                         const std::stop_token& stop);
// One of them: the shortest way to a tile that is in the cache; it is kept there.
Result<std::shared_ptr<const Tile>> load_tile(BlockLoader& loader, const TileDirectory& directory,
                                              const TileEntry& entry, const std::stop_token& stop);

// Indexes of the leaves of `directory` between the two keys: [first, second).
std::pair<size_t, size_t> leaf_range(const TileDirectory& directory, GroupKey low, GroupKey high);

// Not thread-safe. Loader and directory must outlive it.
class TileWalk {
 public:
  TileWalk(BlockLoader& loader, const TileDirectory& directory, const RowFilter& filter);

  // Appends at most `count_max` tiles; none at the end.
  Status next(size_t count_max, std::vector<TileEntry>& entries, const std::stop_token& stop);
  // Tiles that end before `row` of `graph` are passed over. Only forward.
  void skip_to(uint32_t graph, const TileRow& row);
  // Tiles with no row before `row` of `graph` are not listed any more.
  void stop_before(uint32_t graph, const TileRow& row) { high_ = {graph, row}; }

 private:
  BlockLoader& loader_;
  const TileDirectory& directory_;
  RowFilter filter_;
  struct Place {
    uint32_t graph = 0;
    TileRow row;
    GroupKey group() const { return {graph, row.a}; }
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  Place low_;
  std::optional<Place> high_;
  size_t leaf_ = 0;
  size_t leaf_end_ = 0;
  size_t entry_ = 0;
  std::shared_ptr<const TileLeaf> loaded_;
};

}  // namespace weft::rete

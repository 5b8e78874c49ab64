// Turns a sorted stream of rows into stored tiles: cut in order, encoded and compressed side by
// side, appended in order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/spool.h"
#include "weft/rete/build/tile_cutter.h"
#include "weft/rete/build/tile_encoder.h"

namespace weft::rete::build {

// The tiles of one order.
struct TileOrder {
  TileOrder(rdf::Permutation order, const BuildSpace& space)
      : permutation(order), data(space.scratch, space.spools) {}
  rdf::Permutation permutation;
  std::vector<TileSummary> tiles;
  Spool data;
};

// Encodes the tiles that `cuts` ends side by side, appends them to `order` and drops their rows.
// `encode` is called with (rows, raw scratch space, stored bytes, summary).
template <size_t N, typename Encode>
Status store_tiles(std::vector<Row<N>>& rows, const std::vector<size_t>& cuts,
                   const BuildSpace& space, TileOrder& order, const Encode& encode) {
  if (cuts.empty()) {
    return ok_status();
  }
  struct Encoded {
    std::string stored;
    TileSummary summary;
  };
  std::vector<Encoded> encoded(cuts.size());
  const std::span<const Row<N>> all(rows);
  WEFT_TRY_STATUS(space.executor.for_each(
      cuts.size(),
      [&](size_t index) {
        const size_t begin = index == 0 ? 0 : cuts[index - 1];
        std::string raw;
        encode(all.subspan(begin, cuts[index] - begin), raw, encoded[index].stored,
               encoded[index].summary);
        return ok_status();
      },
      space.stop));
  for (Encoded& tile : encoded) {
    tile.summary.stored_bytes = tile.stored.size();
    WEFT_TRY_STATUS(order.data.append(as_bytes(tile.stored)));
    order.tiles.push_back(tile.summary);
  }
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cuts.back()));
  return ok_status();
}

// Rows (s, p, o) of the default graph, sorted in the order's permutation. Not thread-safe.
class TripleTileWriter {
 public:
  TripleTileWriter(TileOrder& order, uint64_t tile_bytes, const BuildSpace& space)
      : order_(&order),
        columns_(triple_columns(order.permutation)),
        cutter_(tile_bytes),
        space_(&space) {}
  Status accept(std::span<const Row<3>> rows);
  Status finish();

 private:
  Status flush();
  TileOrder* order_;
  TileColumns columns_;
  TripleTileCutter cutter_;
  const BuildSpace* space_;
  std::vector<Row<3>> rows_;
};

// Rows (g, s, p, o), sorted by graph and permutation.
class QuadTileWriter {
 public:
  QuadTileWriter(TileOrder& order, uint64_t tile_bytes, const BuildSpace& space)
      : order_(&order),
        columns_(quad_columns(order.permutation)),
        cutter_(tile_bytes),
        space_(&space) {}
  Status accept(std::span<const Row<4>> rows);
  Status finish();

 private:
  Status flush();
  TileOrder* order_;
  TileColumns columns_;
  QuadTileCutter cutter_;
  const BuildSpace* space_;
  std::vector<Row<4>> rows_;
};

}  // namespace weft::rete::build

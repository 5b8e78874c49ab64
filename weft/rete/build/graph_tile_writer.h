// The tiles of named graphs as generation 5 has them: each graph by itself, in the same form as the
// default graph. Format: docs/formats/rete.md, "Generation 5".
#pragma once

#include <span>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/tile_cutter.h"
#include "weft/rete/build/tile_writer.h"

namespace weft::rete::build {

// Rows (g, s, p, o), sorted by graph and permutation. A tile never spans two graphs; first_g of its
// summary says whose it is. Not thread-safe.
class GraphTileWriter {
 public:
  GraphTileWriter(TileOrder& order, uint64_t tile_bytes, const BuildSpace& space)
      : order_(&order),
        columns_(quad_columns(order.permutation)),
        tile_bytes_(tile_bytes),
        cutter_(tile_bytes),
        space_(&space) {}
  Status accept(std::span<const Row<4>> rows);
  Status finish();

 private:
  // Ends the open tile; the rows of its graph are complete.
  void close_graph();
  Status flush();

  TileOrder* order_;
  TileColumns columns_;
  uint64_t tile_bytes_;
  TripleTileCutter cutter_;
  const BuildSpace* space_;
  std::vector<Row<4>> rows_;
  std::vector<size_t> cuts_;  // complete tiles within rows_
  size_t graph_start_ = 0;    // of the cutter's rows within rows_
  uint32_t graph_ = 0;
};

}  // namespace weft::rete::build

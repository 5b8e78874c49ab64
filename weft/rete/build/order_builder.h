// Sorts the rows of a segment into its orders and stores each as tiles: one full sort, then every
// further order from one before it. (docs/formats/segment-building.md, "Six orders from one")
#pragma once

#include <array>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/numbering.h"
#include "weft/rete/build/row_sorter.h"
#include "weft/rete/build/segment_parts.h"

namespace weft::rete::build {

// Who else wants the rows of an order, by permutation number.
template <size_t N>
using OrderListeners = std::array<std::vector<TakeRows<N>>, rdf::kPermutationCount>;

struct OrderOptions {
  bool six_permutations = true;
  uint64_t tile_bytes = 65536;
  // Byte 5: the tiles of each named graph stand alone.
  bool graphs_stand_alone = false;
};

// Fills parts.triples and parts.triple_count.
Status build_triple_orders(NumberedRows& rows, const OrderOptions& options,
                           const OrderListeners<3>& listeners, const BuildSpace& space,
                           SegmentParts& parts);

// Fills parts.quads, parts.graphs and parts.quad_count.
Status build_quad_orders(NumberedRows& rows, const OrderOptions& options,
                         const OrderListeners<4>& listeners, const BuildSpace& space,
                         SegmentParts& parts);

}  // namespace weft::rete::build

// The raw bytes of one tile. Format: docs/formats/rete.md, "Tile" and "Quad tile".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "weft/rdf/ids.h"
#include "weft/rete/build/rows.h"

namespace weft::rete::build {

// What a directory says of a tile. `g` is zero for triples.
struct TileSummary {
  uint32_t first_g = 0;
  uint32_t last_g = 0;
  uint32_t first_a = 0;
  uint32_t last_a = 0;
  uint32_t b_min = 0;
  uint32_t b_max = 0;
  uint32_t c_min = 0;
  uint32_t c_max = 0;
  uint64_t raw_bytes = 0;
  uint64_t stored_bytes = 0;
  bool is_raw = false;  // quads: stored uncompressed
  uint64_t offset = 0;  // quads: in the section
};

// Columns of a row in the order of a permutation: a, b, c.
using TileColumns = std::array<size_t, 3>;
TileColumns triple_columns(rdf::Permutation permutation);
// The same behind the graph column.
TileColumns quad_columns(rdf::Permutation permutation);

// `rows` are in the permutation's order, not empty, without duplicates. Replaces `raw`; fills the
// fields of `summary` that the rows tell.
void encode_triple_tile(std::span<const Row<3>> rows, const TileColumns& columns, std::string& raw,
                        TileSummary& summary);
// The same for rows (g, a, b, c) whose leading column is the graph; `triples_only` encodes the
// rows of one graph as a triple tile (byte 5).
void encode_quad_tile(std::span<const Row<4>> rows, const TileColumns& columns, std::string& raw,
                      TileSummary& summary);
void encode_graph_tile(std::span<const Row<4>> rows, const TileColumns& columns, std::string& raw,
                       TileSummary& summary);

}  // namespace weft::rete::build

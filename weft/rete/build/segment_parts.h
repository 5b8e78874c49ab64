// Everything a segment consists of, encoded and waiting in spools, before it is laid out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/rete/build/numbering.h"
#include "weft/rete/build/tile_writer.h"

namespace weft::rete::build {

struct GraphCount {
  uint32_t graph = 0;
  uint64_t quads = 0;
};

struct LabelParts {
  explicit LabelParts(const BuildSpace& space)
      : blocks(space.scratch, space.spools), nodes(space.scratch, space.spools) {}
  uint64_t entry_count = 0;
  uint8_t levels = 0;
  std::string root;  // stored
  Spool blocks;
  Spool nodes;
};

struct TextParts {
  explicit TextParts(const BuildSpace& space)
      : tokens(space.scratch, space.spools),
        posting_lengths(space.scratch, space.spools),
        postings(space.scratch, space.spools) {}
  std::string scope;  // encoded
  uint64_t token_count = 0;
  Spool tokens;           // length-prefixed, ascending
  Spool posting_lengths;  // varints, in the same order
  Spool postings;
};

struct SegmentParts {
  explicit SegmentParts(const BuildSpace& space) : dictionary(space) {}
  Dictionary dictionary;
  std::vector<TileOrder> triples;  // by permutation
  std::vector<TileOrder> quads;    // by permutation; byte 6
  std::vector<GraphCount> graphs;  // ascending
  uint64_t triple_count = 0;
  uint64_t quad_count = 0;
  std::string schema;  // raw; empty if there is none
  std::optional<LabelParts> labels;
  std::optional<TextParts> text;
};

}  // namespace weft::rete::build

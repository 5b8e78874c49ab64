// All quads of a segment as tokens.
#pragma once

#include <stop_token>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rete/segment.h"

namespace weft::rete {

struct DumpOptions {
  // Tokens as canonical forms; else as they are stored.
  bool canonical = true;
  bool default_graph = true;
  bool named_graphs = true;
};

// The default graph in the order subject, predicate, object of the dictionary, then each named
// graph likewise. Bounded memory; every dictionary chunk is decoded about once per million rows.
// Errors: those of the segment, those of the sink.
Status dump(Segment& segment, rdf::QuadSink& sink, const DumpOptions& options,
            std::stop_token stop);

}  // namespace weft::rete

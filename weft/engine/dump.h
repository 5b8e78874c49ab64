// All visible quads of a graph as tokens.
#pragma once

#include <stop_token>

#include "weft/base/result.h"
#include "weft/engine/graph.h"
#include "weft/rdf/quad.h"

namespace weft::engine {

// The default graph, then each named graph, each in the order SPO of the graph's ids. Bounded
// memory. Errors: those of reading, those of the sink.
Status dump(Graph& graph, rdf::QuadSink& sink, std::stop_token stop);

}  // namespace weft::engine

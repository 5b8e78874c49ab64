// All visible quads of a fold as canonical tokens.
#pragma once

#include <stop_token>

#include "weft/base/result.h"
#include "weft/quads/fold.h"
#include "weft/rdf/quad.h"

namespace weft::quads {

struct DumpFoldOptions {
  bool default_graph = true;
  bool named_graphs = true;
};

// The default graph in the order SPO of ids, then each named graph likewise. Memory is bounded by
// the overlays and a constant; every dictionary chunk of the base is decoded about once per 128 Ki
// rows. Errors: those of the fold, those of the sink.
Status dump_fold(Fold& fold, rdf::QuadSink& sink, const DumpFoldOptions& options,
                 std::stop_token stop);

// Turns rows of ids into views of tokens, many at once. Not thread-safe.
class TokenRows {
 public:
  explicit TokenRows(Fold& fold) : fold_(fold) {}
  struct Row {
    rdf::TermId subject, predicate, object, graph;  // graph kNoTerm: the default graph
  };
  // Views into this object, valid until the next call.
  Result<std::span<const rdf::QuadView>> name(std::span<const Row> rows, std::stop_token stop);

 private:
  Fold& fold_;
  std::vector<rdf::TermId> ids_;
  rete::TokenTable tokens_;
  std::vector<rdf::QuadView> quads_;
};

}  // namespace weft::quads

// Runs the operations of a SPARQL Update request on a draft.
#pragma once

#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/engine/live_graph.h"
#include "weft/exec/query.h"
#include "weft/quads/fold_draft.h"
#include "weft/sparql/update.h"

namespace weft::engine {

// All operations in order, each on what the ones before made of `draft`. After an error the draft
// is of no use. `query` gives budget, clock, random numbers; its stop and timeout bound the whole.
// Errors: kAlreadyExists (CREATE), kNotFound (the source of COPY, MOVE, ADD), kDenied (LOAD), those
// of queries and of the draft.
Status run_update(sparql::Update request, quads::FoldDraft& draft, const UpdateOptions& options,
                  const exec::QueryOptions& query);

// All quads of one graph ("" is the default graph, else a token) to `sink`.
Status graph_quads(quads::Fold& fold, std::string_view graph, rdf::QuadSink& sink,
                   std::stop_token stop);
// Whether `graph` (a token) has quads.
Result<bool> has_graph(quads::Fold& fold, std::string_view graph, std::stop_token stop);

// Inserts what `input` says into the draft, with labels of blank nodes that nothing else has; all
// into `graph` (a token, "" the default graph) unless it is nullopt.
Status insert_document(codec::InputStream& input, rdfio::Format format, const std::string& base_iri,
                       const std::string& name, const std::optional<std::string>& graph,
                       base::Random& random, rdf::QuadSink& sink, std::stop_token stop);

}  // namespace weft::engine

// The quads that one operation of SPARQL Update deletes and inserts; the caller applies them.
//
// Runs over one immutable state: nothing that an operation does is seen by itself, so quads may be
// handed on while solutions still come. A quad may come more than once. Templates with an unbound
// variable, or that would not be RDF, give no quad for that solution (SPARQL 1.1 Update §3.1.3).
// Not thread-safe.
#pragma once

#include "weft/base/result.h"
#include "weft/exec/query.h"
#include "weft/rdf/quad.h"
#include "weft/sparql/update.h"

namespace weft::exec {

// Takes the solutions of `modify.where` over `source` (which is taken out of `modify`) and fills
// both templates for each; either sink may get quads at any time. Errors: those of prepare() and of
// the query, and of the sinks.
Status run_modify(sparql::Modify modify, QuadSource& source, const QueryOptions& options,
                  rdf::QuadSink& deletes, rdf::QuadSink& inserts);

// The quads of INSERT DATA and DELETE DATA, in batches; blank nodes get labels that nothing else
// has, from `random`.
Status instantiate(const sparql::InsertData& data, base::Random& random, rdf::QuadSink& sink);
Status instantiate(const sparql::DeleteData& data, rdf::QuadSink& sink);

}  // namespace weft::exec

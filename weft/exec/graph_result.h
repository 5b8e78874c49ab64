// CONSTRUCT and DESCRIBE: solutions to triples.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/exec/execution.h"
#include "weft/exec/key_table.h"
#include "weft/exec/operators/operator.h"
#include "weft/rdf/quad.h"
#include "weft/sparql/algebra.h"

namespace weft::exec {

// Fills the template for every solution: blank nodes are new for each, triples that would be
// ill-formed or have an unbound part are left out (SPARQL 1.1 §16.2).
Status construct(const sparql::Query& query, Operator& solutions, Execution& execution,
                 rdf::QuadSink& sink);

// The concise bounded description of every resource: its triples, and those of the blank nodes they
// lead to, from the default graph.
Status describe(const sparql::Query& query, Operator& solutions, Execution& execution,
                rdf::QuadSink& sink);

// Which triples have come already, as long as they fit in a quarter of the budget. Not thread-safe.
class SeenTriples {
 public:
  explicit SeenTriples(base::MemoryBudget* budget);
  // keep[i] becomes 0 for a triple (columns of equal length) that came before.
  Status select_new(std::span<const Column* const> columns, size_t rows,
                    std::vector<uint8_t>& keep);

 private:
  KeyTable table_;
  size_t keys_max_;
  bool full_ = false;
  std::vector<uint32_t> numbers_;
};

}  // namespace weft::exec

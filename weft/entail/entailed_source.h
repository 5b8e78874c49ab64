// A graph with all that follows from it: what `--entail rdfs` asks.
//
// Answers are those of the SPARQL 1.1 entailment regimes, over the finite part of what follows: a
// pattern matches each entailed triple once. Each scan is rewritten into scans of the graph, with
// the schema closed beforehand (derived_rows.h); stated rows are streamed, those that follow are
// gathered within the budget and merged in. Axiomatic triples stand in the default graph; what
// follows from a named graph stands in it, and the schema of all graphs holds in each.
//
// E1  Nothing that is not entailed, nothing twice.  (test: EntailedSource, against the rules by
//     themselves, run to their end over random graphs)
// Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/budget.h"
#include "weft/entail/derived_rows.h"
#include "weft/entail/regime.h"
#include "weft/entail/schema.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/union_source.h"
#include "weft/exec/vector_source.h"

namespace weft::entail {

class EntailedSource final : public exec::QuadSource {
 public:
  // Reads the schema. `source` and `budget` must outlive it; `interrupt` bounds reading, and
  // gathering later. Errors: those of Schema::read.
  static Result<std::unique_ptr<EntailedSource>> create(
      Regime regime, exec::QuadSource& source, base::MemoryBudget* budget,
      exec::Interrupt interrupt = exec::Interrupt({}, nullptr, 0));

  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override;
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override;
  bool has_order(rdf::Permutation permutation) const override;
  bool is_remote() const override { return stated_->is_remote(); }
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids) override;
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) override;
  Result<std::unique_ptr<exec::QuadCursor>> scan(const rdf::IdPattern& pattern,
                                                 rdf::Permutation permutation,
                                                 std::stop_token stop) override;
  Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override;
  Result<std::vector<rdf::TermId>> graphs() override;

 private:
  EntailedSource() = default;

  base::MemoryBudget* budget_ = nullptr;
  std::unique_ptr<exec::VectorSource> axioms_;
  std::unique_ptr<exec::UnionSource> stated_;  // the graph and the axioms
  Schema schema_;
  std::unique_ptr<DerivedRows> derived_;
};

}  // namespace weft::entail

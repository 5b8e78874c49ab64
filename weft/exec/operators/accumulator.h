// The aggregates of all groups of one GROUP BY: one accumulator per aggregate, one entry per group.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/exec/evaluator.h"
#include "weft/exec/execution.h"
#include "weft/exec/key_table.h"
#include "weft/exec/row_batch.h"
#include "weft/plan/plan.h"

namespace weft::exec {

// Not thread-safe. All given must outlive it.
class Accumulator {
 public:
  // `is_part`: it will be put together with others (add_part).
  Accumulator(const plan::GroupRows::Aggregate& aggregate, Execution& execution, bool is_part);
  // `columns` are those of the rows.
  Status prepare(const plan::VariableList& columns);

  // Adds all rows: groups[row] is the number of the row's group. An error of the argument makes
  // SUM, AVG, MIN, MAX and GROUP_CONCAT of its group an error; COUNT and SAMPLE pass over it.
  Status add(const RowBatch& batch, const std::vector<uint32_t>& groups, size_t group_count);
  // The result of a group; kNoTerm is an error.
  Result<rdf::TermId> result(size_t group);
  Status grow(size_t group_count);

  // A part that met a value whose sum depends on the order of rows (xsd:double, xsd:float): it is
  // of no use, add all rows to one accumulator instead.
  bool needs_order() const { return needs_order_; }
  // Adds the aggregates of another's groups: its group g is `numbers[g]` here. `import` makes ids
  // of its execution ids of this one's. Not for SAMPLE, GROUP_CONCAT, and SUM and AVG of DISTINCT.
  Status add_part(const Accumulator& part, const std::vector<uint32_t>& numbers,
                  const std::function<Status(Column&)>& import);

 private:
  struct State {
    uint64_t count = 0;
    rdf::TermId id = rdf::kNoTerm;  // MIN, MAX, SAMPLE
    rdf::Value value;               // SUM, AVG: the sum; MIN, MAX: the best so far
    std::string text;               // GROUP_CONCAT
    bool failed = false;
  };
  Status select_new(const RowBatch& batch, const std::vector<uint32_t>& groups);
  Status add_value(State& state, size_t row);
  Status add_sum(State& state, const rdf::Value& value);
  Status add_extreme(State& state, const rdf::Value& value, size_t row);
  bool precedes(rdf::TermId a, rdf::TermId b) const;
  Status add_different(const Accumulator& part, const std::vector<uint32_t>& numbers,
                       const std::function<Status(Column&)>& import);
  Status add_text(State& state, const Cell& cell);

  const sparql::Aggregate& definition_;
  const plan::VariableList& counted_;
  Execution& execution_;
  std::unique_ptr<Evaluator> argument_;
  bool is_part_;
  bool needs_order_ = false;
  bool by_id_ = false;  // a variable whose value does not matter
  std::vector<size_t> counted_columns_;
  std::unique_ptr<KeyTable> seen_;  // DISTINCT: (group, terms)
  std::vector<uint8_t> wanted_;     // by row of the batch
  std::vector<uint32_t> numbers_;
  MemoryCharge charge_;
  uint64_t text_bytes_ = 0;
  std::vector<State> states_;
};

}  // namespace weft::exec

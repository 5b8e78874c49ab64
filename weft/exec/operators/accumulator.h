// The aggregates of all groups of one GROUP BY: one accumulator per aggregate, one entry per group.
#pragma once

#include <cstdint>
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
  Accumulator(const plan::GroupRows::Aggregate& aggregate, Execution& execution);
  // `columns` are those of the rows.
  Status prepare(const plan::VariableList& columns);

  // Adds all rows: groups[row] is the number of the row's group. An error of the argument makes
  // SUM, AVG, MIN, MAX and GROUP_CONCAT of its group an error; COUNT and SAMPLE pass over it.
  Status add(const RowBatch& batch, const std::vector<uint32_t>& groups, size_t group_count);
  // The result of a group; kNoTerm is an error.
  Result<rdf::TermId> result(size_t group);
  Status grow(size_t group_count);

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
  Status add_text(State& state, const Cell& cell);

  const sparql::Aggregate& definition_;
  const plan::VariableList& counted_;
  Execution& execution_;
  std::unique_ptr<Evaluator> argument_;
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

// EXISTS { … } for the rows of a batch: the pattern's plan is run once for each different row of
// the variables it mentions, up to its first solution; answers are kept. Included by the evaluator
// only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weft/exec/evaluator.h"
#include "weft/exec/key_table.h"
#include "weft/exec/memory_charge.h"
#include "weft/plan/plan.h"

namespace weft::exec {

class Evaluator::ExistsCondition {
 public:
  // For rows with `columns`. Without a plan in `execution` it has no answer yet.
  ExistsCondition(const sparql::Expression::Exists& exists, const plan::VariableList& columns,
                  Execution& execution);

  // Answers for the rows of `batch` with keep[row] != 0, or all.
  Status run(const RowBatch& batch, const std::vector<uint8_t>* keep);
  // Negated for NOT EXISTS.
  bool answer(size_t row) const { return (answers_[row] != 0) != negated_; }

 private:
  Result<bool> matches(uint32_t key);

  Execution& execution_;
  const plan::ExistsPlan* plan_ = nullptr;
  bool negated_;
  std::vector<size_t> columns_;  // of the plan's keys; kNoColumn: unbound
  std::unique_ptr<KeyTable> keys_;
  MemoryCharge known_charge_;
  std::vector<uint8_t> known_;    // by key: 0 no, 1 yes, 2 not asked
  std::vector<uint8_t> answers_;  // by row of the batch
  RowBatch row_;                  // what the plan is run for
};

}  // namespace weft::exec

// The groups of one GROUP BY, in the order in which they appeared, and their aggregates.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "weft/exec/evaluator.h"
#include "weft/exec/execution.h"
#include "weft/exec/key_table.h"
#include "weft/exec/operators/accumulator.h"
#include "weft/exec/row_batch.h"
#include "weft/plan/plan.h"

namespace weft::exec {

// Not thread-safe. The node (a GroupRows) and the execution must outlive it.
class GroupTable {
 public:
  GroupTable(const plan::PlanNode& node, Execution& execution);
  // `is_part`: its groups will be put together with others' (Accumulator::needs_order).
  Status prepare(bool is_part);

  // Rows have the columns of the node's input.
  Status add(const RowBatch& batch);
  size_t size() const { return table_.size(); }
  bool needs_order() const;

  // --- Putting parts together. `import` makes ids of the part's execution ids of this one's.
  using Import = std::function<Status(Column&)>;
  // Adds groups [begin, end) of `part`, those that are new behind all others; appends to `numbers`
  // what they are here.
  Status add_groups(const GroupTable& part, size_t begin, size_t end, const Import& import,
                    std::vector<uint32_t>& numbers);
  // Adds the aggregates of all groups of `part`; `numbers` are from add_groups, for all of them.
  Status add_aggregates(GroupTable& part, const std::vector<uint32_t>& numbers,
                        const Import& import);

  // After the last row: how many groups there are. Without keys there is one, also of nothing.
  Result<size_t> finish();
  // Groups [begin, begin + count), in the columns of the node.
  Status read(size_t begin, size_t count, RowBatch& out);

 private:
  Status number_groups(const RowBatch& batch, std::vector<uint32_t>& groups);
  Status read_column(plan::Variable variable, size_t begin, size_t count, Column& column);

  const plan::PlanNode& node_;
  const plan::GroupRows& group_;
  const plan::VariableList& input_columns_;
  Execution& execution_;
  KeyTable table_;
  std::unique_ptr<Evaluator> keys_;
  std::vector<std::unique_ptr<Accumulator>> accumulators_;
  std::vector<uint32_t> groups_;  // by row of the batch
};

}  // namespace weft::exec

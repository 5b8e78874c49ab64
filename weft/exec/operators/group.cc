#include <algorithm>
#include <utility>

#include "weft/exec/evaluator.h"
#include "weft/exec/key_table.h"
#include "weft/exec/operators/accumulator.h"
#include "weft/exec/operators/operator.h"

namespace weft::exec {
namespace {

// GROUP BY: keys in a hash table, aggregates by group number.
class GroupOperator final : public Operator {
 public:
  GroupOperator(const plan::PlanNode& node, Execution& execution, const plan::GroupRows& group,
                OperatorPtr input)
      : Operator(node, execution),
        group_(group),
        input_(std::move(input)),
        table_(group.keys.size(), &execution.budget) {}

  Status prepare() {
    std::vector<const sparql::Expression*> keys;
    for (const plan::GroupRows::Key& key : group_.keys) {
      keys.push_back(key.expression);
    }
    const plan::VariableList& columns = input_->node().columns;
    WEFT_TRY(keys_, Evaluator::make(keys, columns, execution_, EvaluatorUse::kIds));
    for (const plan::GroupRows::Aggregate& aggregate : group_.aggregates) {
      accumulators_.push_back(std::make_unique<Accumulator>(aggregate, execution_));
      WEFT_TRY_STATUS(accumulators_.back()->prepare(columns));
    }
    return ok_status();
  }

 protected:
  Status produce(RowBatch& out) override {
    if (!collected_) {
      WEFT_TRY_STATUS(collect());
      collected_ = true;
    }
    const size_t count = std::min(kBatchRows, group_count_ - at_);
    for (size_t i = 0; i < out.columns.size(); ++i) {
      WEFT_TRY_STATUS(fill(node_.columns[i], count, out.columns[i]));
    }
    out.rows = count;
    at_ += count;
    return ok_status();
  }

 private:
  Status collect() {
    RowBatch batch;
    std::vector<uint32_t> groups;
    while (true) {
      WEFT_TRY_STATUS(input_->next(batch));
      if (batch.empty()) {
        break;
      }
      WEFT_TRY_STATUS(number_groups(batch, groups));
      for (const auto& accumulator : accumulators_) {
        WEFT_TRY_STATUS(accumulator->add(batch, groups, table_.size()));
      }
    }
    input_.reset();
    // Without keys there is one group, also of nothing.
    group_count_ = group_.keys.empty() ? 1 : table_.size();
    for (const auto& accumulator : accumulators_) {
      WEFT_TRY_STATUS(accumulator->grow(group_count_));
    }
    return ok_status();
  }

  Status number_groups(const RowBatch& batch, std::vector<uint32_t>& groups) {
    WEFT_TRY_STATUS(keys_->load(batch));
    std::vector<Column> made;
    std::vector<const Column*> keys;
    made.reserve(group_.keys.size());
    for (size_t k = 0; k < group_.keys.size(); ++k) {
      const auto* variable =
          std::get_if<sparql::Expression::Variable>(&group_.keys[k].expression->form);
      const size_t column =
          variable != nullptr ? column_of(input_->node().columns, variable->variable) : kNoColumn;
      if (column != kNoColumn) {
        keys.push_back(&batch.columns[column]);
        continue;
      }
      Column& ids = made.emplace_back(batch.rows);
      for (size_t row = 0; row < batch.rows; ++row) {
        WEFT_TRY(ids[row], keys_->id(k, row));
      }
      if (group_.keys[k].resolve) {
        WEFT_TRY_STATUS(execution_.resolve(ids));
      }
      keys.push_back(&ids);
    }
    return table_.insert(keys, batch.rows, groups);
  }

  Status fill(plan::Variable variable, size_t count, Column& column) {
    for (size_t k = 0; k < group_.keys.size(); ++k) {
      if (group_.keys[k].variable == variable) {
        const auto begin = table_.column(k).begin() + static_cast<std::ptrdiff_t>(at_);
        column.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
        return ok_status();
      }
    }
    for (size_t a = 0; a < group_.aggregates.size(); ++a) {
      if (group_.aggregates[a].definition->result == variable) {
        column.resize(count);
        for (size_t i = 0; i < count; ++i) {
          WEFT_TRY(column[i], accumulators_[a]->result(at_ + i));
        }
        return group_.aggregates[a].resolve ? execution_.resolve(column) : ok_status();
      }
    }
    return ok_status();
  }

  const plan::GroupRows& group_;
  OperatorPtr input_;
  KeyTable table_;
  std::unique_ptr<Evaluator> keys_;
  std::vector<std::unique_ptr<Accumulator>> accumulators_;
  bool collected_ = false;
  size_t group_count_ = 0;
  size_t at_ = 0;
};

}  // namespace

Result<OperatorPtr> make_group(const plan::PlanNode& node, Execution& execution,
                               OperatorPtr input) {
  auto result = std::make_unique<GroupOperator>(
      node, execution, std::get<plan::GroupRows>(node.operation), std::move(input));
  WEFT_TRY_STATUS(result->prepare());
  return OperatorPtr(std::move(result));
}

}  // namespace weft::exec

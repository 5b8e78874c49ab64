#include "weft/exec/operators/group_table.h"

#include <algorithm>
#include <utility>

#include "weft/exec/operators/operator.h"

namespace weft::exec {

GroupTable::GroupTable(const plan::PlanNode& node, Execution& execution)
    : node_(node),
      group_(std::get<plan::GroupRows>(node.operation)),
      input_columns_(node.inputs[0]->columns),
      execution_(execution),
      table_(group_.keys.size(), &execution.budget) {}

Status GroupTable::prepare(bool is_part) {
  std::vector<const sparql::Expression*> keys;
  for (const plan::GroupRows::Key& key : group_.keys) {
    keys.push_back(key.expression);
  }
  WEFT_TRY(keys_, Evaluator::make(keys, input_columns_, execution_, EvaluatorUse::kIds));
  for (const plan::GroupRows::Aggregate& aggregate : group_.aggregates) {
    accumulators_.push_back(std::make_unique<Accumulator>(aggregate, execution_, is_part));
    WEFT_TRY_STATUS(accumulators_.back()->prepare(input_columns_));
  }
  return ok_status();
}

Status GroupTable::add(const RowBatch& batch) {
  WEFT_TRY_STATUS(number_groups(batch, groups_));
  for (const auto& accumulator : accumulators_) {
    WEFT_TRY_STATUS(accumulator->add(batch, groups_, table_.size()));
  }
  return ok_status();
}

bool GroupTable::needs_order() const {
  return std::ranges::any_of(accumulators_,
                             [](const auto& accumulator) { return accumulator->needs_order(); });
}

Status GroupTable::number_groups(const RowBatch& batch, std::vector<uint32_t>& groups) {
  WEFT_TRY_STATUS(keys_->load(batch));
  std::vector<Column> made;
  std::vector<const Column*> keys;
  made.reserve(group_.keys.size());
  for (size_t k = 0; k < group_.keys.size(); ++k) {
    const auto* variable =
        std::get_if<sparql::Expression::Variable>(&group_.keys[k].expression->form);
    const size_t column =
        variable != nullptr ? column_of(input_columns_, variable->variable) : kNoColumn;
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

Status GroupTable::add_groups(const GroupTable& part, size_t begin, size_t end,
                              const Import& import, std::vector<uint32_t>& numbers) {
  std::vector<Column> columns(group_.keys.size());
  std::vector<const Column*> keys;
  keys.reserve(columns.size());
  for (const Column& column : columns) {
    keys.push_back(&column);
  }
  std::vector<uint32_t> some;
  while (begin < end) {
    WEFT_TRY_STATUS(execution_.interrupt.check());
    const size_t count = std::min(kBatchRows, end - begin);
    for (size_t k = 0; k < columns.size(); ++k) {
      const auto first = part.table_.column(k).begin() + static_cast<std::ptrdiff_t>(begin);
      columns[k].assign(first, first + static_cast<std::ptrdiff_t>(count));
      WEFT_TRY_STATUS(import(columns[k]));
    }
    WEFT_TRY_STATUS(table_.insert(keys, count, some));
    numbers.insert(numbers.end(), some.begin(), some.end());
    begin += count;
  }
  return ok_status();
}

Status GroupTable::add_aggregates(GroupTable& part, const std::vector<uint32_t>& numbers,
                                  const Import& import) {
  for (size_t i = 0; i < accumulators_.size(); ++i) {
    WEFT_TRY_STATUS(accumulators_[i]->grow(table_.size()));
    WEFT_TRY_STATUS(accumulators_[i]->add_part(*part.accumulators_[i], numbers, import));
  }
  return ok_status();
}

Result<size_t> GroupTable::finish() {
  const size_t count = group_.keys.empty() ? 1 : table_.size();
  for (const auto& accumulator : accumulators_) {
    WEFT_TRY_STATUS(accumulator->grow(count));
  }
  return count;
}

Status GroupTable::read(size_t begin, size_t count, RowBatch& out) {
  for (size_t i = 0; i < out.columns.size(); ++i) {
    WEFT_TRY_STATUS(read_column(node_.columns[i], begin, count, out.columns[i]));
  }
  out.rows = count;
  return ok_status();
}

Status GroupTable::read_column(plan::Variable variable, size_t begin, size_t count,
                               Column& column) {
  for (size_t k = 0; k < group_.keys.size(); ++k) {
    if (group_.keys[k].variable == variable) {
      const auto first = table_.column(k).begin() + static_cast<std::ptrdiff_t>(begin);
      column.assign(first, first + static_cast<std::ptrdiff_t>(count));
      return ok_status();
    }
  }
  for (size_t a = 0; a < group_.aggregates.size(); ++a) {
    if (group_.aggregates[a].definition->result == variable) {
      column.resize(count);
      for (size_t i = 0; i < count; ++i) {
        WEFT_TRY(column[i], accumulators_[a]->result(begin + i));
      }
      return group_.aggregates[a].resolve ? execution_.resolve(column) : ok_status();
    }
  }
  return ok_status();
}

}  // namespace weft::exec

#include "weft/exec/exists_condition.h"

#include "weft/exec/operators/operator.h"

namespace weft::exec {
namespace {

constexpr uint8_t kNotAsked = 2;
// Different rows whose answers are kept; then it begins anew.
constexpr size_t kKeysMax = 1'000'000;

}  // namespace

Evaluator::ExistsCondition::ExistsCondition(const sparql::Expression::Exists& exists,
                                            const plan::VariableList& columns, Execution& execution)
    : execution_(execution), negated_(exists.negated), known_charge_(&execution.budget) {
  if (execution.plan == nullptr) {
    return;
  }
  const auto found = execution.plan->exists.find(exists.pattern.get());
  if (found != execution.plan->exists.end()) {
    plan_ = &found->second;
    columns_ = columns_of(columns, plan_->keys);
    keys_ = std::make_unique<KeyTable>(columns_.size(), &execution.budget);
  }
}

Status Evaluator::ExistsCondition::run(const RowBatch& batch, const std::vector<uint8_t>* keep) {
  if (plan_ == nullptr) {
    return Error(ErrorKind::kInternal, "an EXISTS has no plan");
  }
  if (known_.size() > kKeysMax) {
    keys_->clear();
    known_.clear();
  }
  const Column unbound(batch.rows, rdf::kNoTerm);
  std::vector<const Column*> keys;
  keys.reserve(columns_.size());
  for (const size_t column : columns_) {
    keys.push_back(column == kNoColumn ? &unbound : &batch.columns[column]);
  }
  std::vector<uint32_t> numbers;
  WEFT_TRY_STATUS(keys_->insert(keys, batch.rows, numbers));
  WEFT_TRY_STATUS(known_charge_.cover(keys_->size()));
  known_.resize(keys_->size(), kNotAsked);
  answers_.assign(batch.rows, 0);
  for (size_t row = 0; row < batch.rows; ++row) {
    if (keep != nullptr && (*keep)[row] == 0) {
      continue;
    }
    uint8_t& known = known_[numbers[row]];
    if (known == kNotAsked) {
      WEFT_TRY(const bool found, matches(numbers[row]));
      known = found ? 1 : 0;
    }
    answers_[row] = known;
  }
  return ok_status();
}

Result<bool> Evaluator::ExistsCondition::matches(uint32_t key) {
  WEFT_TRY_STATUS(execution_.interrupt.check());
  row_.reset(columns_.size());
  row_.rows = 1;
  for (size_t i = 0; i < columns_.size(); ++i) {
    row_.columns[i].push_back(keys_->column(i)[key]);
  }
  Frame frame;
  frame.outer = &row_;
  frame.outer_columns = &plan_->keys;
  frame.loop_graph = execution_.loop_graph;
  WEFT_TRY(const OperatorPtr root, make_operator(*plan_->root, execution_, frame));
  RowBatch found;
  WEFT_TRY_STATUS(root->next(found));
  return !found.empty();
}

}  // namespace weft::exec

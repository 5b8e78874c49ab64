#include "weft/exec/operators/accumulator.h"

#include <optional>

#include "weft/exec/functions/functions.h"
#include "weft/exec/operators/operator.h"
#include "weft/rdf/term.h"

namespace weft::exec {

using sparql::AggregateFunction;

Accumulator::Accumulator(const plan::GroupRows::Aggregate& aggregate, Execution& execution)
    : definition_(*aggregate.definition),
      counted_(aggregate.counted),
      execution_(execution),
      charge_(&execution.budget) {}

Status Accumulator::prepare(const plan::VariableList& columns) {
  size_t width = counted_.size();
  if (definition_.argument) {
    const sparql::Expression* argument = &*definition_.argument;
    by_id_ = (definition_.function == AggregateFunction::kCount ||
              definition_.function == AggregateFunction::kSample) &&
             std::holds_alternative<sparql::Expression::Variable>(argument->form);
    WEFT_TRY(argument_, Evaluator::make({&argument, 1}, columns, execution_,
                                        by_id_ ? EvaluatorUse::kIds : EvaluatorUse::kValues));
    width = 1;
  }
  counted_columns_ = columns_of(columns, counted_);
  if (definition_.distinct) {
    seen_ = std::make_unique<KeyTable>(width + 1, &execution_.budget);
  }
  return ok_status();
}

Status Accumulator::grow(size_t group_count) {
  if (group_count <= states_.size()) {
    return ok_status();
  }
  if (group_count > states_.capacity()) {
    const size_t capacity = std::max(group_count, states_.capacity() * 2);
    WEFT_TRY_STATUS(charge_.cover(capacity * sizeof(State) + text_bytes_));
    states_.reserve(capacity);
  }
  states_.resize(group_count);
  return ok_status();
}

Status Accumulator::select_new(const RowBatch& batch, const std::vector<uint32_t>& groups) {
  std::vector<Column> made;
  std::vector<const Column*> keys;
  made.reserve(2);
  Column& group_column = made.emplace_back(batch.rows);
  for (size_t row = 0; row < batch.rows; ++row) {
    group_column[row] = groups[row] + 1;
  }
  keys.push_back(&group_column);
  if (argument_ != nullptr) {
    Column& ids = made.emplace_back(batch.rows);
    for (size_t row = 0; row < batch.rows; ++row) {
      WEFT_TRY(ids[row], argument_->id(0, row));
    }
    // IF and COALESCE may hand on stored terms beside computed ones.
    if (!std::holds_alternative<sparql::Expression::Variable>(definition_.argument->form)) {
      WEFT_TRY_STATUS(execution_.resolve(ids));
    }
    keys.push_back(&ids);
  }
  for (const size_t column : counted_columns_) {
    keys.push_back(&batch.columns[column]);
  }
  size_t next = seen_->size();
  WEFT_TRY_STATUS(seen_->insert(keys, batch.rows, numbers_));
  for (size_t row = 0; row < batch.rows; ++row) {
    wanted_[row] = numbers_[row] == next ? 1 : 0;
    next += wanted_[row];
  }
  return ok_status();
}

Status Accumulator::add(const RowBatch& batch, const std::vector<uint32_t>& groups,
                        size_t group_count) {
  WEFT_TRY_STATUS(grow(group_count));
  if (argument_ != nullptr) {
    WEFT_TRY_STATUS(argument_->load(batch));
  }
  wanted_.assign(batch.rows, 1);
  if (seen_ != nullptr) {
    WEFT_TRY_STATUS(select_new(batch, groups));
  }
  if (argument_ == nullptr) {
    for (size_t row = 0; row < batch.rows; ++row) {
      states_[groups[row]].count += wanted_[row];
    }
    return ok_status();
  }
  for (size_t row = 0; row < batch.rows; ++row) {
    if (wanted_[row] != 0) {
      WEFT_TRY_STATUS(add_value(states_[groups[row]], row));
    }
  }
  return argument_->status();
}

Status Accumulator::add_value(State& state, size_t row) {
  if (state.failed) {
    return ok_status();
  }
  if (by_id_) {
    WEFT_TRY(const rdf::TermId id, argument_->id(0, row));
    state.count += id != rdf::kNoTerm ? 1 : 0;
    state.id = state.id == rdf::kNoTerm ? id : state.id;
    return ok_status();
  }
  const Cell cell = argument_->value(0, row);
  const AggregateFunction function = definition_.function;
  if (!cell.value->is_defined()) {
    state.failed = function != AggregateFunction::kCount && function != AggregateFunction::kSample;
    return ok_status();
  }
  ++state.count;
  switch (function) {
    case AggregateFunction::kCount:
      break;
    case AggregateFunction::kSum:
    case AggregateFunction::kAvg:
      state.value = state.count == 1 ? rdf::add(rdf::Value::integer(0), *cell.value)
                                     : rdf::add(state.value, *cell.value);
      state.failed = !state.value.is_defined();
      break;
    case AggregateFunction::kMin:
    case AggregateFunction::kMax: {
      const bool better = state.count == 1 || (function == AggregateFunction::kMin
                                                   ? rdf::order(*cell.value, state.value) < 0
                                                   : rdf::order(*cell.value, state.value) > 0);
      if (better) {
        state.value = *cell.value;
        WEFT_TRY(state.id, argument_->id(0, row));
      }
      break;
    }
    case AggregateFunction::kSample:
      if (state.id == rdf::kNoTerm) {
        WEFT_TRY(state.id, argument_->id(0, row));
      }
      break;
    case AggregateFunction::kGroupConcat:
      return add_text(state, cell);
  }
  return ok_status();
}

Status Accumulator::add_text(State& state, const Cell& cell) {
  const std::optional<std::string> text = lexical_form(cell);
  if (!text) {
    state.failed = true;
    return ok_status();
  }
  const size_t more = text->size() + definition_.separator.size();
  text_bytes_ += more * 2;  // strings grow by doubling
  WEFT_TRY_STATUS(charge_.cover(states_.capacity() * sizeof(State) + text_bytes_));
  if (state.count > 1) {
    state.text += definition_.separator;
  }
  state.text += *text;
  return ok_status();
}

Result<rdf::TermId> Accumulator::result(size_t group) {
  State& state = states_[group];
  if (state.failed) {
    return rdf::kNoTerm;
  }
  rdf::Value value;
  switch (definition_.function) {
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
    case AggregateFunction::kSample:
      return state.id;
    case AggregateFunction::kCount:
      value = rdf::Value::integer(static_cast<int64_t>(state.count));
      break;
    case AggregateFunction::kSum:
      value = state.count == 0 ? rdf::Value::integer(0) : state.value;
      break;
    case AggregateFunction::kAvg:
      value =
          state.count == 0
              ? rdf::Value::integer(0)
              : rdf::divide(state.value, rdf::Value::integer(static_cast<int64_t>(state.count)));
      break;
    case AggregateFunction::kGroupConcat:
      value = rdf::Value::string(state.text);
      break;
  }
  if (!value.is_defined()) {
    return rdf::kNoTerm;
  }
  return execution_.pool.intern(value.to_token());
}

}  // namespace weft::exec

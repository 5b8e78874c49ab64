#include "weft/exec/operators/accumulator.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <string>

#include "weft/exec/functions/functions.h"
#include "weft/exec/operators/operator.h"
#include "weft/rdf/term.h"

namespace weft::exec {

using sparql::AggregateFunction;

Accumulator::Accumulator(const plan::GroupRows::Aggregate& aggregate, Execution& execution,
                         bool is_part)
    : definition_(*aggregate.definition),
      counted_(aggregate.counted),
      execution_(execution),
      is_part_(is_part),
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
      return add_sum(state, *cell.value);
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      return add_extreme(state, *cell.value, row);
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

Status Accumulator::add_sum(State& state, const rdf::Value& value) {
  needs_order_ = needs_order_ || (is_part_ && (value.kind() == rdf::ValueKind::kDouble ||
                                               value.kind() == rdf::ValueKind::kFloat));
  state.value = rdf::add(state.count == 1 ? rdf::Value::integer(0) : state.value, value);
  state.failed = !state.value.is_defined();
  return ok_status();
}

// Of equal values the term with the least id counts, so that the order of rows does not.
Status Accumulator::add_extreme(State& state, const rdf::Value& value, size_t row) {
  if (state.count > 1) {
    const std::weak_ordering order = rdf::order(value, state.value);
    if (definition_.function == AggregateFunction::kMin ? order > 0 : order < 0) {
      return ok_status();
    }
    if (order == 0) {
      WEFT_TRY(const rdf::TermId id, argument_->id(0, row));
      state.id = precedes(id, state.id) ? id : state.id;
      return ok_status();
    }
  }
  state.value = value;
  WEFT_TRY(state.id, argument_->id(0, row));
  return ok_status();
}

bool Accumulator::precedes(rdf::TermId a, rdf::TermId b) const {
  if (!is_computed(a) || !is_computed(b) || a == b) {
    return a < b;
  }
  std::string tokens[2];
  execution_.pool.append_token(a, tokens[0]);
  execution_.pool.append_token(b, tokens[1]);
  return tokens[0] < tokens[1];
}

Status Accumulator::add_different(const Accumulator& part, const std::vector<uint32_t>& numbers,
                                  const std::function<Status(Column&)>& import) {
  const KeyTable& seen = *part.seen_;
  const size_t width = 1 + (argument_ != nullptr ? 1 : counted_columns_.size());
  std::vector<Column> columns(width);
  std::vector<const Column*> keys;
  keys.reserve(width);
  for (const Column& column : columns) {
    keys.push_back(&column);
  }
  for (size_t begin = 0; begin < seen.size(); begin += kBatchRows) {
    WEFT_TRY_STATUS(execution_.interrupt.check());
    const size_t count = std::min(kBatchRows, seen.size() - begin);
    for (size_t c = 0; c < width; ++c) {
      const auto first = seen.column(c).begin() + static_cast<std::ptrdiff_t>(begin);
      columns[c].assign(first, first + static_cast<std::ptrdiff_t>(count));
      if (c != 0) {
        WEFT_TRY_STATUS(import(columns[c]));
      }
    }
    for (rdf::TermId& group : columns[0]) {
      group = numbers[group - 1] + 1;
    }
    size_t next = seen_->size();
    WEFT_TRY_STATUS(seen_->insert(keys, count, numbers_));
    for (size_t i = 0; i < count; ++i) {
      if (numbers_[i] != next) {
        continue;
      }
      ++next;
      const bool counts = argument_ == nullptr || columns[1][i] != rdf::kNoTerm;
      states_[columns[0][i] - 1].count += counts ? 1 : 0;
    }
  }
  return ok_status();
}

Status Accumulator::add_part(const Accumulator& part, const std::vector<uint32_t>& numbers,
                             const std::function<Status(Column&)>& import) {
  const AggregateFunction function = definition_.function;
  if (seen_ != nullptr && function == AggregateFunction::kCount) {
    return add_different(part, numbers, import);
  }
  const bool is_extreme =
      function == AggregateFunction::kMin || function == AggregateFunction::kMax;
  Column ids;
  if (is_extreme) {
    WEFT_TRY_STATUS(charge_.cover(charge_.held_bytes() + part.states_.size() * sizeof(ids[0])));
    for (const State& state : part.states_) {
      ids.push_back(state.id);
    }
    WEFT_TRY_STATUS(import(ids));
  }
  for (size_t group = 0; group < part.states_.size(); ++group) {
    const State& from = part.states_[group];
    State& state = states_[numbers[group]];
    state.failed = state.failed || from.failed;
    if (from.count == 0 || state.failed) {
      continue;
    }
    if (is_extreme) {
      const std::weak_ordering order =
          state.count == 0 ? std::weak_ordering::less : rdf::order(from.value, state.value);
      const bool is_first = state.count == 0;
      const bool is_better = function == AggregateFunction::kMin ? order < 0 : order > 0;
      if (is_first || is_better || (order == 0 && precedes(ids[group], state.id))) {
        state.value = from.value;
        state.id = ids[group];
      }
    } else if (function != AggregateFunction::kCount) {
      state.value = state.count == 0 ? from.value : rdf::add(state.value, from.value);
      state.failed = !state.value.is_defined();
    }
    state.count += from.count;
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

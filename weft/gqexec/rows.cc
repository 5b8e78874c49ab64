#include "weft/gqexec/rows.h"

#include <numeric>
#include <utility>

namespace weft::gqexec {
namespace {

void gather(const std::vector<RowNumber>& from, std::span<const uint32_t> rows,
            std::vector<RowNumber>& out) {
  out.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    out[i] = from[rows[i]];
  }
}

class FilterSink final : public RowSink {
 public:
  FilterSink(RunState& state, const Step& step, const FilterStep& filter, RowSink& next)
      : state_(state), step_(step), filter_(filter), next_(next) {}

  Status accept(const RowBatch& batch) override {
    WEFT_TRY_STATUS(select_rows(state_, filter_.condition, batch, selected_));
    if (selected_.empty()) {
      return ok_status();
    }
    gather_rows(batch, selected_, step_.live, out_);
    return next_.accept(out_);
  }
  Status finish() override { return next_.finish(); }

 private:
  RunState& state_;
  const Step& step_;
  const FilterStep& filter_;
  RowSink& next_;
  std::vector<uint32_t> selected_;
  RowBatch out_;
};

// Sums the weights of equal rows of one slot; gives them in the order of their numbers.
class CollapseSink final : public RowSink {
 public:
  CollapseSink(RunState& state, const CollapseStep& collapse, RowSink& next)
      : state_(state), slot_(collapse.slot), next_(next) {}

  Status accept(const RowBatch& batch) override {
    if (counts_.empty()) {
      const uint64_t rows = state_.plan.slots[slot_].data->row_count();
      WEFT_TRY(memory_, state_.budget.reserve(rows * sizeof(uint64_t)));
      counts_.resize(rows, 0);
    }
    const std::vector<RowNumber>& rows = batch.slots[slot_];
    for (size_t i = 0; i < batch.row_count; ++i) {
      uint64_t& count = counts_[rows[i]];
      if (__builtin_add_overflow(count, batch.weight(i), &count)) {
        return Error(ErrorKind::kLimit, "more rows than can be counted");
      }
    }
    return ok_status();
  }

  Status finish() override {
    RowBatch out;
    out.slots.resize(state_.plan.slots.size());
    for (size_t row = 0; row < counts_.size(); ++row) {
      if (counts_[row] > 0) {
        out.slots[slot_].push_back(static_cast<RowNumber>(row));
        out.weights.push_back(counts_[row]);
      }
      if (out.weights.size() == kBatchRows || (row + 1 == counts_.size() && !out.weights.empty())) {
        WEFT_TRY_STATUS(state_.check());
        out.row_count = out.weights.size();
        WEFT_TRY_STATUS(next_.accept(out));
        out.slots[slot_].clear();
        out.weights.clear();
      }
    }
    return next_.finish();
  }

 private:
  RunState& state_;
  const size_t slot_;
  RowSink& next_;
  base::Reservation memory_;
  std::vector<uint64_t> counts_;
};

// Counts the rows that a step gives.
class CountingSink final : public RowSink {
 public:
  CountingSink(RunState& state, const Step& step, RowSink& next)
      : state_(state), index_(state.rows_given.size()), next_(next) {
    state.rows_given.emplace_back(&step, 0);
  }
  Status accept(const RowBatch& batch) override {
    state_.rows_given[index_].second += batch.row_count;
    return next_.accept(batch);
  }
  Status finish() override { return next_.finish(); }

 private:
  RunState& state_;
  const size_t index_;
  RowSink& next_;
};

std::unique_ptr<RowSink> make_step(RunState& state, const Step& step, RowSink& next) {
  if (const auto* const scan = std::get_if<ScanStep>(&step.action)) {
    return make_scan(state, step, *scan, next);
  }
  if (const auto* const filter = std::get_if<FilterStep>(&step.action)) {
    return std::make_unique<FilterSink>(state, step, *filter, next);
  }
  if (const auto* const expand = std::get_if<ExpandStep>(&step.action)) {
    return make_expand(state, step, *expand, next);
  }
  if (const auto* const collapse = std::get_if<CollapseStep>(&step.action)) {
    return std::make_unique<CollapseSink>(state, *collapse, next);
  }
  return make_negation(state, step, std::get<NegationStep>(step.action), next);
}

}  // namespace

Status RunState::check() const {
  if (stop.stop_requested()) {
    return Error(ErrorKind::kCancelled, "query was cancelled");
  }
  if (clock != nullptr && clock->monotonic_microseconds() > deadline_microseconds) {
    return Error(ErrorKind::kCancelled, "query took longer than its timeout");
  }
  return ok_status();
}

Result<TermValues> read_term(RunState& state, const Term& term, const RowBatch& batch) {
  TermValues out;
  if (term.kind == Term::Kind::kConstant) {
    out.operand = constant_operand(term.constant);
    return out;
  }
  const std::vector<RowNumber>& rows = batch.slots[term.slot];
  WEFT_TRY(RowValues values,
           state.plan.slots[term.slot].data->values(term.property, rows, state.stop));
  if (values.by_batch) {
    read_operand(*values.column, out.operand);
  } else {
    read_operand(*values.column, rows, out.operand);
  }
  out.column = std::move(values.column);
  return out;
}

Status select_rows(RunState& state, const Condition& condition, const RowBatch& batch,
                   std::vector<uint32_t>& selected) {
  WEFT_TRY(TermValues left, read_term(state, condition.left, batch));
  WEFT_TRY(TermValues right, read_term(state, condition.right, batch));
  round_constants(left.operand, right.operand);
  select(left.operand, condition.op, right.operand, batch.row_count, selected);
  return ok_status();
}

void gather_rows(const RowBatch& batch, std::span<const uint32_t> rows,
                 std::span<const size_t> live, RowBatch& out) {
  out.row_count = rows.size();
  out.slots.resize(batch.slots.size());
  for (std::vector<RowNumber>& slot : out.slots) {
    slot.clear();
  }
  for (const size_t slot : live) {
    if (!batch.slots[slot].empty()) {
      gather(batch.slots[slot], rows, out.slots[slot]);
    }
  }
  out.weights.clear();
  if (!batch.weights.empty()) {
    out.weights.resize(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      out.weights[i] = batch.weights[rows[i]];
    }
  }
}

Pipeline::Pipeline(RunState& state, const std::vector<Step>& steps, RowSink& last) : first_(&last) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    sinks_.push_back(std::make_unique<CountingSink>(state, *step, *first_));
    sinks_.push_back(make_step(state, *step, *sinks_.back()));
    first_ = sinks_.back().get();
  }
}

}  // namespace weft::gqexec

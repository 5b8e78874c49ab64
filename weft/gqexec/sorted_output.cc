// Rows in the order of a plan: only numbers of rows are kept until the order is known.
#include <algorithm>
#include <numeric>
#include <utility>

#include "weft/gqexec/output.h"

namespace weft::gqexec {
namespace {

// With a limit the rows are cut to the first ones whenever so many, and twice the limit, are there.
constexpr size_t kSpareRows = 8'192;

class SortedOutput final : public RowSink {
 public:
  SortedOutput(RunState& state, AnswerSink& answer) : state_(state), answer_(answer) {
    kept_.slots.resize(state.plan.slots.size());
    for (const size_t slot : state.plan.tie_slots) {
      live_.push_back(slot);
    }
    state_.done = state.plan.limit == uint64_t{0};
  }

  Status accept(const RowBatch& batch) override {
    WEFT_TRY_STATUS(state_.check());
    if (last_.column == nullptr) {
      WEFT_TRY_STATUS(keep(batch));
    } else {
      WEFT_TRY_STATUS(find_candidates(batch));
      if (candidates_.empty()) {
        return ok_status();
      }
      gather_rows(batch, candidates_, live_, part_);
      WEFT_TRY_STATUS(keep(part_));
    }
    const auto limit = state_.plan.limit;
    if (limit.has_value() && kept_.row_count > kSpareRows && kept_.row_count / 2 > *limit) {
      return sort();
    }
    return ok_status();
  }

  Status finish() override {
    WEFT_TRY_STATUS(sort());
    const columns::SchemaPtr schema = answer_schema(state_.plan);
    RowBatch part;
    for (size_t from = 0; from < kept_.row_count; from += kBatchRows) {
      const size_t count = std::min(kBatchRows, kept_.row_count - from);
      std::vector<uint32_t> rows(count);
      std::iota(rows.begin(), rows.end(), static_cast<uint32_t>(from));
      gather_rows(kept_, rows, live_, part);
      std::vector<columns::ArrayPtr> arrays;
      for (const OutputColumn& column : state_.plan.columns) {
        WEFT_TRY(columns::ArrayPtr array, project_term(state_, column.term, column.type, part));
        arrays.push_back(std::move(array));
      }
      WEFT_TRY(const columns::Batch batch, columns::Batch::make(schema, std::move(arrays), count));
      WEFT_TRY_STATUS(answer_.accept(batch));
    }
    return ok_status();
  }

 private:
  // All slots are live: no row stands for several.
  Status keep(const RowBatch& batch) {
    WEFT_TRY(base::Reservation memory,
             state_.budget.reserve(batch.row_count * live_.size() * sizeof(RowNumber)));
    memory_.push_back(std::move(memory));
    for (const size_t slot : live_) {
      kept_.slots[slot].insert(kept_.slots[slot].end(), batch.slots[slot].begin(),
                               batch.slots[slot].end());
    }
    kept_.row_count += batch.row_count;
    return ok_status();
  }

  // Rows that may stand before the last one kept, by the first key alone.
  Status find_candidates(const RowBatch& batch) {
    const OrderKey& order = state_.plan.orders.front();
    WEFT_TRY(const TermValues values, read_term(state_, order.term, batch));
    const bool last_valid = last_.operand.is_valid(0);
    candidates_.clear();
    for (size_t row = 0; row < batch.row_count; ++row) {
      const bool valid = values.operand.is_valid(row);
      const int compared = valid && last_valid
                               ? compare_values(values.operand, row, last_.operand, 0)
                               : static_cast<int>(valid) - static_cast<int>(last_valid);
      if ((order.descending ? -compared : compared) <= 0) {
        candidates_.push_back(static_cast<uint32_t>(row));
      }
    }
    return ok_status();
  }

  // The first key of the last row, once as many rows are kept as are wanted.
  Status note_last() {
    const OrderKey& order = state_.plan.orders.front();
    if (kept_.row_count != state_.plan.limit || order.term.kind != Term::Kind::kProperty) {
      return ok_status();
    }
    RowBatch last;
    const auto row = static_cast<uint32_t>(kept_.row_count - 1);
    gather_rows(kept_, std::span(&row, 1), live_, last);
    WEFT_TRY(last_, read_term(state_, order.term, last));
    return ok_status();
  }

  // The kept rows in order, cut to the limit.
  Status sort() {
    if (kept_.row_count == 0) {
      return ok_status();
    }
    std::vector<TermValues> owners;
    std::vector<SortKey> keys;
    for (const OrderKey& order : state_.plan.orders) {
      WEFT_TRY_STATUS(add_key(order.term, order.descending, owners, keys));
    }
    // Ids of one table are in its order by chance only: they are read.
    for (const size_t slot : state_.plan.tie_slots) {
      Term id;
      id.kind = Term::Kind::kProperty;
      id.slot = slot;
      id.property = "id";
      WEFT_TRY_STATUS(add_key(id, false, owners, keys));
    }
    WEFT_TRY(const base::Reservation memory,
             state_.budget.reserve(kept_.row_count * sizeof(uint32_t)));
    std::vector<uint32_t> order(kept_.row_count);
    std::iota(order.begin(), order.end(), 0U);
    const auto before = [&keys](uint32_t a, uint32_t b) {
      const int compared = compare_rows(keys, a, b);
      return compared != 0 ? compared < 0 : a < b;
    };
    const size_t wanted =
        std::min<uint64_t>(state_.plan.limit.value_or(kept_.row_count), kept_.row_count);
    if (wanted < order.size() / 2) {
      std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(wanted), order.end(),
                        before);
    } else {
      std::sort(order.begin(), order.end(), before);
    }
    order.resize(wanted);
    RowBatch sorted;
    gather_rows(kept_, order, live_, sorted);
    kept_ = std::move(sorted);
    memory_.clear();
    WEFT_TRY(base::Reservation kept,
             state_.budget.reserve(kept_.row_count * live_.size() * sizeof(RowNumber)));
    memory_.push_back(std::move(kept));
    return note_last();
  }

  Status add_key(const Term& term, bool descending, std::vector<TermValues>& owners,
                 std::vector<SortKey>& keys) {
    WEFT_TRY(TermValues values, read_term(state_, term, kept_));
    keys.push_back({std::move(values.operand), descending});
    owners.push_back(std::move(values));
    return ok_status();
  }

  RunState& state_;
  AnswerSink& answer_;
  std::vector<size_t> live_;
  RowBatch kept_;
  TermValues last_;  // its column is null: unknown
  std::vector<uint32_t> candidates_;
  RowBatch part_;
  std::vector<base::Reservation> memory_;
};

}  // namespace

std::unique_ptr<RowSink> make_sorted_output(RunState& state, AnswerSink& answer) {
  return std::make_unique<SortedOutput>(state, answer);
}

}  // namespace weft::gqexec

#include "weft/gqexec/aggregate.h"

#include <utility>

#include "weft/columns/builder.h"
#include "weft/gqexec/output.h"

namespace weft::gqexec {
namespace {

__extension__ using Int128 = __int128;

Error too_many() {
  return Error(ErrorKind::kLimit, "more rows than can be counted");
}

class Count final : public Aggregate {
 public:
  explicit Count(const OutputColumn& column) : column_(column) {}
  void add_group() override { counts_.push_back(0); }

  Status add(RunState& state, const RowBatch& batch, std::span<const uint32_t> groups) override {
    TermValues values;
    if (!column_.counts_rows) {
      WEFT_TRY(values, read_term(state, column_.term, batch));
    }
    for (size_t row = 0; row < batch.row_count; ++row) {
      uint64_t& count = counts_[groups[row]];
      if ((column_.counts_rows || values.operand.is_valid(row)) &&
          __builtin_add_overflow(count, batch.weight(row), &count)) {
        return too_many();
      }
    }
    return ok_status();
  }

  Result<columns::ArrayPtr> finish(RunState& /*state*/, const OutputColumn& column) override {
    columns::ArrayBuilder builder(column.type);
    for (const uint64_t count : counts_) {
      builder.append_integer(static_cast<int64_t>(count));
    }
    return builder.finish();
  }

 private:
  const OutputColumn& column_;
  std::vector<uint64_t> counts_;
};

// sum and avg of integers: exact.
class IntegerSum final : public Aggregate {
 public:
  explicit IntegerSum(const OutputColumn& column) : column_(column) {}
  void add_group() override {
    sums_.push_back(0);
    counts_.push_back(0);
  }

  Status add(RunState& state, const RowBatch& batch, std::span<const uint32_t> groups) override {
    WEFT_TRY(const TermValues values, read_term(state, column_.term, batch));
    const Operand& operand = values.operand;
    for (size_t row = 0; row < batch.row_count; ++row) {
      const size_t at = operand.at(row);
      if (operand.valid[at] == 0) {
        continue;
      }
      const Int128 value = operand.lane == Lane::kUnsigned
                               ? static_cast<Int128>(static_cast<uint64_t>(operand.integers[at]))
                               : static_cast<Int128>(operand.integers[at]);
      Int128& sum = sums_[groups[row]];
      if (__builtin_add_overflow(sum, value * static_cast<Int128>(batch.weight(row)), &sum) ||
          __builtin_add_overflow(counts_[groups[row]], batch.weight(row), &counts_[groups[row]])) {
        return too_many();
      }
    }
    return ok_status();
  }

  Result<columns::ArrayPtr> finish(RunState& /*state*/, const OutputColumn& column) override {
    columns::ArrayBuilder builder(column.type);
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (counts_[i] == 0) {
        builder.append_null();
      } else if (column.aggregate == gq::ExpressionKind::kAvg) {
        builder.append_double(static_cast<double>(static_cast<long double>(sums_[i]) /
                                                  static_cast<long double>(counts_[i])));
      } else {
        builder.append_fixed(std::as_bytes(std::span(&sums_[i], 1)));
      }
    }
    return builder.finish();
  }

 private:
  const OutputColumn& column_;
  std::vector<Int128> sums_;
  std::vector<uint64_t> counts_;
};

class RealSum final : public Aggregate {
 public:
  explicit RealSum(const OutputColumn& column) : column_(column) {}
  void add_group() override {
    sums_.push_back(0);
    counts_.push_back(0);
  }

  Status add(RunState& state, const RowBatch& batch, std::span<const uint32_t> groups) override {
    WEFT_TRY(const TermValues values, read_term(state, column_.term, batch));
    const Operand& operand = values.operand;
    for (size_t row = 0; row < batch.row_count; ++row) {
      const size_t at = operand.at(row);
      if (operand.valid[at] != 0) {
        const auto weight = static_cast<long double>(batch.weight(row));
        sums_[groups[row]] += static_cast<long double>(operand.reals[at]) * weight;
        counts_[groups[row]] += weight;
      }
    }
    return ok_status();
  }

  Result<columns::ArrayPtr> finish(RunState& /*state*/, const OutputColumn& column) override {
    columns::ArrayBuilder builder(column.type);
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (counts_[i] == 0) {
        builder.append_null();
      } else {
        const bool average = column.aggregate == gq::ExpressionKind::kAvg;
        builder.append_double(static_cast<double>(average ? sums_[i] / counts_[i] : sums_[i]));
      }
    }
    return builder.finish();
  }

 private:
  const OutputColumn& column_;
  std::vector<long double> sums_;
  std::vector<long double> counts_;
};

// min and max: the row with the best value so far, and the value, for the batches that come.
class Extreme final : public Aggregate {
 public:
  explicit Extreme(const OutputColumn& column)
      : column_(column), sign_(column.aggregate == gq::ExpressionKind::kMin ? 1 : -1) {}
  void add_group() override { best_.push_back(kNoRow); }

  Status add(RunState& state, const RowBatch& batch, std::span<const uint32_t> groups) override {
    if (column_.term.kind == Term::Kind::kConstant) {
      for (const uint32_t group : groups) {
        best_[group] = column_.term.constant->is_valid(0) ? 0 : kNoRow;
      }
      return ok_status();
    }
    // Values of the rows that are the best so far, by group, beside those of the batch.
    WEFT_TRY(const TermValues values, read_term(state, column_.term, batch));
    const size_t slot = column_.term.slot;
    std::vector<std::pair<uint32_t, uint32_t>> winners;  // group, row of the batch
    in_batch_.resize(best_.size(), kNoRow);
    for (size_t row = 0; row < batch.row_count; ++row) {
      uint32_t& winner = in_batch_[groups[row]];
      if (!values.operand.is_valid(row)) {
        continue;
      }
      if (winner == kNoRow) {
        winners.emplace_back(groups[row], 0);
      }
      if (winner == kNoRow ||
          sign_ * compare_values(values.operand, row, values.operand, winner) < 0) {
        winner = static_cast<uint32_t>(row);
      }
    }
    RowBatch before;
    before.slots.resize(batch.slots.size());
    for (auto& [group, row] : winners) {
      row = std::exchange(in_batch_[group], kNoRow);
      before.slots[slot].push_back(best_[group] == kNoRow ? batch.slots[slot][row] : best_[group]);
    }
    before.row_count = winners.size();
    WEFT_TRY(const TermValues best, read_term(state, column_.term, before));
    for (size_t i = 0; i < winners.size(); ++i) {
      const auto [group, row] = winners[i];
      if (best_[group] == kNoRow ||
          sign_ * compare_values(values.operand, row, best.operand, i) < 0) {
        best_[group] = batch.slots[slot][row];
      }
    }
    return ok_status();
  }

  Result<columns::ArrayPtr> finish(RunState& state, const OutputColumn& column) override {
    RowBatch rows;
    rows.slots.resize(state.plan.slots.size());
    for (const RowNumber row : best_) {
      if (row != kNoRow && column.term.kind == Term::Kind::kProperty) {
        rows.slots[column.term.slot].push_back(row);
      }
      rows.row_count += row != kNoRow ? 1U : 0U;
    }
    WEFT_TRY(const columns::ArrayPtr found, project_term(state, column.term, column.type, rows));
    columns::ArrayBuilder builder(column.type);
    size_t next = 0;
    for (const RowNumber row : best_) {
      if (row == kNoRow) {
        builder.append_null();
      } else {
        builder.append_from(*found, next++);
      }
    }
    return builder.finish();
  }

 private:
  const OutputColumn& column_;
  const int sign_;
  std::vector<RowNumber> best_;
  std::vector<uint32_t> in_batch_;
};

}  // namespace

std::unique_ptr<Aggregate> make_aggregate(const OutputColumn& column) {
  if (column.aggregate == gq::ExpressionKind::kCount) {
    return std::make_unique<Count>(column);
  }
  if (column.aggregate == gq::ExpressionKind::kMin ||
      column.aggregate == gq::ExpressionKind::kMax) {
    return std::make_unique<Extreme>(column);
  }
  if (column.sums_reals) {
    return std::make_unique<RealSum>(column);
  }
  return std::make_unique<IntegerSum>(column);
}

}  // namespace weft::gqexec

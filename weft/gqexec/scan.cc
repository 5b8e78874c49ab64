// Rows of a type that meet conditions, with every row so far; or those that join with it.
#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "weft/gqexec/row_finder.h"
#include "weft/gqexec/rows.h"

namespace weft::gqexec {
namespace {

// Equal for values that are equal, of all types: numbers by the float next to them. Values that are
// not equal may have one hash.
uint64_t hash_of(const Operand& operand, size_t row) {
  const size_t at = operand.at(row);
  double number = 0;
  switch (operand.lane) {
    case Lane::kText:
      return std::hash<std::string_view>{}(operand.texts[at]);
    case Lane::kList:
      return 0;  // lists are not compared
    case Lane::kInteger:
      number = static_cast<double>(operand.integers[at]);
      break;
    case Lane::kUnsigned:
      number = static_cast<double>(static_cast<uint64_t>(operand.integers[at]));
      break;
    case Lane::kReal:
      number = operand.reals[at];
      break;
  }
  return std::hash<double>{}(number == 0 ? 0 : number);
}

class ScanSink final : public RowSink {
 public:
  ScanSink(RunState& state, const Step& step, const ScanStep& scan, RowSink& next)
      : state_(state), step_(step), scan_(scan), finder_(state, scan), next_(next) {
    live_ = std::find(step.live.begin(), step.live.end(), scan.slot) != step.live.end();
  }

  Status accept(const RowBatch& batch) override {
    const bool is_first =
        batch.row_count == 1 && batch.weights.empty() &&
        std::all_of(batch.slots.begin(), batch.slots.end(),
                    [](const std::vector<RowNumber>& slot) { return slot.empty(); });
    if (is_first && !scan_.join.has_value()) {
      return finder_.each([this](std::span<const RowNumber> rows) { return give(rows); });
    }
    WEFT_TRY_STATUS(find_all());
    return scan_.join.has_value() ? join(batch) : combine(batch);
  }

  Status finish() override { return next_.finish(); }

 private:
  struct Hashed {
    uint64_t hash;
    RowNumber row;
    bool operator<(const Hashed& other) const {
      return hash != other.hash ? hash < other.hash : row < other.row;
    }
  };

  Status give(std::span<const RowNumber> rows) {
    for (size_t from = 0; from < rows.size() && !state_.done; from += kBatchRows) {
      const auto part = rows.subspan(from, std::min(kBatchRows, rows.size() - from));
      out_.row_count = part.size();
      out_.weights.clear();
      out_.slots.resize(state_.plan.slots.size());
      if (live_) {
        out_.slots[scan_.slot].assign(part.begin(), part.end());
      }
      WEFT_TRY_STATUS(next_.accept(out_));
    }
    return ok_status();
  }

  // All rows that meet the conditions, kept for each batch that comes.
  Status find_all() {
    if (found_all_) {
      return ok_status();
    }
    WEFT_TRY_STATUS(finder_.each([this](std::span<const RowNumber> rows) -> Status {
      WEFT_TRY_STATUS(reserve(rows.size() * sizeof(RowNumber)));
      found_.insert(found_.end(), rows.begin(), rows.end());
      return ok_status();
    }));
    found_all_ = true;
    return scan_.join.has_value() ? hash_found() : ok_status();
  }

  Status hash_found() {
    WEFT_TRY_STATUS(reserve(found_.size() * sizeof(Hashed)));
    RowBatch batch;
    batch.slots.resize(state_.plan.slots.size());
    for (size_t from = 0; from < found_.size(); from += kBatchRows) {
      const auto part = std::span(found_).subspan(from, std::min(kBatchRows, found_.size() - from));
      batch.row_count = part.size();
      batch.slots[scan_.slot].assign(part.begin(), part.end());
      WEFT_TRY(const TermValues values, read_term(state_, scan_.join->left, batch));
      for (size_t i = 0; i < part.size(); ++i) {
        if (values.operand.is_valid(i)) {
          hashed_.push_back({hash_of(values.operand, i), part[i]});
        }
      }
    }
    std::sort(hashed_.begin(), hashed_.end());
    return ok_status();
  }

  // Every row of the batch with every row found.
  Status combine(const RowBatch& batch) {
    for (size_t row = 0; row < batch.row_count && !state_.done; ++row) {
      for (const RowNumber found : found_) {
        WEFT_TRY_STATUS(add(batch, row, found));
      }
    }
    return flush(batch);
  }

  // Every row of the batch with the rows found whose value has the hash of its own; whether the
  // values are equal is seen then.
  Status join(const RowBatch& batch) {
    WEFT_TRY(const TermValues values, read_term(state_, scan_.join->right, batch));
    for (size_t row = 0; row < batch.row_count && !state_.done; ++row) {
      if (!values.operand.is_valid(row)) {
        continue;
      }
      const uint64_t hash = hash_of(values.operand, row);
      for (auto at = std::lower_bound(hashed_.begin(), hashed_.end(), Hashed{hash, 0});
           at != hashed_.end() && at->hash == hash; ++at) {
        WEFT_TRY_STATUS(add(batch, row, at->row));
      }
    }
    return flush(batch);
  }

  Status add(const RowBatch& batch, size_t row, RowNumber found) {
    sources_.push_back(static_cast<uint32_t>(row));
    targets_.push_back(found);
    return sources_.size() < kBatchRows || state_.done ? ok_status() : flush(batch);
  }

  Status flush(const RowBatch& batch) {
    WEFT_TRY_STATUS(state_.check());
    if (sources_.empty() || state_.done) {
      return ok_status();
    }
    if (scan_.join.has_value()) {
      WEFT_TRY_STATUS(keep_equal(batch));
    }
    gather_rows(batch, sources_, step_.live, out_);
    if (live_) {
      out_.slots[scan_.slot].swap(targets_);
    }
    sources_.clear();
    targets_.clear();
    return out_.row_count == 0 ? ok_status() : next_.accept(out_);
  }

  Status keep_equal(const RowBatch& batch) {
    RowBatch both;
    const size_t other = scan_.join->right.slot;
    gather_rows(batch, sources_, std::span(&other, 1), both);
    both.slots[scan_.slot] = targets_;
    WEFT_TRY_STATUS(select_rows(state_, *scan_.join, both, selected_));
    for (size_t i = 0; i < selected_.size(); ++i) {
      sources_[i] = sources_[selected_[i]];
      targets_[i] = targets_[selected_[i]];
    }
    sources_.resize(selected_.size());
    targets_.resize(selected_.size());
    return ok_status();
  }

  Status reserve(uint64_t bytes) {
    WEFT_TRY(base::Reservation memory, state_.budget.reserve(bytes));
    memory_.push_back(std::move(memory));
    return ok_status();
  }

  RunState& state_;
  const Step& step_;
  const ScanStep& scan_;
  RowFinder finder_;
  RowSink& next_;
  bool live_ = false;
  bool found_all_ = false;
  std::vector<RowNumber> found_;
  std::vector<Hashed> hashed_;
  std::vector<base::Reservation> memory_;
  std::vector<uint32_t> sources_;
  std::vector<RowNumber> targets_;
  std::vector<uint32_t> selected_;
  RowBatch out_;
};

}  // namespace

std::unique_ptr<RowSink> make_scan(RunState& state, const Step& step, const ScanStep& scan,
                                   RowSink& next) {
  return std::make_unique<ScanSink>(state, step, scan, next);
}

}  // namespace weft::gqexec

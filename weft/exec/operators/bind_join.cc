#include <algorithm>
#include <utility>

#include "weft/exec/evaluator.h"
#include "weft/exec/key_table.h"
#include "weft/exec/operators/operator.h"
#include "weft/exec/operators/output_map.h"
#include "weft/exec/row_store.h"
#include "weft/plan/variable_set.h"

namespace weft::exec {
namespace {

// Takes left rows a batch at a time, hands their different keys to the right side as its incoming
// rows, and pairs what comes back by the key's number.
class BindJoinOperator final : public Operator {
 public:
  BindJoinOperator(const plan::PlanNode& node, Execution& execution, const plan::BindJoin& join,
                   const Frame& frame, OperatorPtr left)
      : Operator(node, execution),
        join_(join),
        frame_(frame),
        left_(std::move(left)),
        batch_(left_->node().columns.size(), &execution.budget),
        key_columns_(columns_of(left_->node().columns, join.keys)),
        right_number_(column_of(right_plan().columns, join.number)) {
    incoming_columns_ = join.keys;
    plan::insert(incoming_columns_, join.number);
    joined_columns_ = node.columns;
    if (!join.conditions.empty()) {
      joined_columns_ =
          plan::subtract(plan::unite(left_->node().columns, right_plan().columns), {join.number});
    }
    const bool only_left = join.kind == plan::JoinKind::kAnti;
    map_ =
        std::make_unique<OutputMap>(joined_columns_, left_->node().columns, left_->node().certain,
                                    only_left ? plan::VariableList() : right_plan().columns);
  }

  Status prepare() {
    if (!join_.conditions.empty()) {
      WEFT_TRY(conditions_, Evaluator::make(join_.conditions, joined_columns_, execution_));
      out_columns_ = columns_of(joined_columns_, node_.columns);
    }
    return ok_status();
  }

 protected:
  Status produce(RowBatch& out) override {
    while (out.rows < wanted_rows()) {
      switch (stage_) {
        case Stage::kLeft: {
          WEFT_TRY_STATUS(next_left());
          if (batch_.size() == 0) {
            return ok_status();
          }
          break;
        }
        case Stage::kRight:
          WEFT_TRY_STATUS(join_some(out));
          break;
        case Stage::kRest:
          emit_rest(out);
          stage_ = Stage::kLeft;
          break;
      }
      WEFT_TRY_STATUS(execution_.interrupt.check());
    }
    return ok_status();
  }

 private:
  enum class Stage : uint8_t { kLeft, kRight, kRest };

  const plan::PlanNode& right_plan() const { return *node_.inputs[1]; }

  // Gathers left rows, numbers their keys and opens the right side for them.
  Status next_left() {
    right_.reset();
    batch_.clear();
    const size_t wanted = rows_at_once_;
    rows_at_once_ = std::min(rows_at_once_ * 8, kBatchRows);
    while (batch_.size() < wanted && !left_ended_) {
      WEFT_TRY_STATUS(left_->next(left_rows_batch_));
      left_ended_ = left_rows_batch_.empty();
      WEFT_TRY_STATUS(batch_.append(left_rows_batch_));
    }
    const size_t rows = batch_.size();
    if (rows == 0) {
      return ok_status();
    }
    KeyTable table(key_columns_.size(), &execution_.budget);
    std::vector<const Column*> keys;
    for (const size_t column : key_columns_) {
      keys.push_back(&batch_.rows().columns[column]);
    }
    WEFT_TRY_STATUS(table.insert(keys, rows, numbers_));
    incoming_.reset(incoming_columns_.size());
    incoming_.rows = table.size();
    for (size_t i = 0; i < incoming_columns_.size(); ++i) {
      if (incoming_columns_[i] == join_.number) {
        for (size_t number = 0; number < table.size(); ++number) {
          incoming_.columns[i].push_back(number + 1);  // never kNoTerm
        }
      } else {
        incoming_.columns[i] = table.column(column_of(join_.keys, incoming_columns_[i]));
      }
    }
    // Chains of rows by key, ascending.
    first_.assign(table.size(), OutputMap::kNone);
    next_.assign(rows, OutputMap::kNone);
    for (size_t row = rows; row-- > 0;) {
      next_[row] = first_[numbers_[row]];
      first_[numbers_[row]] = static_cast<uint32_t>(row);
    }
    matched_.assign(rows, 0);
    Frame inner = frame_;
    inner.incoming = &incoming_;
    inner.incoming_columns = &incoming_columns_;
    WEFT_TRY(right_, make_operator(right_plan(), execution_, inner));
    right_batch_.rows = 0;
    right_at_ = 0;
    stage_ = Stage::kRight;
    return ok_status();
  }

  Status join_some(RowBatch& out) {
    if (right_at_ >= right_batch_.rows) {
      WEFT_TRY_STATUS(right_->next(right_batch_));
      right_at_ = 0;
      chain_ = OutputMap::kNone;
      if (right_batch_.empty()) {
        stage_ = join_.kind == plan::JoinKind::kInner ? Stage::kLeft : Stage::kRest;
        return ok_status();
      }
    }
    pairs_left_.clear();
    pairs_right_.clear();
    const Column& numbers = right_batch_.columns[right_number_];
    while (right_at_ < right_batch_.rows && pairs_left_.size() < kBatchRows) {
      if (chain_ == OutputMap::kNone) {
        chain_ = first_[numbers[right_at_] - 1];
      }
      while (chain_ != OutputMap::kNone && pairs_left_.size() < kBatchRows) {
        pairs_left_.push_back(chain_);
        pairs_right_.push_back(static_cast<uint32_t>(right_at_));
        chain_ = next_[chain_];
      }
      right_at_ += chain_ == OutputMap::kNone ? 1 : 0;
    }
    return emit_pairs(out);
  }

  Status emit_pairs(RowBatch& out) {
    if (conditions_ == nullptr) {
      for (const uint32_t row : pairs_left_) {
        matched_[row] = 1;
      }
      if (join_.kind == plan::JoinKind::kInner || join_.kind == plan::JoinKind::kLeft) {
        map_->append(out, batch_.rows(), pairs_left_, right_batch_, pairs_right_);
      }
      return ok_status();
    }
    joined_.reset(joined_columns_.size());
    map_->append(joined_, batch_.rows(), pairs_left_, right_batch_, pairs_right_);
    WEFT_TRY_STATUS(conditions_->filter(joined_, keep_));
    for (size_t i = 0; i < keep_.size(); ++i) {
      matched_[pairs_left_[i]] |= keep_[i];
    }
    joined_.filter(keep_);
    append_joined(out);
    return ok_status();
  }

  void append_joined(RowBatch& out) const {
    for (size_t c = 0; c < out.columns.size(); ++c) {
      const Column& from = joined_.columns[out_columns_[c]];
      out.columns[c].insert(out.columns[c].end(), from.begin(), from.end());
    }
    out.rows += joined_.rows;
  }

  // Left rows without a partner.
  void emit_rest(RowBatch& out) {
    pairs_left_.clear();
    for (uint32_t row = 0; row < matched_.size(); ++row) {
      if (matched_[row] == 0) {
        pairs_left_.push_back(row);
      }
    }
    pairs_right_.assign(pairs_left_.size(), OutputMap::kNone);
    if (conditions_ != nullptr) {
      joined_.reset(joined_columns_.size());
      map_->append(joined_, batch_.rows(), pairs_left_, right_batch_, pairs_right_);
      append_joined(out);
      return;
    }
    map_->append(out, batch_.rows(), pairs_left_, right_batch_, pairs_right_);
  }

  const plan::BindJoin& join_;
  Frame frame_;
  OperatorPtr left_;
  RowStore batch_;  // left rows at hand
  std::vector<size_t> key_columns_;
  size_t right_number_;
  plan::VariableList incoming_columns_;
  plan::VariableList joined_columns_;
  std::unique_ptr<OutputMap> map_;
  std::unique_ptr<Evaluator> conditions_;
  std::vector<size_t> out_columns_;

  Stage stage_ = Stage::kLeft;
  size_t rows_at_once_ = node_.stops_early ? 32 : kBatchRows;
  bool left_ended_ = false;
  RowBatch left_rows_batch_;
  std::vector<uint32_t> numbers_;  // of the keys, by left row
  RowBatch incoming_;
  std::vector<uint32_t> first_;  // left row, by key number
  std::vector<uint32_t> next_;   // left row, by left row
  std::vector<uint8_t> matched_;
  OperatorPtr right_;
  RowBatch right_batch_;
  size_t right_at_ = 0;
  uint32_t chain_ = OutputMap::kNone;
  std::vector<uint32_t> pairs_left_;
  std::vector<uint32_t> pairs_right_;
  RowBatch joined_;
  std::vector<uint8_t> keep_;
};

}  // namespace

Result<OperatorPtr> make_bind_join(const plan::PlanNode& node, Execution& execution,
                                   const Frame& frame, OperatorPtr left) {
  auto result = std::make_unique<BindJoinOperator>(
      node, execution, std::get<plan::BindJoin>(node.operation), frame, std::move(left));
  WEFT_TRY_STATUS(result->prepare());
  return OperatorPtr(std::move(result));
}

}  // namespace weft::exec

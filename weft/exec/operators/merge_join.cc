#include <algorithm>
#include <utility>

#include "weft/exec/operators/operator.h"
#include "weft/exec/operators/output_map.h"
#include "weft/exec/row_store.h"

namespace weft::exec {
namespace {

// One side: the batch at hand and the place in it.
struct Side {
  OperatorPtr input;
  size_t key_column;
  std::vector<size_t> others;
  RowBatch batch;
  size_t at = 0;
  bool ended = false;

  rdf::TermId key() const { return batch.columns[key_column][at]; }
};

// Both sides ascend by the key. The right rows of one key are gathered, the left rows of that key
// each meet them all.
class MergeJoinOperator final : public Operator {
 public:
  MergeJoinOperator(const plan::PlanNode& node, Execution& execution, const plan::MergeJoin& join,
                    OperatorPtr left, OperatorPtr right)
      : Operator(node, execution),
        key_(join.key),
        map_(node.columns, left->node().columns, left->node().certain, right->node().columns),
        group_(right->node().columns.size(), &execution.budget) {
    left_.key_column = column_of(left->node().columns, join.key);
    left_.others = columns_of(left->node().columns, join.others);
    left_.input = std::move(left);
    right_.key_column = column_of(right->node().columns, join.key);
    right_.others = columns_of(right->node().columns, join.others);
    right_.input = std::move(right);
  }

  Status skip_to(plan::Variable column, rdf::TermId id) override {
    if (column != key_) {
      return ok_status();
    }
    WEFT_TRY_STATUS(left_.input->skip_to(column, id));
    return right_.input->skip_to(column, id);
  }

 protected:
  Status produce(RowBatch& out) override {
    while (true) {
      if (!has_group_) {
        join_within_batches();
        flush(out, right_.batch);
        if (out.rows >= wanted_rows()) {
          return ok_status();
        }
      }
      WEFT_TRY_STATUS(join_group());
      flush(out, group_.rows());
      if (out.rows >= wanted_rows() || finished_) {
        return ok_status();
      }
      WEFT_TRY_STATUS(execution_.interrupt.check());
    }
  }

 private:
  void flush(RowBatch& out, const RowBatch& right) {
    if (!left_rows_.empty()) {
      map_.append(out, left_.batch, left_rows_, right, right_rows_);
      left_rows_.clear();
      right_rows_.clear();
    }
  }

  // The first place from `at` on whose key is at least `key`, by galloping.
  static size_t gallop(const Column& keys, size_t at, rdf::TermId key) {
    size_t step = 1;
    size_t low = at;
    while (low + step < keys.size() && keys[low + step] < key) {
      low += step;
      step *= 2;
    }
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end =
        keys.begin() + static_cast<std::ptrdiff_t>(std::min(keys.size(), low + step + 1));
    return static_cast<size_t>(std::lower_bound(begin, end, key) - keys.begin());
  }

  static size_t run_end(const Column& keys, size_t at) {
    const rdf::TermId key = keys[at];
    while (at < keys.size() && keys[at] == key) {
      ++at;
    }
    return at;
  }

  // The usual case: keys whose rows lie wholly in the two batches at hand. Stops where one batch
  // ends or a key may go on in the next.
  void join_within_batches() {
    if (left_.at >= left_.batch.rows || right_.at >= right_.batch.rows) {
      return;
    }
    const Column& left_keys = left_.batch.columns[left_.key_column];
    const Column& right_keys = right_.batch.columns[right_.key_column];
    while (left_rows_.size() < kBatchRows && left_.at < left_keys.size() &&
           right_.at < right_keys.size()) {
      const rdf::TermId left_key = left_keys[left_.at];
      const rdf::TermId right_key = right_keys[right_.at];
      if (left_key < right_key) {
        left_.at = gallop(left_keys, left_.at, right_key);
        continue;
      }
      if (right_key < left_key) {
        right_.at = gallop(right_keys, right_.at, left_key);
        continue;
      }
      const size_t left_end = run_end(left_keys, left_.at);
      const size_t right_end = run_end(right_keys, right_.at);
      if (left_end == left_keys.size() || right_end == right_keys.size() ||
          (left_end - left_.at) * (right_end - right_.at) > kBatchRows) {
        return;
      }
      for (; left_.at < left_end; ++left_.at) {
        for (size_t row = right_.at; row < right_end; ++row) {
          pair(row, right_.batch);
        }
      }
      right_.at = right_end;
    }
  }

  // The left row at hand with a right row, if the other shared columns agree too.
  void pair(size_t right_row, const RowBatch& right) {
    for (size_t i = 0; i < left_.others.size(); ++i) {
      if (left_.batch.columns[left_.others[i]][left_.at] !=
          right.columns[right_.others[i]][right_row]) {
        return;
      }
    }
    left_rows_.push_back(static_cast<uint32_t>(left_.at));
    right_rows_.push_back(static_cast<uint32_t>(right_row));
  }

  // False at the end of the side.
  Result<bool> fill(Side& side) {
    while (side.at >= side.batch.rows && !side.ended) {
      WEFT_TRY_STATUS(side.input->next(side.batch));
      side.at = 0;
      side.ended = side.batch.empty();
    }
    return !side.ended;
  }

  // Moves to the first row whose key is at least `key`: within the batch by galloping, else by a
  // jump of the input.
  Result<bool> advance(Side& side, rdf::TermId key) {
    while (true) {
      WEFT_TRY(const bool more, fill(side));
      if (!more) {
        return false;
      }
      const Column& keys = side.batch.columns[side.key_column];
      if (keys.back() < key) {
        side.at = side.batch.rows;
        WEFT_TRY_STATUS(side.input->skip_to(key_, key));
        continue;
      }
      side.at = gallop(keys, side.at, key);
      return true;
    }
  }

  // The general case: one key, whose rows may go over several batches. Collects pairs of the left
  // batch at hand until there are enough, or the batch or the group ends.
  Status join_group() {
    if (!has_group_) {
      WEFT_TRY(has_group_, find_match());
      finished_ = !has_group_;
    }
    while (has_group_ && left_rows_.size() < kBatchRows) {
      if (left_.at >= left_.batch.rows) {
        if (!left_rows_.empty()) {
          return ok_status();  // handed out before the batch is replaced
        }
        WEFT_TRY(const bool more, fill(left_));
        has_group_ = more;
      } else if (left_.key() == group_key_) {
        pair_row();
      } else {
        has_group_ = false;
      }
    }
    return ok_status();
  }

  // The left row at hand with the rows of the group, as many as fit.
  void pair_row() {
    const size_t end = std::min(group_.size(), group_at_ + kBatchRows);
    for (; group_at_ < end; ++group_at_) {
      pair(group_at_, group_.rows());
    }
    if (group_at_ >= group_.size()) {
      group_at_ = 0;
      ++left_.at;
    }
  }

  // Brings both sides to the next common key and gathers the right rows of it.
  Result<bool> find_match() {
    while (true) {
      WEFT_TRY(const bool left_more, fill(left_));
      if (!left_more) {
        return false;
      }
      WEFT_TRY(const bool right_more, advance(right_, left_.key()));
      if (!right_more) {
        return false;
      }
      if (right_.key() == left_.key()) {
        break;
      }
      WEFT_TRY(const bool left_still, advance(left_, right_.key()));
      if (!left_still) {
        return false;
      }
      if (left_.key() == right_.key()) {
        break;
      }
    }
    group_key_ = right_.key();
    group_.clear();
    group_at_ = 0;
    while (true) {
      const Column& keys = right_.batch.columns[right_.key_column];
      size_t end = right_.at;
      while (end < keys.size() && keys[end] == group_key_) {
        ++end;
      }
      WEFT_TRY_STATUS(group_.append(right_.batch, right_.at, end - right_.at));
      right_.at = end;
      if (end < right_.batch.rows) {
        break;
      }
      WEFT_TRY(const bool more, fill(right_));
      if (!more || right_.key() != group_key_) {
        break;
      }
    }
    has_group_ = true;
    return true;
  }

  plan::Variable key_;
  OutputMap map_;
  Side left_;
  Side right_;
  RowStore group_;
  rdf::TermId group_key_ = rdf::kNoTerm;
  size_t group_at_ = 0;
  bool has_group_ = false;
  bool finished_ = false;
  std::vector<uint32_t> left_rows_;
  std::vector<uint32_t> right_rows_;
};

}  // namespace

OperatorPtr make_merge_join(const plan::PlanNode& node, Execution& execution, OperatorPtr left,
                            OperatorPtr right) {
  return std::make_unique<MergeJoinOperator>(node, execution,
                                             std::get<plan::MergeJoin>(node.operation),
                                             std::move(left), std::move(right));
}

}  // namespace weft::exec

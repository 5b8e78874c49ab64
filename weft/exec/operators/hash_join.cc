#include <optional>
#include <utility>

#include "weft/exec/evaluator.h"
#include "weft/exec/operators/join_table.h"
#include "weft/exec/operators/operator.h"
#include "weft/exec/operators/output_map.h"
#include "weft/exec/parallel/share.h"
#include "weft/plan/variable_set.h"

namespace weft::exec {
namespace {

// Builds the right side, then streams the left one.
class HashJoinOperator final : public Operator {
 public:
  // `counted`: the shared columns that make two solutions of MINUS have something in common.
  // `shared`: the right side as it was built for several workers; null: `right` is built.
  HashJoinOperator(const plan::PlanNode& node, Execution& execution, const plan::HashJoin& join,
                   const plan::VariableList& counted, OperatorPtr left, OperatorPtr right,
                   JoinTable* shared, plan::VariableList joined_columns)
      : Operator(node, execution),
        join_(join),
        loose_(join.kind == plan::JoinKind::kAnti ? plan::intersect(join.loose, counted)
                                                  : join.loose),
        // MINUS wants a shared variable; a scope key is none.
        need_common_(join.kind == plan::JoinKind::kAnti &&
                     plan::intersect(join.keys, counted).empty()),
        joined_columns_(std::move(joined_columns)),
        left_(std::move(left)),
        right_(std::move(right)),
        left_keys_(columns_of(left_->node().columns, plan::unite(join.keys, join.scope_keys))),
        left_loose_(columns_of(left_->node().columns, loose_)),
        map_(joined_columns_, left_->node().columns, left_->node().certain,
             plan::keeps_left_only(join.kind) ? plan::VariableList() : node.inputs[1]->columns),
        built_(shared != nullptr),
        table_(shared) {
    if (table_ == nullptr) {
      own_table_.emplace(node, loose_, &execution.budget);
      table_ = &*own_table_;
    }
  }

  Status prepare() {
    if (!join_.conditions.empty()) {
      WEFT_TRY(conditions_, Evaluator::make(join_.conditions, joined_columns_, execution_));
      out_columns_ = columns_of(joined_columns_, node_.columns);
    }
    return ok_status();
  }

  Status skip_to(plan::Variable column, rdf::TermId id) override {
    return left_->skip_to(column, id);
  }

 protected:
  Status produce(RowBatch& out) override {
    if (!built_) {
      WEFT_TRY_STATUS(build());
    }
    while (out.rows < wanted_rows()) {
      if (match_at_ >= matches_.size() && !(conditions_ != nullptr && unmatched_pending_)) {
        if (ended_) {
          return ok_status();
        }
        // What was joined is handed out before the left batch is replaced.
        WEFT_TRY_STATUS(next_left());
        continue;
      }
      if (conditions_ != nullptr) {
        WEFT_TRY_STATUS(join_with_conditions(out));
      } else {
        collect_pairs(kBatchRows);
        map_.append(out, batch_, left_rows_, table_->rows(), right_rows_);
      }
      WEFT_TRY_STATUS(execution_.interrupt.check());
    }
    return ok_status();
  }

 private:
  Status build() {
    built_ = true;
    WEFT_TRY_STATUS(table_->fill(*right_));
    right_.reset();
    return ok_status();
  }

  Status next_left() {
    matches_.clear();
    match_at_ = 0;
    // An empty right side decides: nothing for joins, everything for the others.
    if (table_->rows().rows == 0 &&
        (join_.kind == plan::JoinKind::kInner || join_.kind == plan::JoinKind::kSemi)) {
      ended_ = true;
      return ok_status();
    }
    WEFT_TRY_STATUS(left_->next(batch_));
    if (batch_.empty()) {
      ended_ = true;
      return ok_status();
    }
    WEFT_TRY_STATUS(
        table_->probe(batch_, left_keys_, left_loose_, need_common_, scratch_, matches_));
    if (plan::keeps_left_only(join_.kind)) {
      keep_rows(join_.kind == plan::JoinKind::kSemi);
    } else if (join_.kind == plan::JoinKind::kLeft) {
      if (conditions_ != nullptr) {
        matched_.assign(batch_.rows, 0);
        unmatched_pending_ = true;
      } else {
        add_unmatched();
      }
    }
    return ok_status();
  }

  // The matches become the rows that have one (`wanted`), or have none.
  void keep_rows(bool wanted) {
    std::vector<JoinTable::Match> kept;
    size_t at = 0;
    for (uint32_t row = 0; row < batch_.rows; ++row) {
      bool found = false;
      for (; at < matches_.size() && matches_[at].probe_row == row; ++at) {
        found = true;
      }
      if (found == wanted) {
        kept.push_back({row, 0, JoinTable::kEnd});
      }
    }
    matches_ = std::move(kept);
    chain_ = JoinTable::kEnd;
  }

  // Rows without a match get one that is no row.
  void add_unmatched() {
    std::vector<JoinTable::Match> all;
    size_t at = 0;
    for (uint32_t row = 0; row < batch_.rows; ++row) {
      const size_t before = all.size();
      for (; at < matches_.size() && matches_[at].probe_row == row; ++at) {
        all.push_back(matches_[at]);
      }
      if (all.size() == before) {
        all.push_back({row, 0, JoinTable::kEnd});
      }
    }
    matches_ = std::move(all);
  }

  // Pairs from the matches, at most `count`.
  void collect_pairs(size_t count) {
    left_rows_.clear();
    right_rows_.clear();
    while (match_at_ < matches_.size() && left_rows_.size() < count) {
      const JoinTable::Match& match = matches_[match_at_];
      if (match.first == JoinTable::kEnd) {
        left_rows_.push_back(match.probe_row);
        right_rows_.push_back(OutputMap::kNone);
        ++match_at_;
        continue;
      }
      uint32_t row = in_chain_ ? chain_ : match.first;
      while (row != JoinTable::kEnd && left_rows_.size() < count) {
        left_rows_.push_back(match.probe_row);
        right_rows_.push_back(row);
        row = table_->next(match, row);
      }
      in_chain_ = row != JoinTable::kEnd;
      chain_ = row;
      if (!in_chain_) {
        ++match_at_;
      }
    }
  }

  Status join_with_conditions(RowBatch& out) {
    if (match_at_ < matches_.size()) {
      collect_pairs(kBatchRows);
    } else {
      // All pairs of this batch were tried.
      unmatched_pending_ = false;
      left_rows_.clear();
      right_rows_.clear();
      for (uint32_t row = 0; row < batch_.rows; ++row) {
        if (matched_[row] == 0) {
          left_rows_.push_back(row);
          right_rows_.push_back(OutputMap::kNone);
        }
      }
    }
    joined_.reset(joined_columns_.size());
    map_.append(joined_, batch_, left_rows_, table_->rows(), right_rows_);
    if (unmatched_pending_) {
      WEFT_TRY_STATUS(conditions_->filter(joined_, keep_));
      for (size_t i = 0; i < keep_.size(); ++i) {
        matched_[left_rows_[i]] |= keep_[i];
      }
      joined_.filter(keep_);
    }
    for (size_t c = 0; c < out.columns.size(); ++c) {
      const Column& from = joined_.columns[out_columns_[c]];
      out.columns[c].insert(out.columns[c].end(), from.begin(), from.end());
    }
    out.rows += joined_.rows;
    return ok_status();
  }

  const plan::HashJoin& join_;
  plan::VariableList loose_;
  bool need_common_;
  plan::VariableList joined_columns_;
  OperatorPtr left_;
  OperatorPtr right_;
  std::vector<size_t> left_keys_;
  std::vector<size_t> left_loose_;
  OutputMap map_;
  std::unique_ptr<Evaluator> conditions_;
  std::vector<size_t> out_columns_;

  bool built_;
  std::optional<JoinTable> own_table_;
  JoinTable* table_;
  JoinTable::Scratch scratch_;
  bool ended_ = false;
  RowBatch batch_;
  std::vector<JoinTable::Match> matches_;
  size_t match_at_ = 0;
  bool in_chain_ = false;
  uint32_t chain_ = JoinTable::kEnd;
  std::vector<uint32_t> left_rows_;
  std::vector<uint32_t> right_rows_;
  RowBatch joined_;
  std::vector<uint8_t> keep_;
  std::vector<uint8_t> matched_;  // by left row of the batch, with conditions
  bool unmatched_pending_ = false;
};

// What of `shared` is a variable here: the row outside of an EXISTS replaces what it binds.
plan::VariableList variables_here(plan::VariableList shared, const Frame& frame) {
  if (frame.outer == nullptr) {
    return shared;
  }
  for (size_t i = 0; i < frame.outer_columns->size(); ++i) {
    if (frame.outer->columns[i][0] != rdf::kNoTerm) {
      shared = plan::subtract(shared, {(*frame.outer_columns)[i]});
    }
  }
  return shared;
}

}  // namespace

Result<OperatorPtr> make_hash_join(const plan::PlanNode& node, Execution& execution,
                                   const Frame& frame, OperatorPtr left, OperatorPtr right) {
  const auto& join = std::get<plan::HashJoin>(node.operation);
  // Conditions may look at columns that are not handed on.
  plan::VariableList joined = node.columns;
  if (!join.conditions.empty()) {
    joined = plan::unite(left->node().columns, node.inputs[1]->columns);
  }
  const plan::VariableList counted = variables_here(plan::unite(join.keys, join.loose), frame);
  JoinTable* const shared = execution.share != nullptr ? execution.share->table(node) : nullptr;
  auto result = std::make_unique<HashJoinOperator>(node, execution, join, counted, std::move(left),
                                                   std::move(right), shared, std::move(joined));
  WEFT_TRY_STATUS(result->prepare());
  return OperatorPtr(std::move(result));
}

}  // namespace weft::exec

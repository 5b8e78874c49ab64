// Rows and the values they are sorted by: what ORDER BY keeps.
//
// Rows are sorted in runs as they come, and the runs are merged when they are asked for, so that no
// step takes long. With few wanted rows only they are kept, and a few times as many in between.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/exec/evaluator.h"
#include "weft/exec/execution.h"
#include "weft/exec/memory_charge.h"
#include "weft/exec/row_batch.h"
#include "weft/exec/row_store.h"
#include "weft/plan/plan.h"
#include "weft/rdf/value.h"

namespace weft::exec {

// Not thread-safe. The node (a SortRows) and the execution must outlive it.
class SortedRows {
 public:
  static Result<std::unique_ptr<SortedRows>> make(const plan::PlanNode& node, Execution& execution);

  // Of equal rows those that came earlier come first; with pieces, those of the lower piece. Rows
  // added from now on are of `piece`; tell before the first row, or never.
  void begin_piece(uint32_t piece);
  // Adds rows with the columns of the node's input; they may be changed.
  Status add(RowBatch& batch);
  // After the last row.
  Status finish();
  // Makes one run of all of them.
  Status merge_runs();

  // The rows kept, with the node's columns, in no order; ids may be replaced.
  RowBatch& rows() { return store_.rows(); }

 private:
  friend class SortedMerge;
  static constexpr uint64_t kTopRowsMax = 65'536;

  struct Run {
    size_t at;
    size_t end;
  };

  SortedRows(const plan::PlanNode& node, Execution& execution, std::unique_ptr<Evaluator> keys,
             std::unique_ptr<Evaluator> first_key);
  // Below zero: row `a` of `x` comes before row `b` of `y`. Both are of one node.
  static std::weak_ordering compare(const SortedRows& x, uint32_t a, const SortedRows& y,
                                    uint32_t b);
  bool is_before(uint32_t a, uint32_t b) const { return compare(*this, a, *this, b) < 0; }
  Status drop_late(RowBatch& batch);
  bool comes_too_late(uint32_t row);
  void keep_key_of(uint32_t row);
  void finish_run();
  void cut();

  const plan::SortRows& sort_;
  Execution& execution_;
  std::vector<size_t> columns_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Evaluator> first_key_;  // or null: there is one key, or it is no variable
  std::vector<uint8_t> keep_;
  RowStore store_;
  std::vector<std::vector<rdf::Value>> keys_;  // by key, by row
  std::vector<uint64_t> prefixes_;  // order_prefix of the first key, by row; ~ if it descends
  bool has_pieces_ = false;
  uint32_t piece_ = 0;
  std::vector<uint32_t> pieces_;  // by row, if there are any
  MemoryCharge key_charge_;
  uint64_t text_bytes_ = 0;
  std::vector<uint32_t> order_;  // rows, sorted within each run
  std::vector<Run> runs_;
  size_t run_begin_ = 0;
  size_t top_ = 0;  // 0: all
  bool has_limit_ = false;
  size_t limit_row_ = 0;
};

// The rows of several parts in order. Not thread-safe.
class SortedMerge {
 public:
  // Finished parts, of one node; they must outlive it.
  void begin(const std::vector<SortedRows*>& parts);
  // Appends the next rows to `out`, at most kBatchRows; none at the end.
  void next(RowBatch& out);

 private:
  struct Head {
    const SortedRows* part;
    size_t at;
    size_t end;
  };
  struct Later {
    bool operator()(const Head& a, const Head& b) const {
      return SortedRows::compare(*b.part, b.part->order_[b.at], *a.part, a.part->order_[a.at]) < 0;
    }
  };
  struct Picked {
    const SortedRows* part;
    uint32_t row;
  };
  std::vector<Head> heads_;
  std::vector<Picked> picked_;
};

}  // namespace weft::exec

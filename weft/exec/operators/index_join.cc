#include <algorithm>
#include <numeric>
#include <utility>

#include "weft/exec/operators/operator.h"
#include "weft/exec/operators/output_map.h"
#include "weft/exec/operators/pattern.h"
#include "weft/plan/plan_nodes.h"

namespace weft::exec {
namespace {

// Left rows are taken a batch at a time, brought into the order of their keys, and for each
// different key the pattern is scanned once. The source is told all keys of a batch beforehand, so
// over a network a batch costs a round or two, not each key.
class IndexJoinOperator final : public Operator {
 public:
  IndexJoinOperator(const plan::PlanNode& node, Execution& execution, const plan::IndexJoin& join,
                    const Frame& frame, OperatorPtr left)
      : Operator(node, execution),
        join_(join),
        reader_(join.scan, frame),
        left_(std::move(left)),
        found_columns_(plan::scan_variables(join.scan)),
        map_(node.columns, left_->node().columns, left_->node().certain, found_columns_) {
    keys_ = join.keys;
    // The order of the left rows survives if their keys are taken in it.
    const auto first = std::find(keys_.begin(), keys_.end(), left_->node().sorted_by);
    if (first != keys_.end()) {
      std::rotate(keys_.begin(), first, first + 1);
    }
    key_columns_ = columns_of(left_->node().columns, keys_);
    for (const plan::Variable variable : found_columns_) {
      sources_.push_back(reader_.source_of(variable));
    }
  }

  Status skip_to(plan::Variable column, rdf::TermId id) override {
    return left_->skip_to(column, id);
  }

 protected:
  Status produce(RowBatch& out) override {
    while (out.rows < wanted_rows()) {
      if (found_at_ >= found_.rows && cursor_ != nullptr) {
        WEFT_TRY_STATUS(next_found());
        continue;
      }
      if (found_at_ >= found_.rows) {
        WEFT_TRY(const bool more, next_keys_or_scan());
        if (!more) {
          return ok_status();
        }
        continue;
      }
      pair_some();
      map_.append(out, batch_, left_rows_, found_, found_rows_);
    }
    return ok_status();
  }

 private:
  // The left rows of each pattern, [group_begin_, group_end_) of `order_`, with the rows found, as
  // many as fit.
  void pair_some() {
    left_rows_.clear();
    found_rows_.clear();
    left_rows_.reserve(std::min(found_.rows - found_at_, kBatchRows));
    found_rows_.reserve(left_rows_.capacity());
    while (found_at_ < found_.rows && left_rows_.size() < kBatchRows) {
      while (cursor_ == nullptr && found_at_ >= ends_[looked_up_]) {
        enter_group(first_looked_up_ + ++looked_up_);
      }
      left_rows_.push_back(order_[group_at_]);
      found_rows_.push_back(static_cast<uint32_t>(found_at_));
      if (++group_at_ == group_end_) {
        group_at_ = group_begin_;
        ++found_at_;
      }
    }
  }

  Status next_found() {
    WEFT_TRY_STATUS(execution_.interrupt.check());
    WEFT_TRY_STATUS(cursor_->next(ids_));
    if (ids_.size() == 0) {
      cursor_.reset();
      return ok_status();
    }
    fill_graph(ids_);
    reader_.drop_unequal(ids_);
    take_found();
    group_at_ = group_begin_;
    return ok_status();
  }

  void take_found() {
    found_.reset(sources_.size());
    found_.rows = ids_.size();
    for (size_t i = 0; i < sources_.size(); ++i) {
      found_.columns[i].swap(id_column(ids_, sources_[i]));
    }
    found_at_ = 0;
  }

  void enter_group(size_t pattern) {
    group_begin_ = group_ends_[pattern] - group_sizes_[pattern];
    group_end_ = group_ends_[pattern];
    group_at_ = group_begin_;
  }

  // A graph that the key binds has no column of its own in the rows.
  void fill_graph(rdf::IdBatch& ids) const {
    if (join_.scan.graph.kind == plan::GraphChoice::Kind::kVariable && ids.graph.empty()) {
      ids.graph.assign(ids.size(), patterns_[pattern_at_ - 1].graph);
    }
  }

  // The rows of the next keys, looked up together, or the scan of the next key. False at the end.
  Result<bool> next_keys_or_scan() {
    found_at_ = 0;
    found_.rows = 0;
    if (!reader_.is_possible()) {
      return false;
    }
    while (pattern_at_ >= patterns_.size()) {
      WEFT_TRY_STATUS(execution_.interrupt.check());
      WEFT_TRY(const bool more, next_keys());
      if (!more) {
        return false;
      }
    }
    WEFT_TRY(const bool done, look_up());
    if (done) {
      return true;
    }
    if (!announced_ && patterns_.size() > 1) {
      announced_ = true;
      WEFT_TRY_STATUS(execution_.source.prefetch(
          patterns_, order_for(execution_.source, patterns_.front(), join_.scan.permutation),
          execution_.interrupt.stop()));
    }
    enter_group(pattern_at_);
    const rdf::IdPattern& pattern = patterns_[pattern_at_++];
    WEFT_TRY(cursor_, execution_.source.scan(
                          pattern, order_for(execution_.source, pattern, join_.scan.permutation),
                          execution_.interrupt.stop()));
    return true;
  }

  // False if the next pattern has to be scanned.
  Result<bool> look_up() {
    if (join_.scan.graph.kind == plan::GraphChoice::Kind::kVariable || reader_.drops_rows()) {
      return false;
    }
    const auto patterns = std::span(patterns_).subspan(pattern_at_);
    if (lookup_ == nullptr) {
      lookup_ = execution_.source.lookup();
    }
    WEFT_TRY(const size_t done,
             lookup_->look_up(
                 patterns, order_for(execution_.source, patterns.front(), join_.scan.permutation),
                 kBatchRows, ids_, ends_, execution_.interrupt.stop()));
    if (done == 0) {
      return false;
    }
    take_found();
    first_looked_up_ = pattern_at_;
    looked_up_ = 0;
    enter_group(pattern_at_);
    pattern_at_ += done;
    return true;
  }

  // Takes the next rows of the left batch, groups them by key and announces the keys.
  Result<bool> next_keys() {
    if (left_end_ >= batch_.rows) {
      WEFT_TRY_STATUS(left_->next(batch_));
      if (batch_.empty()) {
        return false;
      }
      left_end_ = 0;
    }
    const size_t begin = left_end_;
    left_end_ = std::min(batch_.rows, begin + keys_at_once_);
    keys_at_once_ = std::min(keys_at_once_ * 8, kBatchRows);
    order_.resize(left_end_ - begin);
    std::iota(order_.begin(), order_.end(), static_cast<uint32_t>(begin));
    const auto before = [&](uint32_t a, uint32_t b) {
      for (const size_t column : key_columns_) {
        const Column& ids = batch_.columns[column];
        if (ids[a] != ids[b]) {
          return ids[a] < ids[b];
        }
      }
      return false;
    };
    if (!std::is_sorted(order_.begin(), order_.end(), before)) {
      std::stable_sort(order_.begin(), order_.end(), before);
    }
    patterns_.clear();
    group_ends_.clear();
    group_sizes_.clear();
    pattern_at_ = 0;
    patterns_.reserve(order_.size());
    group_ends_.reserve(order_.size());
    group_sizes_.reserve(order_.size());
    for (size_t i = 0; i < order_.size();) {
      size_t end = i + 1;
      while (end < order_.size() && !before(order_[i], order_[end])) {
        ++end;
      }
      add_key(order_[i], end, end - i);
      i = end;
    }
    announced_ = false;
    return true;
  }

  void add_key(uint32_t row, size_t end, size_t size) {
    rdf::IdPattern pattern = reader_.pattern();
    for (size_t k = 0; k < keys_.size(); ++k) {
      const rdf::TermId id = batch_.columns[key_columns_[k]][row];
      if (is_computed(id)) {
        return;  // resolved, and not in the graph
      }
      reader_.bind(pattern, keys_[k], id);
    }
    patterns_.push_back(pattern);
    group_ends_.push_back(end);
    group_sizes_.push_back(size);
  }

  const plan::IndexJoin& join_;
  PatternReader reader_;
  OperatorPtr left_;
  plan::VariableList found_columns_;
  OutputMap map_;
  plan::VariableList keys_;
  std::vector<size_t> key_columns_;
  // Patterns [first_looked_up_, … + ends_.size()) were looked up together, if there is no cursor.
  size_t first_looked_up_ = 0;
  size_t looked_up_ = 0;  // the one at hand, counted from there
  std::vector<uint32_t> ends_;
  bool announced_ = false;
  std::vector<size_t> sources_;

  // Under a LIMIT begins with few keys and takes more each time.
  size_t keys_at_once_ = node_.stops_early ? (execution_.source.is_remote() ? 32 : 8) : kBatchRows;
  RowBatch batch_;
  size_t left_end_ = 0;
  std::vector<uint32_t> order_;  // rows of the batch, by key
  std::vector<rdf::IdPattern> patterns_;
  std::vector<size_t> group_ends_;
  std::vector<size_t> group_sizes_;
  size_t pattern_at_ = 0;
  size_t group_begin_ = 0;
  size_t group_end_ = 0;
  size_t group_at_ = 0;
  std::unique_ptr<QuadCursor> cursor_;
  std::unique_ptr<QuadLookup> lookup_;  // made when first needed
  rdf::IdBatch ids_;
  RowBatch found_;
  size_t found_at_ = 0;
  std::vector<uint32_t> left_rows_;
  std::vector<uint32_t> found_rows_;
};

}  // namespace

OperatorPtr make_index_join(const plan::PlanNode& node, Execution& execution, const Frame& frame,
                            OperatorPtr left) {
  return std::make_unique<IndexJoinOperator>(
      node, execution, std::get<plan::IndexJoin>(node.operation), frame, std::move(left));
}

}  // namespace weft::exec

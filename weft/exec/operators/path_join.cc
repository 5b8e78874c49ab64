#include <algorithm>
#include <optional>
#include <utility>

#include "weft/exec/key_table.h"
#include "weft/exec/operators/operator.h"
#include "weft/exec/operators/output_map.h"
#include "weft/exec/operators/pattern.h"
#include "weft/exec/path_walker.h"
#include "weft/plan/variable_set.h"

namespace weft::exec {
namespace {

rdf::IdPattern graphs_of(const plan::PathScan& path, const Frame& frame) {
  rdf::IdPattern pattern;
  if (path.graph.kind == plan::GraphChoice::Kind::kConstant) {
    pattern.scope = rdf::GraphScope::kOne;
    pattern.graph = path.graph.id;
  } else if (path.graph.kind == plan::GraphChoice::Kind::kLoop) {
    pattern.scope = rdf::GraphScope::kOne;
    pattern.graph = frame.loop_graph;
  }
  return pattern;
}

// What the row outside an EXISTS puts in the place of `end`, or kNoTerm.
rdf::TermId replacement(const plan::PatternSlot& end, bool is_replaced, const Frame& frame) {
  if (!is_replaced || frame.outer == nullptr) {
    return rdf::kNoTerm;
  }
  const size_t column = column_of(*frame.outer_columns, *end.variable);
  return column == kNoColumn ? rdf::kNoTerm : frame.outer->columns[column][0];
}

// Takes left rows a batch at a time and walks once for each different key: forwards from a known
// subject, backwards from a known object, from every possible node if neither is known. Ends are
// paired with the left rows as they are found.
class PathJoinOperator final : public Operator {
 public:
  PathJoinOperator(const plan::PlanNode& node, Execution& execution, const plan::PathJoin& join,
                   const Frame& frame, OperatorPtr left)
      : Operator(node, execution),
        path_(join.path),
        keys_(join.keys),
        graphs_(graphs_of(join.path, frame)),
        possible_(graphs_.scope == rdf::GraphScope::kDefault || graphs_.graph != rdf::kNoTerm),
        left_(std::move(left)),
        key_columns_(columns_of(left_->node().columns, keys_)),
        fixed_subject_(replacement(path_.subject, path_.subject_is_replaced, frame)),
        fixed_object_(replacement(path_.object, path_.object_is_replaced, frame)),
        forwards_(path_.forwards, graphs_, execution),
        backwards_(path_.backwards, graphs_, execution) {
    if (path_.subject.variable) {
      plan::insert(end_columns_, *path_.subject.variable);
    }
    if (path_.object.variable) {
      plan::insert(end_columns_, *path_.object.variable);
    }
    map_ = std::make_unique<OutputMap>(node.columns, left_->node().columns, left_->node().certain,
                                       end_columns_);
  }

 protected:
  Status produce(RowBatch& out) override {
    while (possible_ && out.rows < wanted_rows()) {
      if (end_at_ < ends_.size()) {
        emit(out);
      } else if (walker_ != nullptr) {
        WEFT_TRY_STATUS(walk_on(wanted_rows() - out.rows));
      } else if (starts_ != nullptr) {
        WEFT_TRY_STATUS(next_start());
      } else if (key_at_ < key_count_) {
        WEFT_TRY_STATUS(begin_key());
      } else {
        WEFT_TRY_STATUS(next_left());
        if (batch_.empty()) {
          return ok_status();
        }
      }
    }
    return ok_status();
  }

 private:
  // --- Left rows

  Status next_left() {
    WEFT_TRY_STATUS(left_->next(batch_));
    table_.emplace(key_columns_.size(), &execution_.budget);
    std::vector<const Column*> keys;
    keys.reserve(key_columns_.size());
    for (const size_t column : key_columns_) {
      keys.push_back(&batch_.columns[column]);
    }
    std::vector<uint32_t> numbers;
    WEFT_TRY_STATUS(table_->insert(keys, batch_.rows, numbers));
    key_count_ = table_->size();
    key_at_ = 0;
    // Chains of rows by key, ascending.
    first_.assign(key_count_, OutputMap::kNone);
    next_.assign(batch_.rows, OutputMap::kNone);
    for (size_t row = batch_.rows; row-- > 0;) {
      next_[row] = first_[numbers[row]];
      first_[numbers[row]] = static_cast<uint32_t>(row);
    }
    return ok_status();
  }

  rdf::TermId key_of(const plan::PatternSlot& end, size_t key) const {
    if (!end.variable) {
      return end.id;
    }
    const size_t column = column_of(keys_, *end.variable);
    return column == kNoColumn ? rdf::kNoTerm : table_->column(column)[key];
  }

  // --- Walks

  Status begin_key() {
    key_ = key_at_++;
    rdf::TermId subject = key_of(path_.subject, key_);
    rdf::TermId object = key_of(path_.object, key_);
    target_ = rdf::kNoTerm;
    if (!agree(subject, fixed_subject_) || !agree(object, fixed_object_)) {
      return ok_status();
    }
    if (subject != rdf::kNoTerm) {
      target_ = object;
      return begin_walk(forwards_, subject, true);
    }
    if (object != rdf::kNoTerm) {
      return begin_walk(backwards_, object, false);
    }
    starts_ = std::make_unique<PathStarts>(path_.forwards, path_.forwards.matches_nothing_walked(),
                                           node_.stops_early, graphs_, execution_);
    start_nodes_.clear();
    start_at_ = 0;
    return ok_status();
  }

  // `key` becomes `fixed`, unless it is something else already.
  static bool agree(rdf::TermId& key, rdf::TermId fixed) {
    if (fixed == rdf::kNoTerm) {
      return true;
    }
    if (key == rdf::kNoTerm) {
      key = fixed;
    }
    return key == fixed;
  }

  Status next_start() {
    if (start_at_ >= start_nodes_.size()) {
      WEFT_TRY_STATUS(starts_->next(start_nodes_));
      start_at_ = 0;
      if (start_nodes_.empty()) {
        starts_.reset();
        return ok_status();
      }
    }
    const rdf::TermId start = start_nodes_[start_at_++];
    target_ = path_.subject.variable == path_.object.variable ? start : rdf::kNoTerm;
    forwards_walk_ = true;
    walker_ = &forwards_;
    start_ = start;
    return forwards_.begin(start, true);
  }

  Status begin_walk(PathWalker& walker, rdf::TermId start, bool forwards) {
    const bool same = path_.subject.variable && path_.subject.variable == path_.object.variable;
    if (same) {
      target_ = start;
    }
    // Between two variables only terms of the graph are their own ends (SPARQL 1.1 Query §18.4).
    bool counts = path_.forwards.matches_nothing_walked();
    const bool named = !path_.subject.variable || !path_.object.variable ||
                       fixed_subject_ != rdf::kNoTerm || fixed_object_ != rdf::kNoTerm;
    if (counts && !named) {
      WEFT_TRY(counts, is_node(start));
    }
    walker_ = &walker;
    forwards_walk_ = forwards;
    start_ = start;
    return walker.begin(start, counts);
  }

  Result<bool> is_node(rdf::TermId id) const {
    if (is_computed(id)) {
      return false;
    }
    for (const bool as_object : {false, true}) {
      rdf::IdPattern pattern = graphs_;
      (as_object ? pattern.object : pattern.subject) = id;
      const rdf::Permutation order = order_for(
          execution_.source, pattern, as_object ? rdf::Permutation::kOsp : rdf::Permutation::kSpo);
      WEFT_TRY(const auto cursor,
               execution_.source.scan(pattern, order, execution_.interrupt.stop()));
      rdf::IdBatch batch;
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() != 0) {
        return true;
      }
    }
    return false;
  }

  // Until `wanted` ends are there, or all.
  Status walk_on(size_t wanted) {
    ends_.clear();
    end_at_ = 0;
    chain_ = OutputMap::kNone;
    while (ends_.size() < wanted && walker_ != nullptr) {
      WEFT_TRY(const bool more, walker_->more(ends_));
      if (target_ != rdf::kNoTerm) {
        const bool found = std::find(ends_.begin(), ends_.end(), target_) != ends_.end();
        ends_.clear();
        if (found) {
          ends_.push_back(target_);
          walker_ = nullptr;  // that is all there was to know
          return ok_status();
        }
      }
      if (!more) {
        walker_ = nullptr;
      }
    }
    return ok_status();
  }

  // --- Rows

  void emit(RowBatch& out) {
    pairs_left_.clear();
    pairs_right_.clear();
    while (end_at_ < ends_.size() && pairs_left_.size() < kBatchRows) {
      if (chain_ == OutputMap::kNone) {
        chain_ = first_[key_];
      }
      while (chain_ != OutputMap::kNone && pairs_left_.size() < kBatchRows) {
        pairs_left_.push_back(chain_);
        pairs_right_.push_back(static_cast<uint32_t>(end_at_));
        chain_ = next_[chain_];
      }
      end_at_ += chain_ == OutputMap::kNone ? 1 : 0;
    }
    found_.reset(end_columns_.size());
    found_.rows = ends_.size();
    for (size_t c = 0; c < end_columns_.size(); ++c) {
      const bool is_start =
          end_columns_[c] == (forwards_walk_ ? path_.subject.variable : path_.object.variable);
      if (is_start) {
        found_.columns[c].assign(ends_.size(), start_);
      } else {
        found_.columns[c] = ends_;
      }
    }
    map_->append(out, batch_, pairs_left_, found_, pairs_right_);
  }

  const plan::PathScan& path_;
  const plan::VariableList& keys_;
  rdf::IdPattern graphs_;
  bool possible_;
  OperatorPtr left_;
  std::vector<size_t> key_columns_;
  rdf::TermId fixed_subject_;  // kNoTerm: not replaced
  rdf::TermId fixed_object_;
  plan::VariableList end_columns_;
  std::unique_ptr<OutputMap> map_;
  PathWalker forwards_;
  PathWalker backwards_;

  RowBatch batch_;
  std::optional<KeyTable> table_;
  size_t key_count_ = 0;
  size_t key_at_ = 0;
  size_t key_ = 0;
  std::vector<uint32_t> first_;  // left row, by key
  std::vector<uint32_t> next_;   // left row, by left row

  std::unique_ptr<PathStarts> starts_;
  std::vector<rdf::TermId> start_nodes_;
  size_t start_at_ = 0;
  PathWalker* walker_ = nullptr;  // of the walk at hand
  bool forwards_walk_ = true;
  rdf::TermId start_ = rdf::kNoTerm;
  rdf::TermId target_ = rdf::kNoTerm;  // the only end that is wanted
  Column ends_;
  size_t end_at_ = 0;
  uint32_t chain_ = OutputMap::kNone;
  RowBatch found_;
  std::vector<uint32_t> pairs_left_;
  std::vector<uint32_t> pairs_right_;
};

}  // namespace

OperatorPtr make_path_join(const plan::PlanNode& node, Execution& execution, const Frame& frame,
                           OperatorPtr left) {
  return std::make_unique<PathJoinOperator>(
      node, execution, std::get<plan::PathJoin>(node.operation), frame, std::move(left));
}

}  // namespace weft::exec

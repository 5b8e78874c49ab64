// Leaves: scans, values, graphs, incoming rows, counts.
#include <algorithm>
#include <utility>

#include "weft/exec/operators/operator.h"
#include "weft/exec/operators/pattern.h"
#include "weft/exec/operators/text_scan.h"
#include "weft/exec/parallel/share.h"

namespace weft::exec {
namespace {

class ScanOperator final : public Operator {
 public:
  // `share`: of which only a part is wanted, or null.
  ScanOperator(const plan::PlanNode& node, Execution& execution, const plan::Scan& scan,
               const Frame& frame, const Share* share)
      : Operator(node, execution), scan_(scan), reader_(scan, frame), share_(share) {
    for (const plan::Variable variable : node.columns) {
      sources_.push_back(reader_.source_of(variable));
    }
  }

  Status skip_to(plan::Variable column, rdf::TermId id) override {
    if (cursor_ == nullptr || node_.sorted_by != column) {
      return ok_status();
    }
    return cursor_->seek(id, rdf::kNoTerm);
  }

 protected:
  Status produce(RowBatch& out) override {
    if (cursor_ == nullptr) {
      if (done_ || !reader_.is_possible()) {
        return ok_status();
      }
      WEFT_TRY_STATUS(open());
    }
    while (true) {
      if (rows_ >= kTextRowsBefore && asks_later_) {
        WEFT_TRY_STATUS(ask_text_index());
      }
      WEFT_TRY(const bool more, read_batch());
      if (!more) {
        cursor_.reset();
        done_ = true;
        return ok_status();
      }
      if (asks_later_) {
        keep_last();
      }
      reader_.drop_unequal(batch_);
      if (batch_.size() != 0) {
        break;
      }
      WEFT_TRY_STATUS(execution_.interrupt.check());
    }
    out.rows = batch_.size();
    for (size_t i = 0; i < sources_.size(); ++i) {
      out.columns[i].swap(id_column(batch_, sources_[i]));
    }
    return ok_status();
  }

 private:
  Status open() {
    // Workers share out what the index does not narrow (Team::open).
    if (node_.text != nullptr && execution_.share == nullptr) {
      asks_later_ = node_.stops_early && can_ask_later(reader_.pattern());
      if (!asks_later_) {
        WEFT_TRY(cursor_,
                 open_text_scan({node_, reader_.pattern(), scan_.permutation}, execution_));
      }
    }
    if (cursor_ == nullptr) {
      WEFT_TRY(cursor_, execution_.source.scan(reader_.pattern(), scan_.permutation,
                                               execution_.interrupt.stop()));
      if (node_.stops_early) {
        cursor_->start_small();
      }
    }
    return share_ != nullptr ? share_->begin(*cursor_) : ok_status();
  }

  // False at the end. Else there may be no row in the batch.
  Result<bool> read_batch() {
    batch_.clear();
    if (is_last_) {
      return false;
    }
    WEFT_TRY_STATUS(cursor_->next(batch_));
    rows_ += batch_.size();
    if (share_ == nullptr) {
      return batch_.size() != 0;
    }
    is_last_ = !share_->keep(reader_.pattern(), scan_.permutation, batch_);
    return !is_last_ || batch_.size() != 0;
  }

  // Many rows went by, and more are wanted: a filter keeps few of them.
  Status ask_text_index() {
    asks_later_ = false;
    WEFT_TRY(auto cursor,
             open_text_scan({node_, reader_.pattern(), scan_.permutation, &last_}, execution_));
    if (cursor != nullptr) {
      cursor_ = std::move(cursor);
    }
    return ok_status();
  }

  // The last row at hand, before its columns are handed out.
  void keep_last() {
    for (size_t c = 0; c < 3; ++c) {
      id_column(last_, c).assign(1, id_column(batch_, c).back());
    }
  }

  const plan::Scan& scan_;
  PatternReader reader_;
  const Share* share_;
  std::vector<size_t> sources_;
  std::unique_ptr<QuadCursor> cursor_;
  rdf::IdBatch batch_;
  bool is_last_ = false;  // no row behind the batch at hand is of the share
  bool done_ = false;
  // Under a LIMIT the text index is asked only once many rows went by without enough.
  bool asks_later_ = false;
  size_t rows_ = 0;
  rdf::IdBatch last_;
};

// A few rows that are there from the beginning.
class RowsOperator final : public Operator {
 public:
  RowsOperator(const plan::PlanNode& node, Execution& execution, RowBatch rows)
      : Operator(node, execution), rows_(std::move(rows)) {}

 protected:
  Status produce(RowBatch& out) override {
    const size_t count = std::min(kBatchRows, rows_.rows - at_);
    for (size_t c = 0; c < out.columns.size(); ++c) {
      const auto begin = rows_.columns[c].begin() + static_cast<std::ptrdiff_t>(at_);
      out.columns[c].assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    out.rows = count;
    at_ += count;
    return ok_status();
  }

 private:
  RowBatch rows_;
  size_t at_ = 0;
};

class CountOperator final : public Operator {
 public:
  CountOperator(const plan::PlanNode& node, Execution& execution, const plan::CountRows& count,
                const Frame& frame)
      : Operator(node, execution), count_(count), reader_(count.scan, frame) {}

 protected:
  Status produce(RowBatch& out) override {
    if (done_) {
      return ok_status();
    }
    done_ = true;
    uint64_t rows = 0;
    if (reader_.is_possible()) {
      WEFT_TRY(const rdf::Cardinality known, execution_.source.cardinality(reader_.pattern()));
      if (known.exact) {
        rows = static_cast<uint64_t>(known.rows);
      } else {
        WEFT_TRY(rows, counted());
      }
    }
    const std::string token =
        "\"" + std::to_string(rows) + "\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    WEFT_TRY(const rdf::TermId id, execution_.pool.intern(token));
    for (Column& column : out.columns) {
      column.push_back(id);
    }
    out.rows = 1;
    return ok_status();
  }

 private:
  Result<uint64_t> counted() {
    WEFT_TRY(const auto cursor, execution_.source.scan(reader_.pattern(), count_.scan.permutation,
                                                       execution_.interrupt.stop()));
    uint64_t rows = 0;
    for (rdf::IdBatch batch;;) {
      WEFT_TRY_STATUS(execution_.interrupt.check());
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        return rows;
      }
      rows += batch.size();
    }
  }

  const plan::CountRows& count_;
  PatternReader reader_;
  bool done_ = false;
};

RowBatch select_columns(const RowBatch& rows, const plan::VariableList& have,
                        const plan::VariableList& wanted) {
  RowBatch result;
  result.reset(wanted.size());
  result.rows = rows.rows;
  for (size_t i = 0; i < wanted.size(); ++i) {
    result.columns[i] = rows.columns[column_of(have, wanted[i])];
  }
  return result;
}

Result<bool> has_quads(Execution& execution, rdf::TermId graph) {
  rdf::IdPattern pattern;
  pattern.scope = rdf::GraphScope::kOne;
  pattern.graph = graph;
  const rdf::Permutation order = order_for(execution.source, pattern, rdf::Permutation::kSpo);
  WEFT_TRY(const auto cursor, execution.source.scan(pattern, order, execution.interrupt.stop()));
  rdf::IdBatch batch;
  WEFT_TRY_STATUS(cursor->next(batch));
  return batch.size() != 0;
}

}  // namespace

Result<OperatorPtr> make_scan(const plan::PlanNode& node, Execution& execution,
                              const Frame& frame) {
  const bool is_shared = execution.share != nullptr && execution.share->scan == &node;
  return OperatorPtr(std::make_unique<ScanOperator>(node, execution,
                                                    std::get<plan::Scan>(node.operation), frame,
                                                    is_shared ? execution.share : nullptr));
}

Result<OperatorPtr> make_leaf(const plan::PlanNode& node, Execution& execution,
                              const Frame& frame) {
  RowBatch rows;
  rows.reset(node.columns.size());
  if (const auto* count = std::get_if<plan::CountRows>(&node.operation)) {
    return OperatorPtr(std::make_unique<CountOperator>(node, execution, *count, frame));
  }
  if (const auto* values = std::get_if<plan::ValueRows>(&node.operation)) {
    rows.rows = values->row_count;
    for (size_t i = 0; i < node.columns.size(); ++i) {
      const auto found =
          std::find(values->variables.begin(), values->variables.end(), node.columns[i]);
      rows.columns[i] = values->columns[static_cast<size_t>(found - values->variables.begin())];
    }
  } else if (std::holds_alternative<plan::OuterRow>(node.operation)) {
    rows = select_columns(*frame.outer, *frame.outer_columns, node.columns);
  } else if (std::holds_alternative<plan::IncomingRows>(node.operation)) {
    rows = select_columns(*frame.incoming, *frame.incoming_columns, node.columns);
  } else if (std::holds_alternative<plan::GraphNames>(node.operation)) {
    WEFT_TRY(const std::vector<rdf::TermId> graphs, execution.source.graphs());
    rows.rows = graphs.size();
    for (Column& column : rows.columns) {
      column = graphs;
    }
  } else if (const auto* present = std::get_if<plan::GraphPresent>(&node.operation)) {
    WEFT_TRY(const bool is_there, has_quads(execution, present->graph));
    rows.rows = is_there ? 1 : 0;
  } else if (std::holds_alternative<plan::OneRow>(node.operation)) {
    rows.rows = 1;
  }
  return OperatorPtr(std::make_unique<RowsOperator>(node, execution, std::move(rows)));
}

}  // namespace weft::exec

// Operators: each pulls batches of rows from its inputs and hands out batches of its own.
//
// O1  The columns of a batch are those of the plan node, in its order.
// O2  Every batch asks whether the query is still wanted.
// O3  What an operator keeps is covered by the query's budget before it grows.
#pragma once

#include <memory>

#include "weft/base/result.h"
#include "weft/exec/execution.h"
#include "weft/exec/row_batch.h"
#include "weft/plan/plan.h"

namespace weft::exec {

// What surrounds an operator: the rows of the enclosing bind join, the graph of the enclosing loop,
// the row that the enclosing EXISTS is asked for.
struct Frame {
  const RowBatch* incoming = nullptr;
  const plan::VariableList* incoming_columns = nullptr;  // ascending
  rdf::TermId loop_graph = rdf::kNoTerm;
  const RowBatch* outer = nullptr;  // of an EXISTS: one row
  const plan::VariableList* outer_columns = nullptr;
};

// Not thread-safe. Must not outlive its plan node, its execution and its frame's rows.
class Operator {
 public:
  Operator(const plan::PlanNode& node, Execution& execution) : node_(node), execution_(execution) {}
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  // Replaces `out` with the next rows; an empty batch is the end (and stays it).
  Status next(RowBatch& out) {
    WEFT_TRY_STATUS(execution_.interrupt.check());
    out.reset(node_.columns.size());
    plan::NodeRun& run = execution_.runs[node_.number];
    if (execution_.stopwatch == nullptr) {
      WEFT_TRY_STATUS(produce(out));
    } else {
      const int64_t begin = execution_.stopwatch->monotonic_microseconds();
      WEFT_TRY_STATUS(produce(out));
      run.microseconds += execution_.stopwatch->monotonic_microseconds() - begin;
    }
    run.rows += out.rows;
    return ok_status();
  }
  // Rows whose `column` is below `id` are no longer wanted; rows must come sorted by it. A hint.
  virtual Status skip_to(plan::Variable /*column*/, rdf::TermId /*id*/) { return ok_status(); }

  const plan::PlanNode& node() const { return node_; }

 protected:
  // Rows to gather before a batch is handed out: under a LIMIT the first ones are wanted soon.
  size_t wanted_rows() const { return node_.stops_early ? 1 : kBatchRows; }
  // `out` has the node's columns, empty.
  virtual Status produce(RowBatch& out) = 0;

  const plan::PlanNode& node_;
  Execution& execution_;
};
using OperatorPtr = std::unique_ptr<Operator>;

// Makes the operators of a plan. `frame` is copied; what it points to must outlive the operators.
Result<OperatorPtr> make_operator(const plan::PlanNode& node, Execution& execution,
                                  const Frame& frame);

// The same without regard to a mark that its rows are shared out to workers.
Result<OperatorPtr> make_plain_operator(const plan::PlanNode& node, Execution& execution,
                                        const Frame& frame);

inline constexpr size_t kNoColumn = SIZE_MAX;
// The place of `variable` in ascending `columns`, or kNoColumn.
size_t column_of(const plan::VariableList& columns, plan::Variable variable);
// The same for each of `wanted`.
std::vector<size_t> columns_of(const plan::VariableList& columns, const plan::VariableList& wanted);

// --- By kind of node (operators/*.cc)
Result<OperatorPtr> make_scan(const plan::PlanNode& node, Execution& execution, const Frame& frame);
Result<OperatorPtr> make_leaf(const plan::PlanNode& node, Execution& execution, const Frame& frame);
OperatorPtr make_merge_join(const plan::PlanNode& node, Execution& execution, OperatorPtr left,
                            OperatorPtr right);
Result<OperatorPtr> make_hash_join(const plan::PlanNode& node, Execution& execution,
                                   const Frame& frame, OperatorPtr left, OperatorPtr right);
OperatorPtr make_index_join(const plan::PlanNode& node, Execution& execution, const Frame& frame,
                            OperatorPtr left);
OperatorPtr make_path_join(const plan::PlanNode& node, Execution& execution, const Frame& frame,
                           OperatorPtr left);
OperatorPtr make_service_join(const plan::PlanNode& node, Execution& execution, OperatorPtr left);
Result<OperatorPtr> make_bind_join(const plan::PlanNode& node, Execution& execution,
                                   const Frame& frame, OperatorPtr left);
Result<OperatorPtr> make_row_operator(const plan::PlanNode& node, Execution& execution,
                                      OperatorPtr input);
OperatorPtr make_graph_loop(const plan::PlanNode& node, Execution& execution, const Frame& frame);
OperatorPtr make_union(const plan::PlanNode& node, Execution& execution, const Frame& frame);
Result<OperatorPtr> make_sort(const plan::PlanNode& node, Execution& execution, OperatorPtr input);
Result<OperatorPtr> make_group(const plan::PlanNode& node, Execution& execution, OperatorPtr input);

}  // namespace weft::exec

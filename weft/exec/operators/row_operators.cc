// Filter, extend, project, distinct, slice: one batch in, one batch out.
#include <algorithm>
#include <utility>

#include "weft/exec/evaluator.h"
#include "weft/exec/key_table.h"
#include "weft/exec/operators/operator.h"
#include "weft/plan/variable_set.h"

namespace weft::exec {
namespace {

// Hands the columns of `from` on to `out`; `from` loses them.
void move_columns(RowBatch& from, const std::vector<size_t>& columns, RowBatch& out) {
  out.rows = from.rows;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == kNoColumn) {
      out.columns[i].assign(from.rows, rdf::kNoTerm);
    } else {
      out.columns[i].swap(from.columns[columns[i]]);
    }
  }
}

class FilterOperator final : public Operator {
 public:
  FilterOperator(const plan::PlanNode& node, Execution& execution, OperatorPtr input,
                 std::unique_ptr<Evaluator> conditions)
      : Operator(node, execution),
        columns_(columns_of(input->node().columns, node.columns)),
        input_(std::move(input)),
        conditions_(std::move(conditions)) {}

  Status skip_to(plan::Variable column, rdf::TermId id) override {
    return input_->skip_to(column, id);
  }

 protected:
  Status produce(RowBatch& out) override {
    do {
      WEFT_TRY_STATUS(input_->next(batch_));
      if (batch_.empty()) {
        return ok_status();
      }
      WEFT_TRY_STATUS(conditions_->filter(batch_, keep_));
      batch_.filter(keep_);
    } while (batch_.empty());
    move_columns(batch_, columns_, out);
    return ok_status();
  }

 private:
  std::vector<size_t> columns_;
  OperatorPtr input_;
  std::unique_ptr<Evaluator> conditions_;
  RowBatch batch_;
  std::vector<uint8_t> keep_;
};

// Steps see the columns of the steps before: the batch grows by one column each.
class ExtendOperator final : public Operator {
 public:
  ExtendOperator(const plan::PlanNode& node, Execution& execution, OperatorPtr input)
      : Operator(node, execution), input_(std::move(input)) {}

  Status prepare(const plan::ExtendRows& extend) {
    plan::VariableList columns = input_->node().columns;
    for (const plan::ExtendRows::Step& step : extend.steps) {
      const sparql::Expression* expression = step.expression;
      WEFT_TRY(std::unique_ptr<Evaluator> evaluator,
               Evaluator::make({&expression, 1}, columns, execution_, EvaluatorUse::kIds));
      plan::insert(columns, step.variable);
      steps_.push_back({std::move(evaluator), column_of(columns, step.variable), step.resolve});
    }
    columns_ = columns_of(columns, node_.columns);
    return ok_status();
  }

 protected:
  Status produce(RowBatch& out) override {
    WEFT_TRY_STATUS(input_->next(batch_));
    if (batch_.empty()) {
      return ok_status();
    }
    const uint64_t first_solution = execution_.solution_count;
    execution_.solution_count += batch_.rows;
    for (const Step& step : steps_) {
      step.evaluator->number_solutions(first_solution);
      WEFT_TRY_STATUS(step.evaluator->load(batch_));
      Column column(batch_.rows);
      for (size_t row = 0; row < batch_.rows; ++row) {
        WEFT_TRY(column[row], step.evaluator->id(0, row));
      }
      if (step.resolve) {
        WEFT_TRY_STATUS(execution_.resolve(column));
      }
      batch_.columns.insert(batch_.columns.begin() + static_cast<std::ptrdiff_t>(step.column),
                            std::move(column));
    }
    move_columns(batch_, columns_, out);
    return ok_status();
  }

 private:
  struct Step {
    std::unique_ptr<Evaluator> evaluator;
    size_t column;
    bool resolve;
  };
  OperatorPtr input_;
  std::vector<Step> steps_;
  std::vector<size_t> columns_;
  RowBatch batch_;
};

class ProjectOperator final : public Operator {
 public:
  ProjectOperator(const plan::PlanNode& node, Execution& execution, OperatorPtr input)
      : Operator(node, execution),
        columns_(columns_of(input->node().columns, node.columns)),
        input_(std::move(input)) {}

  Status skip_to(plan::Variable column, rdf::TermId id) override {
    return input_->skip_to(column, id);
  }

 protected:
  Status produce(RowBatch& out) override {
    WEFT_TRY_STATUS(input_->next(batch_));
    move_columns(batch_, columns_, out);
    return ok_status();
  }

 private:
  std::vector<size_t> columns_;
  OperatorPtr input_;
  RowBatch batch_;
};

// Keeps each row the first time it comes, by ids.
class DistinctOperator final : public Operator {
 public:
  DistinctOperator(const plan::PlanNode& node, Execution& execution, OperatorPtr input)
      : Operator(node, execution),
        columns_(columns_of(input->node().columns, node.columns)),
        input_(std::move(input)),
        seen_(node.columns.size(), &execution.budget) {}

 protected:
  Status produce(RowBatch& out) override {
    do {
      WEFT_TRY_STATUS(execution_.interrupt.check());
      WEFT_TRY_STATUS(input_->next(batch_));
      if (batch_.empty()) {
        return ok_status();
      }
      std::vector<const Column*> keys;
      for (const size_t column : columns_) {
        keys.push_back(&batch_.columns[column]);
      }
      const size_t before = seen_.size();
      WEFT_TRY_STATUS(seen_.insert(keys, batch_.rows, numbers_));
      keep_.assign(batch_.rows, 0);
      size_t next = before;
      for (size_t row = 0; row < batch_.rows; ++row) {
        if (numbers_[row] == next) {
          keep_[row] = 1;
          ++next;
        }
      }
      batch_.filter(keep_);
    } while (batch_.empty());
    move_columns(batch_, columns_, out);
    return ok_status();
  }

 private:
  std::vector<size_t> columns_;
  OperatorPtr input_;
  KeyTable seen_;
  RowBatch batch_;
  std::vector<uint32_t> numbers_;
  std::vector<uint8_t> keep_;
};

class SliceOperator final : public Operator {
 public:
  SliceOperator(const plan::PlanNode& node, Execution& execution, const plan::SliceRows& slice,
                OperatorPtr input)
      : Operator(node, execution),
        columns_(columns_of(input->node().columns, node.columns)),
        input_(std::move(input)),
        to_skip_(slice.offset),
        to_take_(slice.limit.value_or(UINT64_MAX)) {}

 protected:
  Status produce(RowBatch& out) override {
    while (to_take_ > 0) {
      WEFT_TRY_STATUS(input_->next(batch_));
      if (batch_.empty()) {
        return ok_status();
      }
      const size_t skipped = static_cast<size_t>(std::min<uint64_t>(to_skip_, batch_.rows));
      const size_t taken = static_cast<size_t>(std::min<uint64_t>(to_take_, batch_.rows - skipped));
      to_skip_ -= skipped;
      if (taken == 0) {
        continue;
      }
      to_take_ -= taken;
      if (taken != batch_.rows) {
        batch_.slice(skipped, taken);
      }
      move_columns(batch_, columns_, out);
      if (to_take_ == 0) {
        input_.reset();  // what it holds is of no more use
      }
      return ok_status();
    }
    return ok_status();
  }

 private:
  std::vector<size_t> columns_;
  OperatorPtr input_;
  uint64_t to_skip_;
  uint64_t to_take_;
  RowBatch batch_;
};

// Its input once for each named graph. Where the input binds the variable too, both must agree.
class GraphLoopOperator final : public Operator {
 public:
  GraphLoopOperator(const plan::PlanNode& node, Execution& execution, const plan::GraphLoop& loop,
                    const Frame& frame)
      : Operator(node, execution),
        frame_(frame),
        columns_(columns_of(node.inputs[0]->columns, node.columns)),
        own_column_(column_of(node.columns, loop.graph)),
        input_column_(column_of(node.inputs[0]->columns, loop.graph)) {}

 protected:
  Status produce(RowBatch& out) override {
    if (!listed_) {
      WEFT_TRY(graphs_, execution_.source.graphs());
      listed_ = true;
    }
    while (true) {
      WEFT_TRY_STATUS(execution_.interrupt.check());
      if (input_ == nullptr) {
        if (at_ >= graphs_.size()) {
          return ok_status();
        }
        frame_.loop_graph = graphs_[at_++];
        WEFT_TRY(input_, make_operator(*node_.inputs[0], execution_, frame_));
      }
      const rdf::TermId outside = std::exchange(execution_.loop_graph, frame_.loop_graph);
      const Status status = input_->next(batch_);
      execution_.loop_graph = outside;
      WEFT_TRY_STATUS(status);
      if (batch_.empty()) {
        input_.reset();
        continue;
      }
      if (input_column_ != kNoColumn) {
        keep_.resize(batch_.rows);
        for (size_t row = 0; row < batch_.rows; ++row) {
          const rdf::TermId id = batch_.columns[input_column_][row];
          keep_[row] = id == rdf::kNoTerm || id == frame_.loop_graph ? 1 : 0;
        }
        batch_.filter(keep_);
      }
      if (!batch_.empty()) {
        break;
      }
    }
    move_columns(batch_, columns_, out);
    if (own_column_ != kNoColumn) {
      out.columns[own_column_].assign(out.rows, frame_.loop_graph);
    }
    return ok_status();
  }

 private:
  Frame frame_;
  std::vector<size_t> columns_;
  size_t own_column_;
  size_t input_column_;
  std::vector<rdf::TermId> graphs_;
  bool listed_ = false;
  size_t at_ = 0;
  OperatorPtr input_;
  RowBatch batch_;
  std::vector<uint8_t> keep_;
};

// One input after the other; each is made only when its turn comes.
class UnionOperator final : public Operator {
 public:
  UnionOperator(const plan::PlanNode& node, Execution& execution, const Frame& frame)
      : Operator(node, execution), frame_(frame) {}

 protected:
  Status produce(RowBatch& out) override {
    while (true) {
      if (input_ == nullptr) {
        if (at_ >= node_.inputs.size()) {
          return ok_status();
        }
        WEFT_TRY(input_, make_operator(*node_.inputs[at_++], execution_, frame_));
        columns_ = columns_of(input_->node().columns, node_.columns);
      }
      WEFT_TRY_STATUS(input_->next(batch_));
      if (!batch_.empty()) {
        move_columns(batch_, columns_, out);
        return ok_status();
      }
      input_.reset();
    }
  }

 private:
  Frame frame_;
  size_t at_ = 0;
  OperatorPtr input_;
  std::vector<size_t> columns_;
  RowBatch batch_;
};

}  // namespace

Result<OperatorPtr> make_row_operator(const plan::PlanNode& node, Execution& execution,
                                      OperatorPtr input) {
  if (const auto* filter = std::get_if<plan::FilterRows>(&node.operation)) {
    WEFT_TRY(std::unique_ptr<Evaluator> conditions,
             Evaluator::make(filter->conditions, input->node().columns, execution,
                             EvaluatorUse::kFilter));
    return OperatorPtr(
        std::make_unique<FilterOperator>(node, execution, std::move(input), std::move(conditions)));
  }
  if (const auto* extend = std::get_if<plan::ExtendRows>(&node.operation)) {
    auto result = std::make_unique<ExtendOperator>(node, execution, std::move(input));
    WEFT_TRY_STATUS(result->prepare(*extend));
    return OperatorPtr(std::move(result));
  }
  if (const auto* slice = std::get_if<plan::SliceRows>(&node.operation)) {
    return OperatorPtr(std::make_unique<SliceOperator>(node, execution, *slice, std::move(input)));
  }
  if (std::holds_alternative<plan::DistinctRows>(node.operation)) {
    return OperatorPtr(std::make_unique<DistinctOperator>(node, execution, std::move(input)));
  }
  return OperatorPtr(std::make_unique<ProjectOperator>(node, execution, std::move(input)));
}

OperatorPtr make_graph_loop(const plan::PlanNode& node, Execution& execution, const Frame& frame) {
  return std::make_unique<GraphLoopOperator>(node, execution,
                                             std::get<plan::GraphLoop>(node.operation), frame);
}

OperatorPtr make_union(const plan::PlanNode& node, Execution& execution, const Frame& frame) {
  return std::make_unique<UnionOperator>(node, execution, frame);
}

}  // namespace weft::exec

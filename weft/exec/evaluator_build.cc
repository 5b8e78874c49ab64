#include <algorithm>
#include <utility>

#include "weft/exec/evaluator_node.h"
#include "weft/exec/exists_condition.h"
#include "weft/plan/exists.h"
#include "weft/plan/variable_set.h"

namespace weft::exec {

using sparql::Expression;
using sparql::Function;

class Evaluator::Builder {
 public:
  Builder(Evaluator& evaluator, const plan::VariableList& columns)
      : evaluator_(evaluator), columns_(columns) {}

  Status add(const Expression& expression, EvaluatorUse use) {
    if (use == EvaluatorUse::kFilter) {
      WEFT_TRY(std::unique_ptr<TextCondition> test, TextCondition::make(expression));
      if (test != nullptr && plan::contains(columns_, test->variable())) {
        const auto column = std::ranges::lower_bound(columns_, test->variable());
        evaluator_.text_columns_.push_back(static_cast<size_t>(column - columns_.begin()));
        evaluator_.text_filters_.push_back(std::make_unique<TextFilter>(
            std::move(test), evaluator_.execution_.source, evaluator_.execution_.pool));
        return ok_status();
      }
    }
    auto root = std::make_unique<Node>();
    WEFT_TRY_STATUS(build(expression, use != EvaluatorUse::kIds, *root));
    evaluator_.roots_.push_back(std::move(root));
    evaluator_.root_has_exists_.push_back(plan::has_exists(expression) ? 1 : 0);
    return ok_status();
  }

 private:
  size_t input(plan::Variable variable, bool by_value) {
    std::vector<Input>& inputs = evaluator_.inputs_;
    const auto found = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const Input& i) { return i.variable == variable; });
    const auto index = static_cast<size_t>(found - inputs.begin());
    if (found == inputs.end()) {
      Input fresh;
      fresh.variable = variable;
      const auto column = std::lower_bound(columns_.begin(), columns_.end(), variable);
      if (column != columns_.end() && *column == variable) {
        fresh.column = static_cast<size_t>(column - columns_.begin());
      }
      inputs.push_back(std::move(fresh));
    }
    inputs[index].by_value = inputs[index].by_value || by_value;
    return index;
  }

  Status build(const Expression& expression, bool by_value, Node& node) {
    if (const auto* constant = std::get_if<Expression::Constant>(&expression.form)) {
      node.kind = Node::Kind::kConstant;
      node.token = constant->token;
      node.constant = rdf::Value::from_token(constant->token);
      if (node.constant.to_token() != constant->token) {
        node.raw = constant->token;
      }
      return ok_status();
    }
    if (const auto* variable = std::get_if<Expression::Variable>(&expression.form)) {
      node.kind = Node::Kind::kVariable;
      node.input = input(variable->variable, by_value);
      return ok_status();
    }
    if (const auto* exists = std::get_if<Expression::Exists>(&expression.form)) {
      node.kind = Node::Kind::kExists;
      node.input = evaluator_.exists_.size();
      evaluator_.exists_.push_back(
          std::make_unique<ExistsCondition>(*exists, columns_, evaluator_.execution_));
      return ok_status();
    }
    const auto* call = std::get_if<Expression::Call>(&expression.form);
    if (call == nullptr) {
      return Error(ErrorKind::kUnsupported, "expression is not supported")
          .with("line", expression.place.line)
          .with("column", expression.place.column);
    }
    node.kind = Node::Kind::kCall;
    node.function = call->function;
    node.arguments.resize(call->arguments.size());
    for (size_t i = 0; i < call->arguments.size(); ++i) {
      const bool hands_on =
          (call->function == Function::kIf && i > 0) || call->function == Function::kCoalesce;
      const bool needs_value = hands_on ? by_value : call->function != Function::kBound;
      WEFT_TRY_STATUS(build(call->arguments[i], needs_value, node.arguments[i]));
    }
    if (call->function == Function::kRegex || call->function == Function::kReplace) {
      return build_regex(node);
    }
    return ok_status();
  }

  // A constant pattern is read once, and a bad one is told before the query runs.
  static Status build_regex(Node& node) {
    const size_t flags_at = node.function == Function::kRegex ? 2 : 3;
    const Node& pattern = node.arguments[1];
    const bool has_flags = node.arguments.size() > flags_at;
    const auto is_plain = [](const Node& argument) {
      return argument.kind == Node::Kind::kConstant &&
             argument.constant.kind() == rdf::ValueKind::kString;
    };
    if (!is_plain(pattern) || (has_flags && !is_plain(node.arguments[flags_at]))) {
      return ok_status();
    }
    WEFT_TRY(node.regex, Regex::compile(pattern.constant.text(),
                                        has_flags ? node.arguments[flags_at].constant.text() : ""));
    return ok_status();
  }

  Evaluator& evaluator_;
  const plan::VariableList& columns_;
};

Evaluator::Evaluator(Execution& execution) : execution_(execution) {}
Evaluator::~Evaluator() = default;

Result<std::unique_ptr<Evaluator>> Evaluator::make(std::span<const Expression* const> expressions,
                                                   const plan::VariableList& columns,
                                                   Execution& execution, EvaluatorUse use) {
  std::unique_ptr<Evaluator> evaluator(new Evaluator(execution));
  Builder builder(*evaluator, columns);
  for (const Expression* expression : expressions) {
    WEFT_TRY_STATUS(builder.add(*expression, use));
  }
  return evaluator;
}

Status Evaluator::load(const RowBatch& batch) {
  WEFT_TRY_STATUS(answer_exists(batch, nullptr));
  return load_values(batch);
}

Status Evaluator::answer_exists(const RowBatch& batch, const std::vector<uint8_t>* keep) {
  for (const auto& test : exists_) {
    WEFT_TRY_STATUS(test->run(batch, keep));
  }
  return ok_status();
}

Status Evaluator::load_values(const RowBatch& batch) {
  batch_ = &batch;
  std::vector<const Column*> columns;
  for (const Input& input : inputs_) {
    if (input.by_value && input.column != SIZE_MAX) {
      columns.push_back(&batch.columns[input.column]);
    }
  }
  WEFT_TRY_STATUS(execution_.values.load(columns));
  for (Input& input : inputs_) {
    if (input.by_value && input.column != SIZE_MAX) {
      const Column& column = batch.columns[input.column];
      input.cells.resize(batch.rows);
      for (size_t row = 0; row < batch.rows; ++row) {
        input.cells[row] = execution_.values.find(column[row]);
      }
    }
  }
  return ok_status();
}

Status Evaluator::filter(const RowBatch& batch, std::vector<uint8_t>& keep) {
  keep.assign(batch.rows, 1);
  const auto test_roots = [&](bool with_exists) {
    for (size_t e = 0; e < roots_.size(); ++e) {
      for (size_t row = 0; row < batch.rows && (root_has_exists_[e] != 0) == with_exists; ++row) {
        if (keep[row] != 0) {
          keep[row] = test(e, row).value_or(false) ? 1 : 0;
        }
      }
    }
  };
  for (size_t i = 0; i < text_filters_.size(); ++i) {
    WEFT_TRY_STATUS(text_filters_[i]->apply(batch.columns[text_columns_[i]], keep));
  }
  if (roots_.empty() || std::ranges::count(keep, 1) == 0) {
    return failure_;
  }
  WEFT_TRY_STATUS(load_values(batch));
  test_roots(false);
  WEFT_TRY_STATUS(status());
  if (!exists_.empty()) {
    // Only for the rows that are left; reading its values takes away those of the batch.
    WEFT_TRY_STATUS(answer_exists(batch, &keep));
    WEFT_TRY_STATUS(load_values(batch));
    test_roots(true);
  }
  return failure_;
}

}  // namespace weft::exec

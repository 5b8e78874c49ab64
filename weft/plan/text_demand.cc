#include "weft/plan/text_demand.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/plan/regex_literals.h"
#include "weft/rdf/value.h"

namespace weft::plan {
namespace {

using Letters = rdf::TextNeed::Letters;
using sparql::Expression;
using sparql::Function;

class Collector {
 public:
  explicit Collector(Variable variable) : variable_(variable) {}

  // Of a condition that is true. What it does not know demands nothing.
  void add(const Expression& condition) {
    const auto* call = std::get_if<Expression::Call>(&condition.form);
    if (call == nullptr) {
      return;
    }
    const std::vector<Expression>& arguments = call->arguments;
    switch (call->function) {
      case Function::kAnd:
        for (const Expression& argument : arguments) {
          add(argument);
        }
        return;
      case Function::kIsLiteral:
        is_literal_ = is_literal_ || is_the_variable(arguments[0]);
        return;
      case Function::kContains:
        add_text(arguments, false, false);
        return;
      case Function::kStrStarts:
        add_text(arguments, true, false);
        return;
      case Function::kStrEnds:
        add_text(arguments, false, true);
        return;
      case Function::kRegex:
        add_regex(arguments);
        return;
      default:
        return;
    }
  }

  std::optional<rdf::TextDemand> take() && {
    if (demand_.needs.empty()) {
      return std::nullopt;
    }
    demand_.literals_only = is_literal_;
    return std::move(demand_);
  }

 private:
  bool is_the_variable(const Expression& expression) const {
    const auto* found = std::get_if<Expression::Variable>(&expression.form);
    return found != nullptr && found->variable == variable_;
  }

  // ?x, STR(?x), LCASE of these: how the searched text comes from the variable. Only a literal is a
  // text without STR.
  std::optional<Letters> source(const Expression& expression) {
    if (is_the_variable(expression)) {
      is_literal_ = true;
      return Letters::kAsWritten;
    }
    const auto* call = std::get_if<Expression::Call>(&expression.form);
    if (call == nullptr || call->arguments.size() != 1) {
      return std::nullopt;
    }
    if (call->function == Function::kStr && is_the_variable(call->arguments[0])) {
      return Letters::kAsWritten;
    }
    if (call->function == Function::kLCase && source(call->arguments[0]).has_value()) {
      return Letters::kLowered;
    }
    return std::nullopt;
  }

  // The text of a constant string, with or without a language.
  static std::optional<std::string> constant(const Expression& expression) {
    const auto* found = std::get_if<Expression::Constant>(&expression.form);
    if (found == nullptr) {
      return std::nullopt;
    }
    const rdf::Value value = rdf::Value::from_token(found->token);
    if (value.kind() != rdf::ValueKind::kString && value.kind() != rdf::ValueKind::kLangString) {
      return std::nullopt;
    }
    return std::string(value.text());
  }

  void add_text(const std::vector<Expression>& arguments, bool at_start, bool at_end) {
    std::optional<std::string> text = constant(arguments[1]);
    const std::optional<Letters> letters = text.has_value() ? source(arguments[0]) : std::nullopt;
    if (letters.has_value() && !text->empty()) {
      demand_.needs.push_back({std::move(*text), *letters, at_start, at_end});
    }
  }

  void add_regex(const std::vector<Expression>& arguments) {
    const std::optional<std::string> pattern = constant(arguments[1]);
    const std::optional<std::string> flags =
        arguments.size() > 2 ? constant(arguments[2]) : std::optional<std::string>("");
    if (!pattern.has_value() || !flags.has_value()) {
      return;
    }
    const std::optional<Letters> letters = source(arguments[0]);
    const bool folds = flags->find('i') != std::string::npos;
    // A lowered text matched whatever the case: two changes of case, for which nothing is proven.
    if (!letters.has_value() || (folds && *letters == Letters::kLowered)) {
      return;
    }
    for (std::string& text : regex_literals(*pattern, *flags)) {
      demand_.needs.push_back({std::move(text), folds ? Letters::kFolded : *letters, false, false});
    }
  }

  Variable variable_;
  rdf::TextDemand demand_;
  bool is_literal_ = false;
};

void attach(PlanNode& node, std::vector<const Expression*>& conditions) {
  if (const auto* filter = std::get_if<FilterRows>(&node.operation)) {
    const size_t above = conditions.size();
    conditions.insert(conditions.end(), filter->conditions.begin(), filter->conditions.end());
    attach(*node.inputs[0], conditions);
    conditions.resize(above);
    return;
  }
  if (const auto* scan = std::get_if<Scan>(&node.operation)) {
    const std::optional<Variable> object = scan->slots[2].variable;
    if (conditions.empty() || !object.has_value() || !scan->slots[0].variable.has_value() ||
        scan->graph.kind == GraphChoice::Kind::kVariable) {
      return;
    }
    if (std::optional<rdf::TextDemand> demand = text_demand(conditions, *object);
        demand.has_value()) {
      node.text = std::make_unique<rdf::TextDemand>(std::move(*demand));
    }
    return;
  }
  if (std::holds_alternative<GraphLoop>(node.operation)) {
    return;
  }
  const size_t inputs = std::holds_alternative<BindJoin>(node.operation) ? 1 : node.inputs.size();
  for (size_t i = 0; i < inputs; ++i) {
    std::vector<const Expression*> none;
    attach(*node.inputs[i], none);
  }
}

}  // namespace

std::optional<rdf::TextDemand> text_demand(std::span<const Expression* const> conditions,
                                           Variable variable) {
  Collector collector(variable);
  for (const Expression* condition : conditions) {
    collector.add(*condition);
  }
  return std::move(collector).take();
}

void attach_text_demands(PlanNode& root) {
  std::vector<const Expression*> conditions;
  attach(root, conditions);
}

}  // namespace weft::plan

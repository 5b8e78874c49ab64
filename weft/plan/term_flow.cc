#include "weft/plan/term_flow.h"

#include <utility>

#include "weft/sparql/traversal.h"

namespace weft::plan {
namespace {

using sparql::Expression;
using sparql::Function;
using sparql::Node;

class Flow {
 public:
  explicit Flow(size_t variable_count)
      : stored_(variable_count), computed_(variable_count), compared_(variable_count) {}

  void visit(const Node& node) {
    std::visit([&](const auto& operation) { enter(operation, node); }, node.operation);
    sparql::for_each_part(
        node, [&](const Node& child) { visit(child); },
        [&](const Expression& expression) {
          sparql::for_each_expression(expression, [&](const Expression& part) {
            if (const auto* exists = std::get_if<Expression::Exists>(&part.form)) {
              mark(exists->pattern->scope, compared_);
              visit(*exists->pattern);
            }
          });
        });
  }

  void compare(Variable variable) { compared_[variable] = true; }

  std::vector<bool> finish() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [from, to] : copies_) {
        changed = (stored_[from] && !stored_[to]) || (computed_[from] && !computed_[to]) || changed;
        stored_[to] = stored_[to] || stored_[from];
        computed_[to] = computed_[to] || computed_[from];
      }
    }
    std::vector<bool> result(stored_.size());
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = stored_[i] && computed_[i] && compared_[i];
    }
    return result;
  }

 private:
  using Marks = std::vector<bool>;

  static void mark(const VariableList& variables, Marks& marks) {
    for (const Variable variable : variables) {
      marks[variable] = true;
    }
  }
  void compare_shared(const std::vector<const Node*>& parts) {
    Marks seen(compared_.size());
    for (const Node* part : parts) {
      for (const Variable variable : part->scope) {
        if (seen[variable]) {
          compared_[variable] = true;
        }
        seen[variable] = true;
      }
    }
  }
  // Where a value of `variable` may come from.
  void comes_from(Variable variable, const Expression& expression) {
    if (const auto* source = std::get_if<Expression::Variable>(&expression.form)) {
      if (source->variable != variable) {
        copies_.emplace_back(source->variable, variable);
      }
      return;
    }
    const auto* call = std::get_if<Expression::Call>(&expression.form);
    if (call != nullptr &&
        (call->function == Function::kIf || call->function == Function::kCoalesce)) {
      for (size_t i = call->function == Function::kIf ? 1 : 0; i < call->arguments.size(); ++i) {
        comes_from(variable, call->arguments[i]);
      }
      return;
    }
    computed_[variable] = true;
  }

  void enter(const sparql::Bgp& /*bgp*/, const Node& node) {
    mark(node.scope, stored_);
    // A variable may be shared by patterns of one join only, but then both are stored.
  }
  void enter(const sparql::Path& /*path*/, const Node& node) { mark(node.scope, stored_); }
  void enter(const sparql::Service& /*service*/, const Node& node) { mark(node.scope, stored_); }
  void enter(const sparql::Values& /*values*/, const Node& node) { mark(node.scope, stored_); }
  void enter(const sparql::GraphPattern& pattern, const Node& node) {
    if (const auto* variable = std::get_if<Variable>(&pattern.graph)) {
      stored_[*variable] = true;
      compared_[*variable] = true;
    }
    static_cast<void>(node);
  }
  void enter(const sparql::Join& join, const Node& /*node*/) {
    std::vector<const Node*> parts;
    for (const sparql::NodePtr& part : join.parts) {
      parts.push_back(part.get());
    }
    compare_shared(parts);
  }
  void enter(const sparql::LeftJoin& join, const Node& /*node*/) {
    compare_shared({join.left.get(), join.right.get()});
  }
  void enter(const sparql::Minus& minus, const Node& /*node*/) {
    compare_shared({minus.left.get(), minus.right.get()});
  }
  void enter(const sparql::Extend& extend, const Node& /*node*/) {
    comes_from(extend.variable, extend.expression);
  }
  void enter(const sparql::Group& group, const Node& node) {
    for (const sparql::GroupKey& key : group.keys) {
      comes_from(key.variable, key.expression);
      compared_[key.variable] = true;
    }
    for (const sparql::Aggregate& aggregate : group.aggregates) {
      switch (aggregate.function) {
        case sparql::AggregateFunction::kMin:
        case sparql::AggregateFunction::kMax:
        case sparql::AggregateFunction::kSample:
          comes_from(aggregate.result, *aggregate.argument);
          break;
        case sparql::AggregateFunction::kCount:
        case sparql::AggregateFunction::kSum:
        case sparql::AggregateFunction::kAvg:
        case sparql::AggregateFunction::kGroupConcat:
          computed_[aggregate.result] = true;
          break;
      }
      if (aggregate.distinct) {
        mark(group.input->scope, compared_);
      }
    }
    static_cast<void>(node);
  }
  void enter(const sparql::Distinct& distinct, const Node& /*node*/) {
    mark(distinct.input->scope, compared_);
  }
  template <typename Other>
  void enter(const Other& /*other*/, const Node& /*node*/) {}

  Marks stored_;
  Marks computed_;
  Marks compared_;
  std::vector<std::pair<Variable, Variable>> copies_;
};

}  // namespace

std::vector<bool> variables_to_resolve(const sparql::Query& query) {
  Flow flow(query.variables.size());
  flow.visit(*query.pattern);
  if (query.form == sparql::QueryForm::kConstruct || query.form == sparql::QueryForm::kDescribe) {
    for (const Variable variable : query.pattern->scope) {
      flow.compare(variable);
    }
  }
  return flow.finish();
}

}  // namespace weft::plan

#include "weft/sparql/traversal.h"

#include <variant>

namespace weft::sparql {
namespace {

using OnChild = std::function<void(const Node&)>;
using OnExpression = std::function<void(const Expression&)>;

struct PartVisitor {
  const OnChild& child;
  const OnExpression& expression;

  void all(const std::vector<NodePtr>& nodes) const {
    for (const NodePtr& node : nodes) {
      child(*node);
    }
  }
  void all(const std::vector<Expression>& expressions) const {
    for (const Expression& each : expressions) {
      expression(each);
    }
  }

  void operator()(const Bgp&) const {}
  void operator()(const Path&) const {}
  void operator()(const Join& join) const { all(join.parts); }
  void operator()(const LeftJoin& join) const {
    child(*join.left);
    child(*join.right);
    all(join.conditions);
  }
  void operator()(const Filter& filter) const {
    child(*filter.input);
    all(filter.conditions);
  }
  void operator()(const Union& alternatives) const { all(alternatives.parts); }
  void operator()(const Minus& minus) const {
    child(*minus.left);
    child(*minus.right);
  }
  void operator()(const Extend& extend) const {
    child(*extend.input);
    expression(extend.expression);
  }
  void operator()(const GraphPattern& graph) const { child(*graph.input); }
  void operator()(const Service& service) const { child(*service.input); }
  void operator()(const Values&) const {}
  void operator()(const Group& group) const {
    child(*group.input);
    for (const GroupKey& key : group.keys) {
      expression(key.expression);
    }
    for (const Aggregate& aggregate : group.aggregates) {
      if (aggregate.argument.has_value()) {
        expression(*aggregate.argument);
      }
    }
  }
  void operator()(const Project& project) const { child(*project.input); }
  void operator()(const Distinct& distinct) const { child(*distinct.input); }
  void operator()(const Reduced& reduced) const { child(*reduced.input); }
  void operator()(const OrderBy& order) const {
    child(*order.input);
    for (const OrderCondition& condition : order.conditions) {
      expression(condition.expression);
    }
  }
  void operator()(const Slice& slice) const { child(*slice.input); }
};

}  // namespace

void for_each_part(const Node& node, const OnChild& on_child, const OnExpression& on_expression) {
  std::visit(PartVisitor{on_child, on_expression}, node.operation);
}

void for_each_expression(const Expression& expression, const OnExpression& visit) {
  visit(expression);
  if (const auto* call = std::get_if<Expression::Call>(&expression.form)) {
    for (const Expression& argument : call->arguments) {
      for_each_expression(argument, visit);
    }
  } else if (const auto* extension = std::get_if<Expression::Extension>(&expression.form)) {
    for (const Expression& argument : extension->arguments) {
      for_each_expression(argument, visit);
    }
  }
}

void for_each_variable(const Node& node, const std::function<void(VariableIndex)>& visit) {
  for (const VariableIndex variable : node.scope) {
    visit(variable);
  }
  for_each_part(
      node, [&](const Node& child) { for_each_variable(child, visit); },
      [&](const Expression& expression) {
        for (const VariableIndex variable : variables_of(expression)) {
          visit(variable);
        }
      });
}

bool asks_services(const Node& node) {
  if (std::holds_alternative<Service>(node.operation)) {
    return true;
  }
  bool found = false;
  for_each_part(
      node, [&](const Node& child) { found = found || asks_services(child); },
      [&](const Expression& expression) {
        for_each_expression(expression, [&](const Expression& each) {
          const auto* exists = std::get_if<Expression::Exists>(&each.form);
          found = found || (exists != nullptr && asks_services(*exists->pattern));
        });
      });
  return found;
}

}  // namespace weft::sparql

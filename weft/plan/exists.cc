#include "weft/plan/exists.h"

#include <algorithm>

#include "weft/plan/variable_set.h"
#include "weft/sparql/traversal.h"

namespace weft::plan {

using sparql::Expression;
using sparql::Node;

VariableList mentioned(const Node& node) {
  VariableList result = node.scope;
  sparql::for_each_part(
      node, [&](const Node& child) { result = unite(result, mentioned(child)); },
      [&](const Expression& expression) {
        result = unite(result, sparql::variables_of(expression));
      });
  if (const auto* project = std::get_if<sparql::Project>(&node.operation)) {
    return intersect(result, sorted_set(project->variables));
  }
  return result;
}

VariableList assigned(const Node& node) {
  VariableList result;
  if (const auto* extend = std::get_if<sparql::Extend>(&node.operation)) {
    result = {extend->variable};
  } else if (const auto* group = std::get_if<sparql::Group>(&node.operation)) {
    for (const sparql::GroupKey& key : group->keys) {
      if (!std::holds_alternative<Expression::Variable>(key.expression.form)) {
        insert(result, key.variable);
      }
    }
    for (const sparql::Aggregate& aggregate : group->aggregates) {
      insert(result, aggregate.result);
    }
  }
  sparql::for_each_part(
      node, [&](const Node& child) { result = unite(result, assigned(child)); },
      [](const Expression& /*expression*/) {});
  return result;
}

namespace {

bool sees(const Expression& expression, const VariableList& outer, const VariableList& certain) {
  return !is_subset(intersect(sparql::variables_of(expression), outer), certain);
}

bool may_be_empty(const sparql::PathExpression& path) {
  using Kind = sparql::PathExpression::Kind;
  switch (path.kind) {
    case Kind::kIri:
    case Kind::kNegatedSet:
      return false;
    case Kind::kZeroOrMore:
    case Kind::kZeroOrOne:
      return true;
    case Kind::kInverse:
    case Kind::kOneOrMore:
    case Kind::kSequence:
      return std::all_of(path.parts.begin(), path.parts.end(), may_be_empty);
    case Kind::kAlternative:
      return std::any_of(path.parts.begin(), path.parts.end(), may_be_empty);
  }
  return true;
}

struct Joinable {
  const VariableList& outer;

  bool all(const std::vector<sparql::NodePtr>& parts) const {
    return std::all_of(parts.begin(), parts.end(),
                       [this](const sparql::NodePtr& part) { return is_joinable(*part, outer); });
  }
  bool operator()(const sparql::Bgp& /*bgp*/) const { return true; }
  // A term that replaces a variable is its own end, be it in the graph or not.
  bool operator()(const sparql::Path& path) const { return !may_be_empty(path.path); }
  bool operator()(const sparql::Values& /*values*/) const { return true; }
  bool operator()(const sparql::Join& join) const { return all(join.parts); }
  bool operator()(const sparql::Union& alternatives) const { return all(alternatives.parts); }
  bool operator()(const sparql::GraphPattern& pattern) const {
    return is_joinable(*pattern.input, outer);
  }
  bool operator()(const sparql::Filter& filter) const {
    return is_joinable(*filter.input, outer) &&
           std::none_of(filter.conditions.begin(), filter.conditions.end(),
                        [&](const Expression& condition) {
                          return sees(condition, outer, filter.input->certain);
                        });
  }
  bool operator()(const sparql::Extend& extend) const {
    return is_joinable(*extend.input, outer) && !contains(outer, extend.variable) &&
           !sees(extend.expression, outer, extend.input->certain);
  }
  bool operator()(const sparql::LeftJoin& join) const {
    return is_joinable(*join.left, outer) && is_joinable(*join.right, outer) &&
           is_subset(intersect(join.right->scope, outer), join.left->certain) &&
           std::none_of(join.conditions.begin(), join.conditions.end(),
                        [&](const Expression& condition) {
                          return sees(condition, outer, join.left->certain);
                        });
  }
  template <typename Other>
  bool operator()(const Other& /*other*/) const {
    return false;
  }
};

}  // namespace

bool is_joinable(const Node& node, const VariableList& outer) {
  return std::visit(Joinable{outer}, node.operation);
}

bool has_exists(const Expression& expression) {
  bool found = false;
  sparql::for_each_expression(expression, [&](const Expression& part) {
    found = found || std::holds_alternative<Expression::Exists>(part.form);
  });
  return found;
}

}  // namespace weft::plan

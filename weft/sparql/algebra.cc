#include "weft/sparql/algebra.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "weft/base/check.h"
#include "weft/sparql/traversal.h"

namespace weft::sparql {
namespace {

using VariableSet = std::vector<VariableIndex>;  // ascending, each once

VariableSet unite(const VariableSet& a, const VariableSet& b) {
  VariableSet result;
  result.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

VariableSet intersect(const VariableSet& a, const VariableSet& b) {
  VariableSet result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

void sort_unique(VariableSet& variables) {
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
}

void collect(const PatternTerm& term, VariableSet& out) {
  if (const auto* variable = std::get_if<VariableIndex>(&term)) {
    out.push_back(*variable);
  }
}

VariableSet terms(std::initializer_list<const PatternTerm*> pattern) {
  VariableSet result;
  for (const PatternTerm* term : pattern) {
    collect(*term, result);
  }
  sort_unique(result);
  return result;
}

// Fills scope, certain and height of a node from its operation.
class Completer {
 public:
  explicit Completer(Node& node) : node_(node) {}

  void operator()(const Bgp& bgp) {
    for (const TriplePattern& triple : bgp.triples) {
      collect(triple.subject, node_.scope);
      collect(triple.predicate, node_.scope);
      collect(triple.object, node_.scope);
    }
    sort_unique(node_.scope);
    node_.certain = node_.scope;
  }

  void operator()(const Path& path) {
    node_.scope = terms({&path.subject, &path.object});
    node_.certain = node_.scope;
  }

  void operator()(const Join& join) {
    for (const NodePtr& part : join.parts) {
      above(*part);
      node_.scope.insert(node_.scope.end(), part->scope.begin(), part->scope.end());
      node_.certain.insert(node_.certain.end(), part->certain.begin(), part->certain.end());
    }
    sort_unique(node_.scope);
    sort_unique(node_.certain);
  }

  void operator()(const LeftJoin& join) {
    above(*join.left);
    above(*join.right);
    above(join.conditions);
    node_.scope = unite(join.left->scope, join.right->scope);
    node_.certain = join.left->certain;
  }

  void operator()(const Filter& filter) {
    inherit(*filter.input);
    above(filter.conditions);
  }

  void operator()(const Union& alternatives) {
    node_.certain = alternatives.parts.front()->certain;
    for (const NodePtr& part : alternatives.parts) {
      above(*part);
      node_.scope.insert(node_.scope.end(), part->scope.begin(), part->scope.end());
      node_.certain = intersect(node_.certain, part->certain);
    }
    sort_unique(node_.scope);
  }

  void operator()(const Minus& minus) {
    inherit(*minus.left);
    above(*minus.right);
  }

  void operator()(const Extend& extend) {
    inherit(*extend.input);
    raise(extend.expression.height + 1);
    node_.scope = unite(node_.scope, {extend.variable});
    if (std::holds_alternative<Expression::Constant>(extend.expression.form)) {
      node_.certain = unite(node_.certain, {extend.variable});
    }
  }

  void operator()(const GraphPattern& graph) {
    inherit(*graph.input);
    node_.scope = unite(node_.scope, terms({&graph.graph}));
    node_.certain = unite(node_.certain, terms({&graph.graph}));
  }

  void operator()(const Service& service) {
    inherit(*service.input);
    node_.scope = unite(node_.scope, terms({&service.endpoint}));
    if (service.silent) {  // a failure is one solution without bindings
      node_.certain.clear();
    }
  }

  void operator()(const Values& values) {
    node_.scope = values.variables;
    for (size_t i = 0; i < values.variables.size(); ++i) {
      if (std::all_of(values.rows.begin(), values.rows.end(),
                      [i](const auto& row) { return row[i].has_value(); })) {
        node_.certain.push_back(values.variables[i]);
      }
    }
    sort_unique(node_.scope);
    sort_unique(node_.certain);
  }

  void operator()(const Group& group) {
    above(*group.input);
    const VariableSet& bound = group.input->certain;
    for (const GroupKey& key : group.keys) {
      raise(key.expression.height + 1);
      node_.scope.push_back(key.variable);
      const auto* variable = std::get_if<Expression::Variable>(&key.expression.form);
      if (variable != nullptr &&
          std::binary_search(bound.begin(), bound.end(), variable->variable)) {
        node_.certain.push_back(key.variable);
      }
    }
    for (const Aggregate& aggregate : group.aggregates) {
      if (aggregate.argument.has_value()) {
        raise(aggregate.argument->height + 1);
      }
      node_.scope.push_back(aggregate.result);
      if (aggregate.function == AggregateFunction::kCount) {
        node_.certain.push_back(aggregate.result);
      }
    }
    sort_unique(node_.scope);
    sort_unique(node_.certain);
  }

  void operator()(const Project& project) {
    above(*project.input);
    node_.scope = project.variables;
    sort_unique(node_.scope);
    node_.certain = intersect(node_.scope, project.input->certain);
  }

  void operator()(const Distinct& distinct) { inherit(*distinct.input); }
  void operator()(const Reduced& reduced) { inherit(*reduced.input); }

  void operator()(const OrderBy& order) {
    inherit(*order.input);
    for (const OrderCondition& condition : order.conditions) {
      raise(condition.expression.height + 1);
    }
  }

  void operator()(const Slice& slice) { inherit(*slice.input); }

 private:
  void raise(uint32_t height) { node_.height = std::max(node_.height, height); }
  void above(const Node& child) { raise(child.height + 1); }
  void above(const std::vector<Expression>& expressions) {
    for (const Expression& expression : expressions) {
      raise(expression.height + 1);
    }
  }
  void inherit(const Node& child) {
    above(child);
    node_.scope = child.scope;
    node_.certain = child.certain;
  }

  Node& node_;
};

// Everything in an expression, patterns of EXISTS included.
class VariableCollector {
 public:
  explicit VariableCollector(VariableSet& out) : out_(out) {}

  void operator()(const Expression::Constant&) {}
  void operator()(const Expression::Variable& variable) { out_.push_back(variable.variable); }
  void operator()(const Expression::Call& call) { all(call.arguments); }
  void operator()(const Expression::Extension& extension) { all(extension.arguments); }
  void operator()(const Expression::Exists& exists) {
    // What the pattern's filters mention may come from outside: all variables of the pattern count.
    for_each_variable(*exists.pattern,
                      [this](VariableIndex variable) { out_.push_back(variable); });
  }

 private:
  void all(const std::vector<Expression>& expressions) {
    for (const Expression& expression : expressions) {
      std::visit(*this, expression.form);
    }
  }

  VariableSet& out_;
};

}  // namespace

VariableIndex VariableTable::intern(std::string_view name) {
  const auto found = by_name_.find(std::string(name));
  if (found != by_name_.end()) {
    return found->second;
  }
  const auto variable = static_cast<VariableIndex>(entries_.size());
  entries_.push_back({std::string(name), false});
  by_name_.emplace(std::string(name), variable);
  return variable;
}

VariableIndex VariableTable::add_hidden() {
  const auto variable = static_cast<VariableIndex>(entries_.size());
  entries_.push_back({"." + std::to_string(hidden_count_++), true});
  return variable;
}

std::optional<VariableIndex> VariableTable::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) {
    return std::nullopt;
  }
  return found->second;
}

NodePtr make_node(Operation operation, Place place) {
  auto node = std::make_unique<Node>();
  node->operation = std::move(operation);
  node->place = place;
  std::visit(Completer(*node), node->operation);
  return node;
}

std::vector<VariableIndex> variables_of(const Expression& expression) {
  VariableSet variables;
  std::visit(VariableCollector(variables), expression.form);
  sort_unique(variables);
  return variables;
}

}  // namespace weft::sparql

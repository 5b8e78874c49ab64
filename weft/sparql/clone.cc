#include <utility>

#include "weft/sparql/algebra.h"

namespace weft::sparql {
namespace {

std::vector<NodePtr> copy(const std::vector<NodePtr>& nodes) {
  std::vector<NodePtr> copies;
  copies.reserve(nodes.size());
  for (const NodePtr& node : nodes) {
    copies.push_back(clone(*node));
  }
  return copies;
}

std::vector<Expression> copy(const std::vector<Expression>& expressions) {
  std::vector<Expression> copies;
  copies.reserve(expressions.size());
  for (const Expression& expression : expressions) {
    copies.push_back(expression.clone());
  }
  return copies;
}

Aggregate copy(const Aggregate& aggregate) {
  Aggregate result;
  result.function = aggregate.function;
  result.distinct = aggregate.distinct;
  if (aggregate.argument.has_value()) {
    result.argument = aggregate.argument->clone();
  }
  result.separator = aggregate.separator;
  result.result = aggregate.result;
  return result;
}

struct OperationCopier {
  Operation operator()(const Bgp& bgp) const { return bgp; }
  Operation operator()(const Path& path) const { return path; }
  Operation operator()(const Join& join) const { return Join{copy(join.parts)}; }
  Operation operator()(const LeftJoin& join) const {
    return LeftJoin{clone(*join.left), clone(*join.right), copy(join.conditions)};
  }
  Operation operator()(const Filter& filter) const {
    return Filter{clone(*filter.input), copy(filter.conditions)};
  }
  Operation operator()(const Union& alternatives) const { return Union{copy(alternatives.parts)}; }
  Operation operator()(const Minus& minus) const {
    return Minus{clone(*minus.left), clone(*minus.right)};
  }
  Operation operator()(const Extend& extend) const {
    return Extend{clone(*extend.input), extend.variable, extend.expression.clone()};
  }
  Operation operator()(const GraphPattern& graph) const {
    return GraphPattern{graph.graph, clone(*graph.input)};
  }
  Operation operator()(const Service& service) const {
    return Service{service.endpoint, service.silent, clone(*service.input), service.query,
                   service.names};
  }
  Operation operator()(const Values& values) const { return values; }
  Operation operator()(const Group& group) const {
    Group result{clone(*group.input), {}, {}};
    for (const GroupKey& key : group.keys) {
      result.keys.push_back({key.variable, key.expression.clone()});
    }
    for (const Aggregate& aggregate : group.aggregates) {
      result.aggregates.push_back(copy(aggregate));
    }
    return result;
  }
  Operation operator()(const Project& project) const {
    return Project{clone(*project.input), project.variables};
  }
  Operation operator()(const Distinct& distinct) const { return Distinct{clone(*distinct.input)}; }
  Operation operator()(const Reduced& reduced) const { return Reduced{clone(*reduced.input)}; }
  Operation operator()(const OrderBy& order) const {
    OrderBy result{clone(*order.input), {}};
    for (const OrderCondition& condition : order.conditions) {
      result.conditions.push_back({condition.expression.clone(), condition.descending});
    }
    return result;
  }
  Operation operator()(const Slice& slice) const {
    return Slice{clone(*slice.input), slice.offset, slice.limit};
  }
};

}  // namespace

NodePtr clone(const Node& node) {
  auto result = std::make_unique<Node>();
  result->operation = std::visit(OperationCopier{}, node.operation);
  result->scope = node.scope;
  result->certain = node.certain;
  result->height = node.height;
  result->place = node.place;
  return result;
}

}  // namespace weft::sparql

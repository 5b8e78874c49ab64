#include "weft/plan/plan_nodes.h"

#include <algorithm>

#include "weft/plan/variable_set.h"

namespace weft::plan {

VariableList variables_in(const std::vector<const sparql::Expression*>& expressions) {
  VariableList result;
  for (const sparql::Expression* expression : expressions) {
    result = unite(result, sparql::variables_of(*expression));
  }
  return result;
}

PlanPtr make_leaf(PlanOperation operation, VariableList columns, double rows, double cost) {
  auto node = std::make_unique<PlanNode>();
  node->operation = std::move(operation);
  node->columns = columns;
  node->certain = std::move(columns);
  node->rows = rows;
  node->cost = cost;
  return node;
}

PlanPtr make_no_rows(std::string reason, VariableList columns) {
  return make_leaf(NoRows{std::move(reason)}, std::move(columns), 0, 0);
}

VariableList scan_variables(const Scan& scan) {
  VariableList variables;
  for (const PatternSlot& slot : scan.slots) {
    if (slot.variable) {
      variables.push_back(*slot.variable);
    }
  }
  if (scan.graph.kind == GraphChoice::Kind::kVariable) {
    variables.push_back(scan.graph.variable);
  }
  return sorted_set(std::move(variables));
}

bool serves(rdf::Permutation permutation, const Scan& scan) {
  bool free_before = false;
  for (const rdf::Position position : rdf::positions(permutation)) {
    const bool is_free = scan.slots[static_cast<size_t>(position)].variable.has_value();
    if (!is_free && free_before) {
      return false;
    }
    free_before = free_before || is_free;
  }
  return true;
}

std::optional<Variable> order_of(const Scan& scan, rdf::Permutation permutation) {
  if (scan.graph.kind == GraphChoice::Kind::kVariable) {
    return std::nullopt;  // graph by graph
  }
  for (const rdf::Position position : rdf::positions(permutation)) {
    const PatternSlot& slot = scan.slots[static_cast<size_t>(position)];
    if (slot.variable) {
      return position == rdf::Position::kPredicate ? std::nullopt : slot.variable;
    }
  }
  return std::nullopt;
}

PlanPtr make_scan_node(Scan scan, rdf::Permutation permutation, const Figures& figures) {
  scan.permutation = permutation;
  scan.exact = figures.exact;
  const std::optional<Variable> order = order_of(scan, permutation);
  VariableList columns = scan_variables(scan);
  PlanPtr node = make_leaf(std::move(scan), std::move(columns), figures.rows, figures.cost);
  node->sorted_by = order;
  return node;
}

PlanPtr make_above(PlanOperation operation, PlanPtr input, double rows, double cost) {
  auto node = std::make_unique<PlanNode>();
  node->operation = std::move(operation);
  node->columns = input->columns;
  node->certain = input->certain;
  node->sorted_by = input->sorted_by;
  node->rows = rows;
  node->cost = cost;
  node->inputs.push_back(std::move(input));
  return node;
}

PlanPtr make_filter(PlanPtr input, std::vector<const sparql::Expression*> conditions) {
  if (conditions.empty()) {
    return input;
  }
  double rows = input->rows;
  for (const sparql::Expression* condition : conditions) {
    rows *= selectivity(*condition);
  }
  const double cost = input->cost + input->rows;
  return make_above(FilterRows{std::move(conditions)}, std::move(input), rows, cost);
}

PlanPtr make_join(PlanOperation operation, PlanPtr left, PlanPtr right, double rows, double cost) {
  auto node = std::make_unique<PlanNode>();
  node->operation = std::move(operation);
  node->columns = left->columns;
  node->certain = left->certain;
  if (right != nullptr) {
    node->columns = unite(left->columns, right->columns);
    node->certain = unite(left->certain, right->certain);
  }
  node->sorted_by = left->sorted_by;
  node->rows = rows;
  node->cost = cost;
  node->inputs.push_back(std::move(left));
  if (right != nullptr) {
    node->inputs.push_back(std::move(right));
  }
  return node;
}

namespace {

// What each input must deliver, given what the node must.
struct Needs {
  const PlanNode& node;
  const VariableList& wanted;  // the node's columns, already cut

  std::vector<VariableList> operator()(const MergeJoin& join) const {
    VariableList both = unite(wanted, join.others);
    insert(both, join.key);
    return {both, both};
  }
  std::vector<VariableList> operator()(const HashJoin& join) const {
    const VariableList keys = unite(unite(join.keys, join.loose), join.scope_keys);
    const VariableList left = unite(unite(wanted, keys), variables_in(join.conditions));
    return {left, keeps_left_only(join.kind) ? keys : left};
  }
  std::vector<VariableList> operator()(const IndexJoin& join) const {
    return {unite(wanted, join.keys)};
  }
  std::vector<VariableList> operator()(const PathJoin& join) const {
    return {unite(wanted, join.keys)};
  }
  std::vector<VariableList> operator()(const ServiceJoin& join) const {
    VariableList needed = unite(wanted, intersect(node.inputs[0]->columns, join.service.variables));
    if (join.service.endpoint.variable) {
      insert(needed, *join.service.endpoint.variable);
    }
    return {needed};
  }
  std::vector<VariableList> operator()(const BindJoin& join) const {
    const VariableList left = unite(unite(wanted, join.keys), variables_in(join.conditions));
    VariableList right;
    if (join.kind == JoinKind::kInner || join.kind == JoinKind::kLeft) {
      right = left;
    }
    insert(right, join.number);
    return {left, right};
  }
  std::vector<VariableList> operator()(const FilterRows& filter) const {
    return {unite(wanted, variables_in(filter.conditions))};
  }
  std::vector<VariableList> operator()(const ExtendRows& extend) const {
    VariableList needed = wanted;
    for (auto step = extend.steps.rbegin(); step != extend.steps.rend(); ++step) {
      needed = unite(subtract(needed, {step->variable}), sparql::variables_of(*step->expression));
    }
    return {needed};
  }
  std::vector<VariableList> operator()(const SortRows& sort) const {
    VariableList needed = wanted;
    for (const SortRows::Key& key : sort.keys) {
      needed = unite(needed, sparql::variables_of(*key.expression));
    }
    return {needed};
  }
  std::vector<VariableList> operator()(const GroupRows& group) const {
    VariableList needed;
    for (const GroupRows::Key& key : group.keys) {
      needed = unite(needed, sparql::variables_of(*key.expression));
    }
    for (const GroupRows::Aggregate& aggregate : group.aggregates) {
      needed = unite(needed, aggregate.counted);
      if (aggregate.definition->argument) {
        needed = unite(needed, sparql::variables_of(*aggregate.definition->argument));
      }
    }
    return {needed};
  }
  std::vector<VariableList> operator()(const GraphLoop& loop) const {
    return {unite(wanted, {loop.graph})};  // if the input has it too, both are compared
  }
  template <typename Other>
  std::vector<VariableList> operator()(const Other& /*other*/) const {
    return std::vector<VariableList>(node.inputs.size(), wanted);
  }
};

void cut(PlanNode& node, const VariableList& wanted, uint32_t& count) {
  node.number = count++;
  // All its columns decide which rows are equal.
  if (!std::holds_alternative<DistinctRows>(node.operation)) {
    node.columns = intersect(node.columns, wanted);
  }
  node.certain = intersect(node.certain, node.columns);
  if (auto* extend = std::get_if<ExtendRows>(&node.operation)) {
    VariableList needed = node.columns;
    std::vector<ExtendRows::Step> kept;
    for (auto step = extend->steps.rbegin(); step != extend->steps.rend(); ++step) {
      if (contains(needed, step->variable)) {
        needed = unite(needed, sparql::variables_of(*step->expression));
        kept.insert(kept.begin(), *step);
      }
    }
    extend->steps = std::move(kept);
  }
  const std::vector<VariableList> needs = std::visit(Needs{node, node.columns}, node.operation);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    cut(*node.inputs[i], needs[i], count);
  }
}

}  // namespace

void mark_early_stops(PlanNode& root, bool first_row_only) {
  const bool collects = std::holds_alternative<SortRows>(root.operation) ||
                        std::holds_alternative<GroupRows>(root.operation);
  const auto* slice = std::get_if<SliceRows>(&root.operation);
  const bool stops = !collects && (first_row_only || (slice != nullptr && slice->limit));
  root.stops_early = stops;
  for (size_t i = 0; i < root.inputs.size(); ++i) {
    // The built side of a hash join is read to its end.
    const bool built = i == 1 && std::holds_alternative<HashJoin>(root.operation);
    mark_early_stops(*root.inputs[i], stops && !built);
  }
}

uint32_t prune(PlanNode& root, const VariableList& wanted, uint32_t first) {
  uint32_t count = first;
  cut(root, wanted, count);
  return count;
}

}  // namespace weft::plan

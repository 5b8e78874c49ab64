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
  return has_closed_first(permutation, [&scan](rdf::Position position) {
    return scan.slots[static_cast<size_t>(position)].variable.has_value();
  });
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

using Lists = std::vector<VariableList>;

Lists one_list(VariableList list) {
  Lists lists;
  lists.push_back(std::move(list));
  return lists;
}

Lists two_lists(VariableList left, VariableList right) {
  Lists lists;
  lists.reserve(2);
  lists.push_back(std::move(left));
  lists.push_back(std::move(right));
  return lists;
}

// What each input must deliver, given what the node must; nothing where that is the same.
struct Needs {
  const PlanNode& node;
  const VariableList& wanted;  // the node's columns, already cut

  Lists operator()(const MergeJoin& join) const {
    VariableList both = unite(wanted, join.others);
    insert(both, join.key);
    return two_lists(both, both);
  }
  Lists operator()(const HashJoin& join) const {
    const VariableList keys = unite(unite(join.keys, join.loose), join.scope_keys);
    const VariableList left = unite(unite(wanted, keys), variables_in(join.conditions));
    return two_lists(left, keeps_left_only(join.kind) ? keys : left);
  }
  Lists operator()(const IndexJoin& join) const { return one_list(unite(wanted, join.keys)); }
  Lists operator()(const PathJoin& join) const { return one_list(unite(wanted, join.keys)); }
  Lists operator()(const ServiceJoin& join) const {
    VariableList needed = unite(wanted, intersect(node.inputs[0]->columns, join.service.variables));
    if (join.service.endpoint.variable) {
      insert(needed, *join.service.endpoint.variable);
    }
    return one_list(std::move(needed));
  }
  Lists operator()(const BindJoin& join) const {
    VariableList left = unite(unite(wanted, join.keys), variables_in(join.conditions));
    VariableList right;
    if (join.kind == JoinKind::kInner || join.kind == JoinKind::kLeft) {
      right = left;
    }
    insert(right, join.number);
    return two_lists(std::move(left), std::move(right));
  }
  Lists operator()(const FilterRows& filter) const {
    return one_list(unite(wanted, variables_in(filter.conditions)));
  }
  Lists operator()(const ExtendRows& extend) const {
    VariableList needed = wanted;
    for (auto step = extend.steps.rbegin(); step != extend.steps.rend(); ++step) {
      needed = unite(subtract(needed, {step->variable}), sparql::variables_of(*step->expression));
    }
    return one_list(std::move(needed));
  }
  Lists operator()(const SortRows& sort) const {
    VariableList needed = wanted;
    for (const SortRows::Key& key : sort.keys) {
      needed = unite(needed, sparql::variables_of(*key.expression));
    }
    return one_list(std::move(needed));
  }
  Lists operator()(const GroupRows& group) const {
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
    return one_list(std::move(needed));
  }
  Lists operator()(const GraphLoop& loop) const {
    // If the input has it too, both are compared.
    return one_list(unite(wanted, {loop.graph}));
  }
  template <typename Other>
  Lists operator()(const Other& /*other*/) const {
    return {};
  }
};

void cut(PlanNode& node, const VariableList& wanted, uint32_t& count) {
  node.number = count++;
  // All its columns decide which rows are equal.
  if (!std::holds_alternative<DistinctRows>(node.operation)) {
    keep_common(node.columns, wanted);
  }
  keep_common(node.certain, node.columns);
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
  const Lists needs = std::visit(Needs{node, node.columns}, node.operation);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    cut(*node.inputs[i], needs.empty() ? node.columns : needs[i], count);
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

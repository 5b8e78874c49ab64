#include "weft/plan/compiler.h"

#include <algorithm>
#include <utility>

#include "weft/plan/plan_nodes.h"
#include "weft/plan/term_flow.h"
#include "weft/plan/text_demand.h"
#include "weft/plan/variable_set.h"

namespace weft::plan {

using sparql::Expression;
using sparql::Node;

Result<Plan> Compiler::run() {
  GraphChoice graph;
  if (!query_.with_graph.empty()) {
    WEFT_TRY(graph, estimator_.graph_choice(query_.with_graph));
  }
  WEFT_TRY_STATUS(estimator_.load(*query_.pattern, graph));
  Plan plan;
  WEFT_TRY_STATUS(plan_exists(*query_.pattern, graph));
  if (query_.form == sparql::QueryForm::kAsk) {
    row_goal_ = 1;
  }
  WEFT_TRY(plan.root, compile(*query_.pattern, graph, nullptr));
  if (environment_.statistics->has_text_index()) {
    attach_text_demands(*plan.root);
  }
  plan.node_count = prune(*plan.root, plan.root->columns, 0);
  for (auto& [pattern, exists] : exists_) {
    plan.node_count = prune(*exists.root, {}, plan.node_count);
    mark_early_stops(*exists.root, true);
  }
  plan.exists = std::move(exists_);
  plan.variable_count = next_variable_;
  plan.expressions = std::move(expressions_);
  return plan;
}

Result<PlanPtr> Compiler::compile_alone(const Element::Part& part) {
  return compile(*part.node, part.graph, nullptr);
}

Result<PlanPtr> Compiler::compile_bound(const Element::Part& part, const VariableList& keys,
                                        const VariableList& certain_keys, Variable number,
                                        const Figures& incoming) {
  const Incoming rows{keys, certain_keys, number, incoming};
  return compile(*part.node, part.graph, &rows);
}

Result<PlanPtr> Compiler::compile(const Node& node, const GraphChoice& graph,
                                  const Incoming* incoming) {
  if (const auto* alternatives = std::get_if<sparql::Union>(&node.operation)) {
    return compile_union(*alternatives, graph, incoming);
  }
  if (incoming != nullptr) {
    return compile_group(node, graph, incoming);
  }
  WEFT_TRY(PlanPtr plan, compile_modifier(node, graph));
  return plan != nullptr ? std::move(plan) : compile_group(node, graph, nullptr);
}

Result<PlanPtr> Compiler::compile_modifier(const Node& node, const GraphChoice& graph) {
  const sparql::Operation& operation = node.operation;
  if (const auto* project = std::get_if<sparql::Project>(&operation)) {
    return compile_project(*project, graph);
  }
  if (const auto* distinct = std::get_if<sparql::Distinct>(&operation)) {
    WEFT_TRY(PlanPtr input, compile(*distinct->input, graph, nullptr));
    const double rows = input->rows;
    const double cost = input->cost + rows * kCostBuild;
    return make_above(DistinctRows{}, std::move(input), rows, cost);
  }
  if (const auto* reduced = std::get_if<sparql::Reduced>(&operation)) {
    return compile(*reduced->input, graph, nullptr);  // duplicates are allowed to stay
  }
  if (const auto* order = std::get_if<sparql::OrderBy>(&operation)) {
    return compile_order(*order, graph);
  }
  if (const auto* slice = std::get_if<sparql::Slice>(&operation)) {
    return compile_slice(*slice, graph);
  }
  if (const auto* group = std::get_if<sparql::Group>(&operation)) {
    return compile_aggregation(*group, graph);
  }
  if (const auto* pattern = std::get_if<sparql::GraphPattern>(&operation)) {
    const auto* variable = std::get_if<Variable>(&pattern->graph);
    if (variable != nullptr && !fits_all_graphs(*pattern->input)) {
      return compile_graph_loop(*pattern->input, *variable);
    }
  }
  return PlanPtr();
}

Result<PlanPtr> Compiler::compile_union(const sparql::Union& alternatives, const GraphChoice& graph,
                                        const Incoming* incoming) {
  auto node = std::make_unique<PlanNode>();
  node->operation = UnionRows{};
  const std::optional<double> row_goal = row_goal_;
  for (const sparql::NodePtr& part : alternatives.parts) {
    row_goal_ = row_goal;
    WEFT_TRY(PlanPtr input, compile(*part, graph, incoming));
    node->rows += input->rows;
    node->cost += input->cost;
    node->columns = unite(node->columns, input->columns);
    node->certain =
        node->inputs.empty() ? input->certain : intersect(node->certain, input->certain);
    node->inputs.push_back(std::move(input));
  }
  return node;
}

Result<PlanPtr> Compiler::compile_project(const sparql::Project& project,
                                          const GraphChoice& graph) {
  VariableList wanted = sorted_set(project.variables);
  // What a subquery does not project is another variable.
  const Surroundings outside = outer_;
  outer_ = {intersect(outer_.keys, wanted), intersect(outer_.certain, wanted)};
  Result<PlanPtr> compiled = compile(*project.input, graph, nullptr);
  outer_ = outside;
  WEFT_TRY(PlanPtr input, std::move(compiled));
  const double rows = input->rows;
  const double cost = input->cost;
  PlanPtr node = make_above(ProjectRows{}, std::move(input), rows, cost);
  node->columns = intersect(node->columns, wanted);
  node->certain = intersect(node->certain, wanted);
  if (node->sorted_by && !contains(wanted, *node->sorted_by)) {
    node->sorted_by.reset();
  }
  return node;
}

Result<PlanPtr> Compiler::compile_order(const sparql::OrderBy& order, const GraphChoice& graph) {
  row_goal_.reset();  // all of them are sorted
  WEFT_TRY(PlanPtr input, compile(*order.input, graph, nullptr));
  SortRows sort;
  for (const sparql::OrderCondition& condition : order.conditions) {
    sort.keys.push_back({&condition.expression, condition.descending});
  }
  const double rows = input->rows;
  const double cost = input->cost + rows * kCostSort;
  PlanPtr node = make_above(std::move(sort), std::move(input), rows, cost);
  node->sorted_by.reset();
  return node;
}

Result<PlanPtr> Compiler::compile_slice(const sparql::Slice& slice, const GraphChoice& graph) {
  if (slice.limit == uint64_t{0}) {
    return make_no_rows("limit 0", slice.input->scope);
  }
  if (slice.limit) {
    row_goal_ = static_cast<double>(*slice.limit) + static_cast<double>(slice.offset);
  }
  WEFT_TRY(PlanPtr input, compile(*slice.input, graph, nullptr));
  double rows = input->rows;
  if (slice.limit) {
    rows = std::min(rows, static_cast<double>(*slice.limit));
    // Only so many rows of a sort below are wanted, whatever columns lie between.
    PlanNode* below = input.get();
    while (std::holds_alternative<ProjectRows>(below->operation)) {
      below = below->inputs.front().get();
    }
    auto* sort = std::get_if<SortRows>(&below->operation);
    if (sort != nullptr && *slice.limit <= UINT64_MAX - slice.offset) {
      sort->top = *slice.limit + slice.offset;
    }
  }
  const double cost = input->cost;
  return make_above(SliceRows{slice.offset, slice.limit}, std::move(input), rows, cost);
}

Result<PlanPtr> Compiler::compile_graph_loop(const Node& body, Variable variable) {
  GraphChoice inner;
  inner.kind = GraphChoice::Kind::kLoop;
  WEFT_TRY(PlanPtr input, compile(body, inner, nullptr));
  const double rows = input->rows;
  const double cost = input->cost + environment_.graph_count * kCostSeek;
  PlanPtr node = make_above(GraphLoop{variable}, std::move(input), rows, cost);
  node->sorted_by.reset();
  insert(node->columns, variable);
  insert(node->certain, variable);
  return node;
}

Result<PlanPtr> Compiler::compile_aggregation(const sparql::Group& group,
                                              const GraphChoice& graph) {
  row_goal_.reset();  // all of them are counted
  WEFT_TRY(PlanPtr count, count_from_index(group, graph));
  if (count != nullptr) {
    return count;
  }
  WEFT_TRY(PlanPtr input, compile(*group.input, graph, nullptr));
  GroupRows rows;
  VariableList columns;
  VariableList certain;
  for (const sparql::GroupKey& key : group.keys) {
    rows.keys.push_back({key.variable, &key.expression, resolve_[key.variable]});
    insert(columns, key.variable);
    const auto* variable = std::get_if<Expression::Variable>(&key.expression.form);
    if (variable != nullptr && contains(input->certain, variable->variable)) {
      insert(certain, key.variable);
    }
  }
  for (const sparql::Aggregate& aggregate : group.aggregates) {
    GroupRows::Aggregate planned;
    planned.definition = &aggregate;
    planned.resolve = resolve_[aggregate.result];
    if (aggregate.function == sparql::AggregateFunction::kCount && aggregate.distinct &&
        !aggregate.argument) {
      for (const Variable variable : group.input->scope) {
        if (!query_.variables[variable].hidden) {
          planned.counted.push_back(variable);
        }
      }
    }
    rows.aggregates.push_back(std::move(planned));
    insert(columns, aggregate.result);
  }
  WEFT_TRY(const Figures figures, group_figures(group, graph));
  const double cost = input->cost + input->rows * kCostBuild;
  PlanPtr node = make_above(std::move(rows), std::move(input), figures.rows, cost);
  node->sorted_by.reset();
  node->columns = std::move(columns);
  node->certain = std::move(certain);
  return node;
}

Result<Figures> Compiler::group_figures(const sparql::Group& group, const GraphChoice& graph) {
  WEFT_TRY(const Figures input, estimator_.node_figures(*group.input, graph));
  Figures figures = input;
  figures.rows = 1;
  for (const sparql::GroupKey& key : group.keys) {
    const auto* variable = std::get_if<Expression::Variable>(&key.expression.form);
    figures.rows *= variable != nullptr ? input.distinct_of(variable->variable) : 10;
  }
  figures.rows = group.keys.empty() ? 1 : std::min(figures.rows, input.rows);
  return figures;
}

Result<PlanPtr> Compiler::count_from_index(const sparql::Group& group, const GraphChoice& graph) {
  const Node* input = group.input.get();
  GraphChoice inner = graph;
  if (const auto* pattern = std::get_if<sparql::GraphPattern>(&input->operation)) {
    WEFT_TRY(inner, estimator_.graph_choice(pattern->graph));
    input = pattern->input.get();
  }
  const auto* bgp = std::get_if<sparql::Bgp>(&input->operation);
  if (bgp == nullptr || bgp->triples.size() != 1 || !group.keys.empty() ||
      group.aggregates.empty()) {
    return PlanPtr();
  }
  WEFT_TRY(Scan scan, estimator_.make_scan(bgp->triples.front(), inner));
  size_t slots = inner.kind == GraphChoice::Kind::kVariable ? 1 : 0;
  for (const PatternSlot& slot : scan.slots) {
    slots += slot.variable ? 1 : 0;
  }
  const VariableList variables = scan_variables(scan);
  CountRows count;
  for (const sparql::Aggregate& aggregate : group.aggregates) {
    const auto* counted =
        aggregate.argument ? std::get_if<Expression::Variable>(&aggregate.argument->form) : nullptr;
    const bool counts_rows =
        aggregate.function == sparql::AggregateFunction::kCount && !aggregate.distinct &&
        (!aggregate.argument || (counted != nullptr && contains(variables, counted->variable)));
    if (!counts_rows) {
      return PlanPtr();
    }
    count.results.push_back(aggregate.result);
  }
  if (slots != variables.size()) {
    return PlanPtr();  // ?x ?p ?x: the rows must be looked at
  }
  for (size_t p = 0; p < rdf::kPermutationCount; ++p) {
    const auto permutation = static_cast<rdf::Permutation>(p);
    if (environment_.statistics->has_order(permutation) && serves(permutation, scan)) {
      scan.permutation = permutation;
      break;
    }
  }
  count.scan = std::move(scan);
  VariableList columns = sorted_set(count.results);
  return make_leaf(std::move(count), std::move(columns), 1, 1);
}

}  // namespace weft::plan

#include <algorithm>
#include <utility>

#include "weft/plan/compiler.h"
#include "weft/plan/plan_nodes.h"
#include "weft/plan/term_flow.h"
#include "weft/plan/variable_set.h"

namespace weft::plan {

using sparql::Expression;
using sparql::Node;

Result<PlanPtr> Compiler::compile_group(const Node& node, const GraphChoice& graph,
                                        const Incoming* incoming) {
  const std::optional<double> row_goal = std::exchange(row_goal_, std::nullopt);
  JoinGroup group;
  Flattener flattener(estimator_, group, outer_.keys);
  VariableList outside;
  if (incoming != nullptr) {
    outside = incoming->keys;
    flattener.add_leaf(incoming_leaf(*incoming), incoming_figures(*incoming), "   incoming");
  }
  add_outer_row(flattener, node);
  WEFT_TRY_STATUS(flattener.add(node, graph, outside));
  const VariableList scope = unite(scope_in(node.scope, graph), outside);
  if (group.hopeless) {
    return hopeless(group, scope, incoming);
  }
  if (group.elements.empty()) {
    flattener.add_leaf(make_leaf(OneRow{}, {}, 1, 1), one_row_figures(), "  one row");
  }
  if (graph.kind == GraphChoice::Kind::kVariable) {
    add_graph_names(flattener, group, graph.variable);
  }
  WEFT_TRY(PlanPtr plan, order_joins(group, environment_, *this, row_goal));
  for (size_t step = 0; step < group.steps.size(); ++step) {
    plan = apply_filters(std::move(plan), group, step);
    WEFT_TRY(plan, add_step(std::move(plan), group, step));
  }
  return apply_filters(std::move(plan), group, group.steps.size());
}

PlanPtr Compiler::hopeless(const JoinGroup& group, const VariableList& scope,
                           const Incoming* incoming) {
  VariableList columns = scope;
  if (incoming != nullptr) {
    insert(columns, incoming->number);
  }
  return make_no_rows(group.why_hopeless, std::move(columns));
}

Figures Compiler::one_row_figures() {
  Figures figures;
  figures.rows = 1;
  figures.cost = 1;
  figures.seeks = 0;
  return figures;
}

Figures Compiler::incoming_figures(const Incoming& incoming) {
  Figures figures;
  figures.rows = std::max(1.0, incoming.figures.rows);
  figures.cost = 1;
  figures.seeks = 0;
  for (const Variable key : incoming.keys) {
    figures.distinct[key] = incoming.figures.distinct_of(key);
  }
  figures.distinct[incoming.number] = figures.rows;
  return figures;
}

PlanPtr Compiler::incoming_leaf(const Incoming& incoming) {
  VariableList columns = incoming.keys;
  insert(columns, incoming.number);
  PlanPtr leaf = make_leaf(IncomingRows{}, std::move(columns), incoming.figures.rows, 1);
  leaf->certain = incoming.certain_keys;
  insert(leaf->certain, incoming.number);
  return leaf;
}

void Compiler::add_graph_names(Flattener& flattener, const JoinGroup& group, Variable graph) const {
  for (const Element& element : group.elements) {
    if (contains(element.certain, graph)) {
      return;
    }
  }
  Figures figures;
  figures.rows = environment_.graph_count;
  figures.cost = figures.rows;
  figures.distinct[graph] = figures.rows;
  flattener.add_leaf(make_leaf(GraphNames{graph}, {graph}, figures.rows, figures.rows), figures,
                     "  graphs");
}

PlanPtr Compiler::apply_filters(PlanPtr plan, JoinGroup& group, size_t next) {
  std::vector<const Expression*> conditions;
  std::vector<GroupFilter> later;
  for (GroupFilter& filter : group.filters) {
    bool ready = filter.before_step <= next;
    if (!ready) {
      VariableList open = subtract(filter.variables, plan->certain);
      ready = true;
      for (size_t i = next; i < filter.before_step; ++i) {
        ready = ready && intersect(open, group.steps[i].scope).empty();
      }
    }
    if (ready) {
      conditions.push_back(filter.condition);
    } else {
      later.push_back(std::move(filter));
    }
  }
  group.filters = std::move(later);
  return make_filter(std::move(plan), std::move(conditions));
}

Result<PlanPtr> Compiler::add_step(PlanPtr plan, JoinGroup& group, size_t index) {
  GroupStep& step = group.steps[index];
  switch (step.kind) {
    case GroupStep::Kind::kExtend:
      return add_extend(std::move(plan), *step.extend);
    case GroupStep::Kind::kOptional:
      return add_optional(std::move(plan), step);
    case GroupStep::Kind::kMinus:
      return add_minus(std::move(plan), step);
    case GroupStep::Kind::kExists:
      return add_exists(std::move(plan), step);
  }
  return plan;
}

PlanPtr Compiler::add_extend(PlanPtr plan, const sparql::Extend& extend) const {
  const ExtendRows::Step step{extend.variable, &extend.expression, resolve_[extend.variable]};
  if (auto* below = std::get_if<ExtendRows>(&plan->operation)) {
    below->steps.push_back(step);  // one operator: BNODE("x") is one node for all of a solution
  } else {
    const double rows = plan->rows;
    const double cost = plan->cost + rows;
    plan = make_above(ExtendRows{{step}}, std::move(plan), rows, cost);
  }
  insert(plan->columns, extend.variable);
  if (std::holds_alternative<Expression::Constant>(extend.expression.form)) {
    insert(plan->certain, extend.variable);
  }
  return plan;
}

bool Compiler::binding_pays(const PlanNode& plan, const Node& right, const Figures& figures,
                            const VariableList& shared) const {
  if (intersect(shared, plan.certain).empty() || !accepts_keys(right, shared)) {
    return false;
  }
  const double all = figures.cost + kCostBuild * figures.rows + kCostProbe * plan.rows;
  return plan.rows * kCostSeek * std::max(1.0, figures.seeks) < all;
}

Figures Compiler::figures_of(const PlanNode& plan) const {
  Figures figures;
  figures.rows = plan.rows;
  return figures;
}

Result<PlanPtr> Compiler::add_optional(PlanPtr plan, GroupStep& step) {
  WEFT_TRY(const Figures right_figures, estimator_.node_figures(*step.right, step.graph));
  const VariableList shared = intersect(plan->columns, scope_in(step.right->scope, step.graph));
  const VariableList certain = plan->certain;
  const double rows = std::max(
      plan->rows, joined(figures_of(*plan), right_figures).rows / std::max(1.0, plan->rows));
  PlanPtr node;
  if (binding_pays(*plan, *step.right, right_figures, shared)) {
    BindJoin join;
    join.kind = JoinKind::kLeft;
    join.keys = shared;
    join.number = new_variable();
    join.conditions = step.conditions;
    const Incoming incoming{shared, intersect(shared, certain), join.number, figures_of(*plan)};
    WEFT_TRY(PlanPtr right, compile(*step.right, step.graph, &incoming));
    const double cost = plan->cost + plan->rows * kCostSeek * std::max(1.0, right_figures.seeks);
    const Variable number = join.number;
    node = make_join(std::move(join), std::move(plan), std::move(right), rows, cost);
    node->columns = subtract(node->columns, {number});
  } else {
    WEFT_TRY(PlanPtr right, compile(*step.right, step.graph, nullptr));
    HashJoin join;
    join.kind = JoinKind::kLeft;
    const VariableList both = intersect(plan->columns, right->columns);
    join.keys = intersect(both, intersect(plan->certain, right->certain));
    join.loose = subtract(both, join.keys);
    join.conditions = step.conditions;
    const double cost =
        plan->cost + right->cost + kCostBuild * right->rows + kCostProbe * plan->rows;
    node = make_join(std::move(join), std::move(plan), std::move(right), rows, cost);
  }
  node->certain = certain;
  if (!step.conditions.empty() || std::holds_alternative<BindJoin>(node->operation)) {
    node->sorted_by.reset();
  }
  return node;
}

// By hashing all that matches the pattern, or by looking for each row.
Result<PlanPtr> Compiler::add_exists(PlanPtr plan, const GroupStep& step) {
  WEFT_TRY(const Figures figures, estimator_.node_figures(*step.right, step.graph));
  const double all = figures.cost + kCostBuild * figures.rows + kCostProbe * plan->rows;
  const double one_by_one = plan->rows * kCostExists * std::max(1.0, figures.seeks);
  if (one_by_one <= all || !outer_.keys.empty()) {
    return make_filter(std::move(plan), {step.exists});
  }
  WEFT_TRY(PlanPtr right, compile(*step.right, step.graph, nullptr));
  HashJoin join;
  join.kind =
      std::get<Expression::Exists>(step.exists->form).negated ? JoinKind::kAnti : JoinKind::kSemi;
  join.keys = intersect(plan->columns, step.right->scope);
  const VariableList columns = plan->columns;
  const VariableList certain = plan->certain;
  const double rows = plan->rows / 2;
  const double cost = plan->cost + all + right->cost;
  PlanPtr node = make_join(std::move(join), std::move(plan), std::move(right), rows, cost);
  node->columns = columns;
  node->certain = certain;
  return node;
}

Result<PlanPtr> Compiler::add_minus(PlanPtr plan, GroupStep& step) {
  const Node& right_node = *step.right;
  // Inside an EXISTS, what the row outside binds is no variable any more. What it binds in some
  // rows only is told row by row, by the hash join.
  VariableList shared = subtract(intersect(plan->columns, right_node.scope), outer_.certain);
  if (shared.empty()) {
    return plan;  // nothing in common: nothing is removed
  }
  VariableList scope_keys;
  if (step.graph.kind == GraphChoice::Kind::kVariable && !contains(shared, step.graph.variable)) {
    scope_keys = {step.graph.variable};
  }
  WEFT_TRY(const Figures figures, estimator_.node_figures(right_node, step.graph));
  const VariableList all_keys = unite(shared, scope_keys);
  const bool sure = is_subset(shared, intersect(plan->certain, right_node.certain)) &&
                    intersect(shared, outer_.keys).empty();
  const VariableList columns = plan->columns;
  const VariableList certain = plan->certain;
  const double rows = plan->rows;
  PlanPtr node;
  if (sure && binding_pays(*plan, right_node, figures, all_keys)) {
    BindJoin join;
    join.kind = JoinKind::kAnti;
    join.keys = all_keys;
    join.number = new_variable();
    const Incoming incoming{all_keys, all_keys, join.number, figures_of(*plan)};
    WEFT_TRY(PlanPtr right, compile(right_node, step.graph, &incoming));
    const double cost = plan->cost + plan->rows * kCostSeek * std::max(1.0, figures.seeks);
    node = make_join(std::move(join), std::move(plan), std::move(right), rows, cost);
  } else {
    WEFT_TRY(PlanPtr right, compile(right_node, step.graph, nullptr));
    shared = intersect(shared, right->columns);  // some may never be bound
    HashJoin join;
    join.kind = JoinKind::kAnti;
    join.keys = intersect(shared, intersect(plan->certain, right->certain));
    join.loose = subtract(shared, join.keys);
    join.scope_keys = scope_keys;
    const double cost =
        plan->cost + right->cost + kCostBuild * right->rows + kCostProbe * plan->rows;
    node = make_join(std::move(join), std::move(plan), std::move(right), rows, cost);
  }
  node->columns = columns;
  node->certain = certain;
  if (std::holds_alternative<BindJoin>(node->operation)) {
    node->sorted_by.reset();
  }
  return node;
}

}  // namespace weft::plan

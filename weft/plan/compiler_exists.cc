// Plans of the patterns of EXISTS (compiler.h). A pattern is planned once, as a function of one row
// of what stands around it: that row (OuterRow) is one more element of every group that mentions a
// variable of it, which is the same as replacing the variables.
#include <utility>

#include "weft/plan/compiler.h"
#include "weft/plan/exists.h"
#include "weft/plan/plan_nodes.h"
#include "weft/plan/variable_set.h"
#include "weft/sparql/traversal.h"

namespace weft::plan {

using sparql::Expression;
using sparql::Node;

PlanPtr Compiler::outer_leaf(VariableList columns) const {
  PlanPtr leaf = make_leaf(OuterRow{}, std::move(columns), 1, 1);
  leaf->certain = intersect(leaf->columns, outer_.certain);
  return leaf;
}

void Compiler::add_outer_row(Flattener& flattener, const Node& node) const {
  if (outer_.keys.empty()) {
    return;
  }
  VariableList columns = intersect(mentioned(node), outer_.keys);
  if (columns.empty()) {
    return;
  }
  Figures figures = one_row_figures();
  for (const Variable column : columns) {
    figures.distinct[column] = 1;
  }
  flattener.add_leaf(outer_leaf(std::move(columns)), std::move(figures), "   outer");
}

Status Compiler::plan_exists(const Node& node, const GraphChoice& graph) {
  GraphChoice inner = graph;
  if (const auto* pattern = std::get_if<sparql::GraphPattern>(&node.operation)) {
    WEFT_TRY(inner, estimator_.graph_choice(pattern->graph));
    if (inner.kind == GraphChoice::Kind::kVariable) {
      inner = GraphChoice();  // a pattern with EXISTS is evaluated graph by graph
      inner.kind = GraphChoice::Kind::kLoop;
    }
  }
  Surroundings around;
  Status status = ok_status();
  sparql::for_each_part(
      node,
      [&](const Node& child) {
        around.keys = unite(around.keys, child.scope);
        around.certain = unite(around.certain, child.certain);
        if (status.ok()) {
          status = plan_exists(child, inner);
        }
      },
      [](const Expression& /*expression*/) {});
  around.keys = unite(around.keys, outer_.keys);
  around.certain = unite(around.certain, outer_.certain);
  WEFT_TRY_STATUS(std::move(status));
  sparql::for_each_part(
      node, [](const Node& /*child*/) {},
      [&](const Expression& expression) {
        sparql::for_each_expression(expression, [&](const Expression& part) {
          const auto* exists = std::get_if<Expression::Exists>(&part.form);
          if (exists != nullptr && status.ok()) {
            status = plan_one_exists(*exists->pattern, inner, around);
          }
        });
      });
  return status;
}

Status Compiler::plan_one_exists(const Node& pattern, const GraphChoice& graph,
                                 const Surroundings& around) {
  const VariableList replaced =
      subtract(intersect(mentioned(pattern), around.keys), assigned(pattern));
  const Surroundings outside =
      std::exchange(outer_, Surroundings{replaced, intersect(replaced, around.certain)});
  const auto plan = [&]() -> Result<PlanPtr> {
    WEFT_TRY_STATUS(plan_exists(pattern, graph));
    row_goal_ = 1;
    WEFT_TRY(PlanPtr root, compile(pattern, graph, nullptr));
    // What could not be replaced must agree.
    const VariableList shared = intersect(root->columns, around.keys);
    if (shared.empty() || std::holds_alternative<sparql::Bgp>(pattern.operation)) {
      return root;
    }
    outer_.keys = unite(outer_.keys, shared);
    outer_.certain = unite(outer_.certain, intersect(shared, around.certain));
    PlanPtr row = outer_leaf(shared);
    HashJoin join;
    join.keys =
        intersect(intersect(root->columns, row->columns), intersect(root->certain, row->certain));
    join.loose = subtract(intersect(root->columns, row->columns), join.keys);
    const double rows = root->rows;
    const double cost = root->cost + rows;
    return make_join(std::move(join), std::move(root), std::move(row), rows, cost);
  };
  Result<PlanPtr> root = plan();
  ExistsPlan made;
  made.keys = outer_.keys;
  outer_ = outside;
  WEFT_TRY(made.root, std::move(root));
  exists_.insert_or_assign(&pattern, std::move(made));
  return ok_status();
}

}  // namespace weft::plan

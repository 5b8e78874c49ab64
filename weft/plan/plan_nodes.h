// Makes plan nodes with their columns, order and estimates filled in.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "weft/plan/estimate.h"
#include "weft/plan/plan.h"

namespace weft::plan {

PlanPtr make_leaf(PlanOperation operation, VariableList columns, double rows, double cost);
PlanPtr make_no_rows(std::string reason, VariableList columns);
// A scan in `permutation`; sorted_by is what that order gives.
PlanPtr make_scan_node(Scan scan, rdf::Permutation permutation, const Figures& figures);
// The variables of a scan, its GRAPH variable included.
VariableList scan_variables(const Scan& scan);
// The positions bound by constants stand in front in this order.
bool serves(rdf::Permutation permutation, const Scan& scan);
// The same where `is_open` says which positions are not bound.
template <typename IsOpen>
bool has_closed_first(rdf::Permutation permutation, const IsOpen& is_open) {
  bool open_before = false;
  for (const rdf::Position position : rdf::positions(permutation)) {
    const bool open = is_open(position);
    if (!open && open_before) {
      return false;
    }
    open_before = open_before || open;
  }
  return true;
}
// The column by which a scan in this order ascends.
std::optional<Variable> order_of(const Scan& scan, rdf::Permutation permutation);

// One input, same columns.
PlanPtr make_above(PlanOperation operation, PlanPtr input, double rows, double cost);
PlanPtr make_filter(PlanPtr input, std::vector<const sparql::Expression*> conditions);
// Columns of both; certain and order are those of an inner join unless `left_only`.
PlanPtr make_join(PlanOperation operation, PlanPtr left, PlanPtr right, double rows, double cost);

// Keeps only columns that something above asks for, in the whole tree below `node`, and numbers the
// nodes in preorder, from `first` on. Returns the number after the last.
uint32_t prune(PlanNode& root, const VariableList& wanted, uint32_t first);

// The variables of all the expressions.
VariableList variables_in(const std::vector<const sparql::Expression*>& expressions);

}  // namespace weft::plan

// Which patterns of GRAPH ?g may have the graph as one more column (join_group.h).
#include <functional>

#include "weft/plan/exists.h"
#include "weft/plan/join_group.h"
#include "weft/sparql/traversal.h"

namespace weft::plan {

using sparql::Expression;
using sparql::Node;

namespace {

bool is_modifier(const Node& node) {
  return std::holds_alternative<sparql::Group>(node.operation) ||
         std::holds_alternative<sparql::Project>(node.operation) ||
         std::holds_alternative<sparql::Distinct>(node.operation) ||
         std::holds_alternative<sparql::Reduced>(node.operation) ||
         std::holds_alternative<sparql::OrderBy>(node.operation) ||
         std::holds_alternative<sparql::Slice>(node.operation);
}

// True if `found` holds for a node of the same scope of variables and graph.
bool any_within(const Node& node, const std::function<bool(const Node&)>& found) {
  if (found(node)) {
    return true;
  }
  if (is_modifier(node) || std::holds_alternative<sparql::GraphPattern>(node.operation)) {
    return false;
  }
  bool any = false;
  sparql::for_each_part(
      node, [&](const Node& child) { any = any || any_within(child, found); },
      [](const Expression& /*expression*/) {});
  return any;
}

}  // namespace

bool fits_all_graphs(const Node& node) {
  return !any_within(node, [](const Node& part) {
    bool fits_not = is_modifier(part) || std::holds_alternative<sparql::Path>(part.operation);
    sparql::for_each_part(
        part, [](const Node& /*child*/) {},
        [&](const Expression& expression) { fits_not = fits_not || has_exists(expression); });
    return fits_not;
  });
}

}  // namespace weft::plan

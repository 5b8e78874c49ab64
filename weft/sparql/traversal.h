// Walking over algebra: the children of a node and the expressions in it, so that checks and
// collectors name only what they care about.
#pragma once

#include <functional>

#include "weft/sparql/algebra.h"

namespace weft::sparql {

// Calls `on_child` for each input of `node`, and `on_expression` for each expression that stands
// directly in it (not for those inside other expressions), in order. Patterns of EXISTS are not
// children: they stand in expressions.
void for_each_part(const Node& node, const std::function<void(const Node&)>& on_child,
                   const std::function<void(const Expression&)>& on_expression);

// Calls `visit` for `expression` and all below it; patterns of EXISTS are left to the caller.
void for_each_expression(const Expression& expression,
                         const std::function<void(const Expression&)>& visit);

// Calls `visit` for every variable anywhere in the tree, in no order, some of them repeatedly.
void for_each_variable(const Node& node, const std::function<void(VariableIndex)>& visit);

// Whether SERVICE stands anywhere in the tree, patterns of EXISTS included.
bool asks_services(const Node& node);

}  // namespace weft::sparql

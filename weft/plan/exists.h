// What planning EXISTS needs to know about its pattern.
#pragma once

#include "weft/plan/plan.h"
#include "weft/sparql/algebra.h"

namespace weft::plan {

// The variables that stand in `node` where a solution from outside would replace them: everywhere,
// but in a subquery only those that it projects.
VariableList mentioned(const sparql::Node& node);

// The variables that BIND or a subquery's AS gives a value to: replacing them has no meaning.
VariableList assigned(const sparql::Node& node);

// True if joining the pattern's solutions with those outside is the same as evaluating it for each
// of them: no expression, OPTIONAL or BIND sees a variable of `outer` before the pattern binds it,
// and there is neither MINUS nor a subquery.
bool is_joinable(const sparql::Node& node, const VariableList& outer);

// True if `expression` has an EXISTS anywhere.
bool has_exists(const sparql::Expression& expression);

}  // namespace weft::plan

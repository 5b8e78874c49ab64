// Which computed values may meet stored terms.
//
// A computed term has an id of its own even if the graph holds an equal one. That matters only
// where ids of both origins come together in one variable and are compared as ids (joins, DISTINCT,
// GROUP BY, MINUS). For these variables the operator that computes looks its values up in the
// graph; all others are spared the round trips.
#pragma once

#include <vector>

#include "weft/plan/plan.h"
#include "weft/sparql/algebra.h"

namespace weft::plan {

// By variable: true if what computes it must look its values up.
std::vector<bool> variables_to_resolve(const sparql::Query& query);

}  // namespace weft::plan

// What conditions demand of the text of a variable, for an index of words.
//
// D1  If all conditions are true for a row, the variable's term meets the demand: it is a literal
//     that satisfies every need, or, unless literals_only, an IRI. (test:
//     weft/exec/text_demand_test.cc)
#pragma once

#include <optional>
#include <span>

#include "weft/plan/plan.h"
#include "weft/rdf/text_need.h"
#include "weft/sparql/expression.h"

namespace weft::plan {

// nullopt if they demand nothing that an index could be asked for.
std::optional<rdf::TextDemand> text_demand(std::span<const sparql::Expression* const> conditions,
                                           Variable variable);

// Gives the scans that stand directly under filters their demands. Scans that run again and again,
// for the keys of a bind join or graph by graph, get none.
void attach_text_demands(PlanNode& root);

}  // namespace weft::plan

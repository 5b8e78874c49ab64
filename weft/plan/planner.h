// Algebra to plan.
//
// The order of joins comes from counts and distinct values that the graph itself states; patterns
// are brought into one canonical order first, so the text's order has no influence. Filters go to
// the first place where their variables are settled. Small sides reach into big ones by index
// (IndexJoin, BindJoin), sorted ones are merged, the rest is hashed.
// docs/query-execution.md, "Plan".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/plan/plan.h"
#include "weft/plan/statistics.h"
#include "weft/sparql/algebra.h"

namespace weft::plan {

// Up to so many elements of one join the best order is searched exhaustively; beyond, the cheapest
// pair is joined again and again.
inline constexpr size_t kExhaustiveElementsMax = 9;
// Elements of one join (limit "join elements"): the greedy search is quadratic for each step.
inline constexpr size_t kJoinElementsMax = 1'024;

struct Environment {
  Statistics* statistics = nullptr;
  base::Executor* executor = nullptr;  // statistics of several patterns are asked side by side
  // The stored ids of the query's constants (constants_of); kNoTerm for those the graph lacks.
  const std::unordered_map<std::string, rdf::TermId>* constants = nullptr;
  // An id for a constant that the graph does not hold, or that is compared as a value.
  std::function<Result<rdf::TermId>(std::string_view token)> intern;
  double graph_count = 1;  // named graphs
};

// The tokens that a plan wants ids for: constants of patterns, GRAPH names and VALUES; each once.
std::vector<std::string> constants_of(const sparql::Query& query);
// True if some GRAPH has a variable.
bool ranges_over_graphs(const sparql::Query& query);

// `query` must outlive the plan. Errors: kUnsupported, kLimit, and those of the statistics.
Result<Plan> make_plan(const sparql::Query& query, const Environment& environment);

}  // namespace weft::plan

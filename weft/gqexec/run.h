// Runs read queries of `.gq` over a snapshot of a property graph.
//
//     GraphData graph(tables, budget);                       // kept: what it builds is shared
//     WEFT_TRY(const ParameterValues parameters, read_parameters(query.query, R"({"n": 1})"));
//     WEFT_TRY(const Plan plan, make_plan(query, graph, parameters, now));
//     WEFT_TRY(const Answer answer, run_to_answer(plan, graph, {.stop = stop}));
//
// E1  The same plan over the same tables gives the same rows in the same order.
// E2  Memory is reserved from the graph's budget: rows in order or in groups, what is kept of
//     columns and edges. Rows between steps are bounded by kBatchRows.
// Thread-safe: plans and graphs may be shared by runs.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/gqexec/output.h"

namespace weft::gqexec {

struct RunStatistics {
  // Rows that each step of the plan gave; those of negations too, by address.
  std::vector<std::pair<const Step*, uint64_t>> rows_given;
};

struct RunOptions {
  std::stop_token stop = {};
  // Both, or none: when to give up.
  const base::Clock* clock = nullptr;
  uint64_t timeout_ms = 0;
};

// Errors: kCancelled; kLimit names the bound; those of the tables.
Result<RunStatistics> run(const Plan& plan, GraphData& graph, AnswerSink& answer,
                          const RunOptions& options);

struct Answer {
  columns::SchemaPtr schema;
  std::vector<columns::Batch> batches;
  uint64_t row_count = 0;
  std::vector<base::Reservation> memory;
  RunStatistics statistics;
};
// The whole answer. Errors: also kLimit if it does not fit the budget.
Result<Answer> run_to_answer(const Plan& plan, GraphData& graph, const RunOptions& options);

// The plan; with statistics of a run also the rows that each step really gave.
std::string explain(const Plan& plan, const RunStatistics* statistics = nullptr);

}  // namespace weft::gqexec

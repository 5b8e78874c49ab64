// What all operators of one running query share.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/random.h"
#include "weft/exec/interrupt.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/query.h"
#include "weft/exec/template_reader.h"
#include "weft/exec/term_pool.h"
#include "weft/exec/value_cache.h"
#include "weft/plan/plan.h"

namespace weft::exec {

struct Share;

// Longest string that an expression may make (limit "expression_bytes_max").
inline constexpr size_t kExpressionBytesMax = size_t{256} << 20U;

// Not thread-safe.
struct Execution {
  Execution(QuadSource& quad_source, const QueryOptions& options)
      : source(quad_source),
        budget(*options.budget),
        random(*options.random),
        interrupt(options.stop, options.clock, options.timeout_ms),
        pool(options.budget),
        values(quad_source, pool, options.budget),
        services(options.services),
        stopwatch(options.measure_time ? options.clock : nullptr),
        now_milliseconds(options.clock->now().microseconds / 1'000),
        labels(*options.random),
        executor(options.executor),
        parallel(options.parallel) {}
  // A worker's own, beside up to `workers` others: number `layer`, from 1 on. What `main` has must
  // not change while it works; what is random in it is its own.
  Execution(const Execution& main, base::Random& own_random, std::stop_token stop, uint32_t layer,
            uint64_t workers)
      : source(main.source),
        budget(main.budget),
        random(own_random),
        interrupt(main.interrupt.with(std::move(stop))),
        pool(&main.budget, &main.pool, layer),
        values(main.source, pool, &main.budget, workers),
        services(main.services),
        stopwatch(main.stopwatch),
        now_milliseconds(main.now_milliseconds),
        base_iri(main.base_iri),
        labels(own_random),
        runs(main.runs.size()),
        plan(main.plan),
        loop_graph(main.loop_graph),
        executor(nullptr) {}

  // The stored ids of computed ones, where the graph holds the token: replaced in `column`.
  Status resolve(Column& column);

  QuadSource& source;
  base::MemoryBudget& budget;
  base::Random& random;
  Interrupt interrupt;
  TermPool pool;
  ValueCache values;
  ServiceClient* services;
  const base::Clock* stopwatch;  // null: time is not measured
  int64_t now_milliseconds;
  std::string base_iri;
  BlankLabels labels;                // of new blank nodes
  uint64_t solution_count = 0;       // rows numbered for BNODE("label")
  std::vector<plan::NodeRun> runs;   // by plan node
  const plan::Plan* plan = nullptr;  // null before there is one
  // The graph of the loop that is running: what EXISTS is asked in.
  rdf::TermId loop_graph = rdf::kNoTerm;
  base::Executor* executor;  // null in a worker: it is one thread
  ParallelOptions parallel;
  const Share* share = nullptr;  // in a worker: what of the fragment is its own
};

}  // namespace weft::exec

// Takes quads from several threads, numbers their terms run by run, and spills runs that do not fit
// the memory: the first half of building a segment.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <vector>

#include "weft/base/executor.h"
#include "weft/base/mutex.h"
#include "weft/rdf/quad.h"
#include "weft/rete/build/rows.h"
#include "weft/rete/build/spool.h"
#include "weft/rete/build/term_run.h"

namespace weft::rete::build {

struct CollectorOptions {
  uint64_t memory_bytes = 0;  // over all sinks
  size_t sink_count = 1;
  // True: graph names are numbered with the nodes, as subjects (byte 6). False: they have numbers
  // of their own (byte 5).
  bool graph_names_are_nodes = true;
  std::stop_token stop;
};

// What one sink gathered between two spills. Rows hold ids of `nodes`, `predicates` and `graphs`.
struct Run {
  explicit Run(uint64_t seed) : nodes(seed), predicates(seed), graphs(seed) {}
  RunTerms nodes;
  RunTerms predicates;
  RunTerms graphs;  // unused if graph names are nodes
  PageArray<Row<3>> triples;
  PageArray<Row<4>> quads;
  // Spilled rows.
  std::vector<Extent> triples_extents;
  std::vector<Extent> quads_extents;
  uint64_t triple_count = 0;
  uint64_t quad_count = 0;
  bool is_spilled = false;
};

// The scratch files that the runs of one build share.
struct RunFiles {
  explicit RunFiles(storage::ScratchSpace& scratch)
      : terms(scratch), rows(scratch), numbers(scratch) {}
  SharedScratchFile terms;
  SharedScratchFile rows;
  SharedScratchFile numbers;
};

inline constexpr size_t kRunsMax = 16384;

class Collector {
 public:
  Collector(CollectorOptions options, RunFiles& files);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  rdf::QuadSink& sink(size_t index);
  uint64_t statement_count() const { return statement_count_.load(std::memory_order_relaxed); }
  uint64_t spilled_runs() const { return spilled_runs_.load(std::memory_order_relaxed); }
  // All runs, sorted; once, after all sinks are done. If any run was spilled, all are.
  Result<std::vector<std::unique_ptr<Run>>> finish(base::Executor& executor);

 private:
  class Sink;
  // Sorts a run's terms and writes all of it to the scratch files.
  Status spill(Run& run);
  Status keep(std::unique_ptr<Run> run);

  CollectorOptions options_;
  RunFiles& files_;
  uint64_t seed_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::atomic<uint64_t> statement_count_ = 0;
  std::atomic<uint64_t> spilled_runs_ = 0;
  base::Mutex mutex_;
  std::vector<std::unique_ptr<Run>> runs_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::rete::build

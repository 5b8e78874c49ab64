// Follows a property path through the graph, breadth first, whatever circles there are.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "weft/exec/execution.h"
#include "weft/exec/memory_charge.h"
#include "weft/exec/path_steps.h"
#include "weft/plan/plan.h"

namespace weft::exec {

// Pairs of a node and a small number. Emptied in no time. Not thread-safe.
class VisitedSet {
 public:
  explicit VisitedSet(base::MemoryBudget* budget) : charge_(budget) {}

  void clear();
  // True if it is new. Errors: kLimit.
  Result<bool> insert(rdf::TermId node, uint32_t number);

 private:
  struct Slot {
    rdf::TermId node = rdf::kNoTerm;
    uint32_t number = 0;
    uint32_t generation = 0;  // another than generation_: empty
  };
  size_t slot_of(rdf::TermId node, uint32_t number) const;
  Status grow();

  MemoryCharge charge_;
  std::vector<Slot> slots_;
  size_t size_ = 0;
  uint32_t generation_ = 1;
};

// Not thread-safe. The program and the execution must outlive it.
class PathWalker {
 public:
  // `graphs`: a pattern without terms that says which graph.
  PathWalker(const plan::PathProgram& program, const rdf::IdPattern& graphs, Execution& execution);

  // Begins anew at `start`; `start_counts`: it is an end itself if the path matches without edges.
  Status begin(rdf::TermId start, bool start_counts);
  // Appends ends that are found next, each once since begin(). False if there are no more. May
  // append none and still be true.
  Result<bool> more(std::vector<rdf::TermId>& ends);

 private:
  using Visit = std::pair<rdf::TermId, uint32_t>;  // node, state

  Status enter(const std::vector<rdf::TermId>& nodes, uint32_t state,
               std::vector<rdf::TermId>& ends);

  const plan::PathProgram& program_;
  Execution& execution_;
  std::deque<PathSteps> steps_;  // by label
  // The state whose visits are all there is to know which ends came, or none: then ends are kept
  // under a number of their own.
  uint32_t only_end_state_;
  VisitedSet visited_;
  MemoryCharge charge_;
  std::vector<Visit> frontier_;
  size_t frontier_at_ = 0;
  std::vector<Visit> next_frontier_;
  size_t chunk_ = 1;
  bool start_is_end_ = false;
  rdf::TermId start_ = rdf::kNoTerm;
  std::vector<rdf::TermId> nodes_;
  std::vector<rdf::TermId> reached_;
};

// The nodes where a path may begin, a batch at a time, each once: with `all_nodes` every subject
// and object of the graph, else those with a first edge. Not thread-safe.
class PathStarts {
 public:
  // `begins_small`: few may be enough, so the first batches are small.
  PathStarts(const plan::PathProgram& program, bool all_nodes, bool begins_small,
             const rdf::IdPattern& graphs, Execution& execution);

  // Replaces `nodes`; empty at the end.
  Status next(std::vector<rdf::TermId>& nodes);

 private:
  Execution& execution_;
  std::vector<plan::PathLabel> labels_;
  rdf::IdPattern graphs_;
  bool begins_small_;
  VisitedSet seen_;
  size_t label_at_ = 0;
  std::unique_ptr<PathSteps> steps_;
  std::unique_ptr<QuadCursor> cursor_;
  rdf::IdBatch batch_;
  std::vector<rdf::TermId> near_;
};

}  // namespace weft::exec

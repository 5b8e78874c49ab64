// The edges of one label of a property path: from a set of nodes to those behind them.
//
// Begins with look-ups, which go on where the last one ended. Once those asked for cost more than
// reading all edges of the label would, they are read once and kept, if the budget allows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "weft/exec/execution.h"
#include "weft/exec/memory_charge.h"
#include "weft/plan/plan.h"

namespace weft::exec {

// Not thread-safe. All given must outlive it.
class PathSteps {
 public:
  // `graphs` says which graph: a pattern without terms.
  PathSteps(const plan::PathLabel& label, const rdf::IdPattern& graphs, Execution& execution);

  // Appends the far ends of all edges that leave `nodes`; repeated ones stay.
  Status expand(std::span<const rdf::TermId> nodes, std::vector<rdf::TermId>& out);

  // A scan of all edges of the label, ordered by their near end if the source has such an order.
  Result<std::unique_ptr<QuadCursor>> scan_all() const;
  // Appends the near ends of the rows of `batch` that the label has.
  void append_near(const rdf::IdBatch& batch, std::vector<rdf::TermId>& out) const;

 private:
  using Edge = std::pair<rdf::TermId, rdf::TermId>;

  const std::vector<rdf::TermId>& near_column(const rdf::IdBatch& batch) const {
    return label_.backwards ? batch.object : batch.subject;
  }
  const std::vector<rdf::TermId>& far_column(const rdf::IdBatch& batch) const {
    return label_.backwards ? batch.subject : batch.object;
  }
  bool has(rdf::TermId predicate) const;
  rdf::Permutation order(const rdf::IdPattern& pattern) const;
  Status look_up(std::span<const rdf::TermId> nodes, std::vector<rdf::TermId>& out);
  void append_far(std::vector<rdf::TermId>& out) const;
  Status scan_each(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                   std::vector<rdf::TermId>& out);
  Status consider_loading(size_t nodes);
  Status load(double rows);
  Status index_edges();
  size_t slot_of(rdf::TermId node) const;

  const plan::PathLabel& label_;
  rdf::IdPattern pattern_;  // the label's predicate and graph
  Execution& execution_;
  double lookups_ = 0;      // nodes asked for
  double lookup_cost_ = 0;  // in rows read in passing
  double edge_count_ = -1;  // estimated; below 0: not asked
  bool loaded_ = false;
  bool too_big_ = false;
  MemoryCharge charge_;
  std::vector<Edge> edges_;      // ascending
  std::vector<uint32_t> slots_;  // index of a node's first edge + 1, or 0
  std::unique_ptr<QuadLookup> lookup_;
  std::optional<rdf::Permutation> lookup_order_;
  std::vector<rdf::IdPattern> patterns_;
  rdf::IdBatch batch_;
  std::vector<uint32_t> ends_;
};

}  // namespace weft::exec

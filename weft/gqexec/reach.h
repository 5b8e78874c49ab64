// Which nodes the edges of one type lead to from a node, as the language says (gq-language.md,
// "Traversals"):
//
//   R1  Without an edge variable each node that is reached counts once, however many edges lead
//       there. With one, each edge does; both ways, a loop once and other edges from both ends.
//   R2  Over several hops the search goes breadth first; each node counts at its shortest distance,
//       and the node where it began never again but for a loop, which is one hop.
//   R3  Hops go on from nodes of the type that edges begin at (both ways: of the one type).
//
// Not thread-safe. The adjacency must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "weft/base/result.h"
#include "weft/gqexec/adjacency.h"
#include "weft/gqexec/plan.h"

namespace weft::gqexec {

class Reach {
 public:
  Reach(const Adjacency& lists, const ExpandStep& step) : lists_(lists), step_(step) {}

  // Leaves the answer in nodes() and edges(), ascending by node (several hops: by distance, then as
  // found). Errors: kCancelled.
  Status from(RowNumber node, const std::stop_token& stop);
  // Whether `to` is reached: nodes() has it once, or with an edge variable once for each edge.
  void between(RowNumber from_node, RowNumber to);

  std::span<const RowNumber> nodes() const { return nodes_view_; }
  std::span<const RowNumber> edges() const { return edges_view_; }

 private:
  // Lists of one hop, in the direction of the step.
  const NeighbourLists& lists() const {
    return step_.way == gq::Direction::kIn ? lists_.in() : lists_.out();
  }
  void one_hop(RowNumber node);
  void one_hop_both_ways(RowNumber node);
  void edges_both_ways(RowNumber node);
  Status several_hops(RowNumber node, const std::stop_token& stop);
  bool is_new(RowNumber node);
  void use_own() {
    nodes_view_ = nodes_;
    edges_view_ = edges_;
  }

  const Adjacency& lists_;
  const ExpandStep& step_;
  std::span<const RowNumber> nodes_view_;
  std::span<const RowNumber> edges_view_;
  std::vector<RowNumber> nodes_;
  std::vector<RowNumber> edges_;
  // The search over several hops: when a node was seen last.
  std::vector<uint32_t> seen_;
  uint32_t round_ = 0;
  std::vector<RowNumber> frontier_;
  std::vector<RowNumber> next_frontier_;
  // The last answer of from(), for between().
  RowNumber last_from_ = kNoRow;
  std::vector<RowNumber> last_reached_;
  bool last_known_ = false;
};

}  // namespace weft::gqexec

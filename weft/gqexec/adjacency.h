// Who is joined to whom by the edges of one type: for each node, by its row number, the row numbers
// of its neighbours and of the edges that lead there (compressed sparse rows, both ways).
//
// Lists are sorted by neighbour, then by edge. Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/gqexec/column.h"

namespace weft::gqexec {

// One way.
struct NeighbourLists {
  std::vector<RowNumber> starts;  // one more than there are nodes
  std::vector<RowNumber> nodes;
  std::vector<RowNumber> edges;
  bool has_parallels = false;  // some list names a neighbour twice

  std::span<const RowNumber> nodes_of(RowNumber node) const {
    return std::span(nodes).subspan(starts[node], starts[node + 1] - starts[node]);
  }
  std::span<const RowNumber> edges_of(RowNumber node) const {
    return std::span(edges).subspan(starts[node], starts[node + 1] - starts[node]);
  }
  uint64_t memory_bytes() const {
    return (starts.size() + nodes.size() + edges.size()) * sizeof(RowNumber);
  }
};

class Adjacency {
 public:
  // Edge i leads from row sources[i] to row targets[i]. Errors: kCancelled.
  static Result<Adjacency> build(std::span<const RowNumber> sources, uint64_t source_nodes,
                                 std::span<const RowNumber> targets, uint64_t target_nodes,
                                 const std::stop_token& stop);

  const NeighbourLists& out() const { return out_; }
  const NeighbourLists& in() const { return in_; }
  uint64_t edge_count() const { return out_.nodes.size(); }
  uint64_t memory_bytes() const { return out_.memory_bytes() + in_.memory_bytes(); }

 private:
  NeighbourLists out_;
  NeighbourLists in_;
};

}  // namespace weft::gqexec

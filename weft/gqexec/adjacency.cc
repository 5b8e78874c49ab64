#include "weft/gqexec/adjacency.h"

#include <numeric>

namespace weft::gqexec {
namespace {

// starts[k]: how many keys are below k.
std::vector<RowNumber> count_starts(std::span<const RowNumber> keys, uint64_t key_count) {
  std::vector<RowNumber> starts(key_count + 1, 0);
  for (const RowNumber key : keys) {
    ++starts[key + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

// Edges in order of `keys`, stable.
std::vector<RowNumber> order_by(std::span<const RowNumber> keys, std::vector<RowNumber> starts,
                                std::span<const RowNumber> edges) {
  std::vector<RowNumber> ordered(keys.size());
  for (const RowNumber edge : edges) {
    ordered[starts[keys[edge]]++] = edge;
  }
  return ordered;
}

// Lists of `keys`, whose neighbours are `others`; `by_other` are the edges in order of `others`.
NeighbourLists make_lists(std::span<const RowNumber> keys, uint64_t key_count,
                          std::span<const RowNumber> others, std::span<const RowNumber> by_other) {
  NeighbourLists out;
  out.starts = count_starts(keys, key_count);
  out.edges = order_by(keys, out.starts, by_other);
  out.nodes.resize(out.edges.size());
  for (size_t i = 0; i < out.edges.size(); ++i) {
    out.nodes[i] = others[out.edges[i]];
  }
  for (uint64_t node = 0; node < key_count && !out.has_parallels; ++node) {
    for (RowNumber i = out.starts[node] + 1; i < out.starts[node + 1]; ++i) {
      out.has_parallels = out.has_parallels || out.nodes[i] == out.nodes[i - 1];
    }
  }
  return out;
}

}  // namespace

Result<Adjacency> Adjacency::build(std::span<const RowNumber> sources, uint64_t source_nodes,
                                   std::span<const RowNumber> targets, uint64_t target_nodes,
                                   const std::stop_token& stop) {
  Adjacency out;
  std::vector<RowNumber> edges(sources.size());
  std::iota(edges.begin(), edges.end(), RowNumber{0});
  const std::vector<RowNumber> by_target =
      order_by(targets, count_starts(targets, target_nodes), edges);
  out.out_ = make_lists(sources, source_nodes, targets, by_target);
  if (stop.stop_requested()) {
    return Error(ErrorKind::kCancelled, "reading edges was cancelled");
  }
  const std::vector<RowNumber> by_source =
      order_by(sources, count_starts(sources, source_nodes), edges);
  out.in_ = make_lists(targets, target_nodes, sources, by_source);
  return out;
}

}  // namespace weft::gqexec

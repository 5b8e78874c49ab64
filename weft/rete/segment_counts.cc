// How many rows match: exactly where directories and a tile or two tell, else by proportion.
#include <algorithm>
#include <utility>

#include "weft/rete/file_segment.h"

namespace weft::rete {
namespace {

using rdf::Cardinality;
using rdf::GraphScope;
using rdf::Permutation;

// Tiles are looked at this far for an estimate.
constexpr size_t kTilesListedMax = 4096;
constexpr size_t kTilesDecodedMax = 2;

Permutation best_permutation(const LocalPattern& pattern) {
  const bool s = pattern.subject != 0;
  const bool p = pattern.predicate != 0;
  const bool o = pattern.object != 0;
  if (s && o && !p) {
    return Permutation::kOsp;
  }
  if (s) {
    return Permutation::kSpo;
  }
  return p ? Permutation::kPos : o ? Permutation::kOsp : Permutation::kSpo;
}

bool binds_nothing(const LocalPattern& pattern) {
  return pattern.subject == 0 && pattern.predicate == 0 && pattern.object == 0;
}

constexpr Cardinality exactly(uint64_t rows) {
  return {.rows = static_cast<double>(rows), .exact = true};
}

}  // namespace

Result<Cardinality> FileSegment::count_in(const TileDirectory& directory, const RowFilter& filter,
                                          double rows_per_byte, const std::stop_token& stop) {
  TileWalk walk(loader_, directory, filter);
  std::vector<TileEntry> entries;
  WEFT_TRY_STATUS(walk.next(kTilesListedMax, entries, stop));
  if (entries.empty()) {
    return exactly(0);
  }
  // The first and the last tile are cut by the bounds; those between lie within the first bound.
  std::vector<TileRequest> requests = {{&directory, entries.front()}};
  if (entries.size() > 1) {
    requests.push_back({&directory, entries.back()});
  }
  WEFT_TRY(const Tiles tiles, load_tiles(loader_, requests, true, stop));
  double rows = 0;
  for (const std::shared_ptr<const Tile>& tile : tiles) {
    rows += static_cast<double>(count_rows(*tile, filter));
  }
  if (entries.size() <= kTilesDecodedMax) {
    return Cardinality{.rows = rows, .exact = true};
  }
  double between = 0;
  const bool whole = filter.columns[1] == 0 && filter.columns[2] == 0 && !filter.any_graph;
  for (size_t i = 1; i + 1 < entries.size(); ++i) {
    between += static_cast<double>(entries[i].stored.size) * rows_per_byte;
  }
  if (!whole) {
    // As dense as in the tiles that were looked at.
    double looked_at = 0;
    for (const std::shared_ptr<const Tile>& tile : tiles) {
      looked_at += static_cast<double>(tile->row_count());
    }
    between *= std::max(rows, 1.0) / looked_at;
  }
  return Cardinality{.rows = rows + between, .exact = false};
}

Result<Cardinality> FileSegment::count_default(const Roots& roots, const LocalPattern& pattern,
                                               const std::stop_token& stop) {
  const uint64_t total = facts_.quad_count - roots.named_quad_count;
  if (binds_nothing(pattern)) {
    return exactly(total);
  }
  const Permutation permutation = best_permutation(pattern);
  const Bounds bounds = bounds_of(roots, pattern, permutation);
  if (!bounds.possible) {
    return exactly(0);
  }
  if (pattern.subject == 0 && pattern.object == 0 && facts_.has_schema) {
    WEFT_TRY(const std::shared_ptr<const Schema> known, schema());
    const PredicateStatistics* const statistics =
        known == nullptr ? nullptr : known->find(pattern.predicate);
    if (statistics != nullptr) {
      // Another's statistics are no proof.
      return Cardinality{.rows = static_cast<double>(statistics->triples),
                         .exact = facts_.has_block_digests};
    }
  }
  const TileDirectory& directory = *roots.index[static_cast<size_t>(permutation)];
  const double rows_per_byte =
      directory.tiles.size == 0
          ? 0.0
          : static_cast<double>(total) / static_cast<double>(directory.tiles.size);
  return count_in(directory, bounds.filter, rows_per_byte, stop);
}

Result<Cardinality> FileSegment::count_named(const Roots& roots, const LocalPattern& pattern,
                                             const std::stop_token& stop) {
  const Permutation permutation = best_permutation(pattern);
  Bounds bounds = bounds_of(roots, pattern, permutation);
  if (!bounds.possible || roots.named_quad_count == 0) {
    return exactly(0);
  }
  const bool all = pattern.scope == GraphScope::kAllNamed;
  if (binds_nothing(pattern)) {
    if (all) {
      return exactly(roots.named_quad_count);
    }
    WEFT_TRY(const uint64_t quads, quads_in_graph(pattern.graph, stop));
    return exactly(quads);
  }
  if (!roots.graph_index.has_value()) {
    // Graphs in containers: one after the other, the first few exactly.
    Cardinality sum{.rows = 0, .exact = true};
    size_t looked_at = 0;
    constexpr size_t kGraphsMax = 64;
    for (const Roots::Container& container : roots.containers) {
      if (!all && container.graph != pattern.graph) {
        continue;
      }
      if (looked_at == kGraphsMax) {
        sum.exact = false;
        sum.rows *= static_cast<double>(roots.containers.size()) / kGraphsMax;
        break;
      }
      ++looked_at;
      WEFT_TRY(const std::shared_ptr<const TileDirectory> directory,
               container_directory(container, permutation));
      const double rows_per_byte =
          static_cast<double>(container.quad_count) /
          static_cast<double>(std::max<uint64_t>(directory->tiles.size, 1));
      WEFT_TRY(const Cardinality rows, count_in(*directory, bounds.filter, rows_per_byte, stop));
      sum.rows += rows.rows;
      sum.exact &= rows.exact;
    }
    return sum;
  }
  bounds.filter.any_graph = all;
  bounds.filter.graph = all ? 0 : subject_id(roots.counts, pattern.graph);
  if (!all && bounds.filter.graph == 0) {
    return exactly(0);
  }
  const TileDirectory& directory = *roots.quads[static_cast<size_t>(permutation)];
  // Of generation 6, `tiles` are those of all orders.
  const size_t orders =
      header6_.has_value()
          ? static_cast<size_t>(std::count_if(roots.quads.begin(), roots.quads.end(),
                                              [](const auto& order) { return order != nullptr; }))
          : 1;
  const double rows_per_byte = static_cast<double>(roots.named_quad_count) *
                               static_cast<double>(orders) /
                               static_cast<double>(std::max<uint64_t>(directory.tiles.size, 1));
  return count_in(directory, bounds.filter, rows_per_byte, stop);
}

Result<Cardinality> FileSegment::count(const LocalPattern& pattern, std::stop_token stop) {
  WEFT_TRY(const Roots* const known, roots(stop));
  return pattern.scope == GraphScope::kDefault ? count_default(*known, pattern, stop)
                                               : count_named(*known, pattern, stop);
}

}  // namespace weft::rete

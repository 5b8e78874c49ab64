// Where a scan can be cut into pieces of similar size: at the beginnings of tiles.
#include <algorithm>
#include <utility>

#include "weft/rete/file_segment.h"

namespace weft::rete {
namespace {

using rdf::Permutation;
using rdf::Position;

// The least row that a tile may begin with; nullopt if its directory does not tell that the tile
// lies wholly within the bound columns.
std::optional<TileRow> beginning(const TileEntry& entry, const RowFilter& filter) {
  const TileZone& zone = entry.zone;
  const size_t prefix = filter.prefix();
  const bool one_group = entry.first() == entry.last() && zone.has_ranges;
  if (!one_group) {
    return prefix == 0 ? std::optional(TileRow{zone.first_a, 0, 0}) : std::nullopt;
  }
  const bool one_b = zone.b_min == zone.b_max;
  if (prefix > 2 || (prefix == 2 && !one_b)) {
    return std::nullopt;
  }
  return TileRow{zone.first_a, zone.b_min, one_b ? zone.c_min : 0};
}

uint32_t local_id(const TermCounts& counts, Position position, uint32_t stored) {
  return position == Position::kObject ? Segment::node_of_object(counts, stored) : stored;
}

}  // namespace

Result<std::vector<RowKey>> FileSegment::cuts(const LocalPattern& pattern, Permutation permutation,
                                              size_t pieces, std::stop_token stop) {
  std::vector<RowKey> result;
  if (pattern.scope == rdf::GraphScope::kAllNamed || pieces < 2 || !has_permutation(permutation)) {
    return result;
  }
  WEFT_TRY(const Roots* const known, roots(stop));
  Bounds bounds = bounds_of(*known, pattern, permutation);
  const TileDirectory* directory = known->index[static_cast<size_t>(permutation)].get();
  if (pattern.scope == rdf::GraphScope::kOne) {
    bounds.filter.graph = subject_id(known->counts, pattern.graph);
    bounds.possible &= bounds.filter.graph != 0 && known->graph_index.has_value();
    directory = known->quads[static_cast<size_t>(permutation)].get();
  }
  if (!bounds.possible || directory == nullptr) {
    return result;
  }
  constexpr size_t kEntriesAtOnce = 256;
  TileWalk walk(loader_, *directory, bounds.filter);
  std::vector<TileRow> rows;
  std::vector<TileEntry> entries;
  do {
    entries.clear();
    WEFT_TRY_STATUS(walk.next(kEntriesAtOnce, entries, stop));
    for (const TileEntry& entry : entries) {
      const std::optional<TileRow> row = beginning(entry, bounds.filter);
      if (row.has_value() && (rows.empty() || rows.back() < *row)) {
        rows.push_back(*row);
      }
    }
  } while (!entries.empty());
  const auto columns = rdf::positions(permutation);
  const size_t count = std::min(pieces, rows.size());
  for (size_t i = 1; i < count; ++i) {
    const TileRow& row = rows[rows.size() * i / count];
    result.push_back({.graph = 0,
                      .a = local_id(known->counts, columns[0], row.a),
                      .b = local_id(known->counts, columns[1], row.b),
                      .c = local_id(known->counts, columns[2], row.c)});
  }
  return result;
}

}  // namespace weft::rete

// The cursor behind Segment::scan.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "weft/base/result.h"
#include "weft/rete/segment.h"
#include "weft/rete/tile_walk.h"

namespace weft::rete {

// A directory to scan, and the graph its rows belong to where rows do not say (0: they do, or it is
// the default graph).
struct ScanSource {
  std::shared_ptr<const TileDirectory> directory;
  RowFilter filter;
  NodeId graph = 0;
};

struct ScanPlan {
  rdf::Permutation permutation = rdf::Permutation::kSpo;
  TermCounts counts;
  bool fills_graph = false;
  // Sources in ascending order of their graphs; nullopt behind the last one.
  std::function<Result<std::optional<ScanSource>>(size_t index)> source;
  // Puts tiles into the cache.
  bool keep = true;
};

// The stored id of a node as a bound of a column: rows with this term lie at or behind `id`; exact
// if `id` is the term itself.
struct ColumnBound {
  uint32_t id = 0;
  bool exact = true;
};
ColumnBound column_bound(const TermCounts& counts, rdf::Position position, uint32_t local_id);

// `owner` keeps the segment alive.
std::unique_ptr<SegmentCursor> make_scan_cursor(std::shared_ptr<void> owner, BlockLoader& loader,
                                                ScanPlan plan, std::stop_token stop);

// Keeps the rows of three columns that match the filter; returns how many.
size_t keep_matching(const std::array<uint32_t, 3>& wanted, size_t count,
                     const std::array<uint32_t*, 3>& columns);

// Number of rows of `tile` that pass the filter.
uint64_t count_rows(const Tile& tile, const RowFilter& filter);

// Moves `cursor` to the first row of its run within the bound prefix of `filter`, and returns how
// many there are. Cheap if that is near.
uint32_t seek_prefix(TileCursor& cursor, const RowFilter& filter);

}  // namespace weft::rete

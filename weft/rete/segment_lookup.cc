// Look-ups in a segment: Segment::look_up.
#include <algorithm>
#include <array>
#include <utility>

#include "weft/rete/file_segment.h"
#include "weft/rete/lookup.h"

namespace weft::rete {

Result<size_t> FileSegment::look_up(std::span<const LocalPattern> patterns,
                                    rdf::Permutation permutation, size_t rows_max, LocalBatch& rows,
                                    std::vector<uint32_t>& ends, std::stop_token stop) {
  rows.clear();
  ends.clear();
  if (patterns.empty() || is_remote() || !has_permutation(permutation)) {
    return size_t{0};
  }
  WEFT_TRY(const Roots* const known, roots(stop));
  const rdf::GraphScope scope = patterns.front().scope;
  const bool in_graph = scope == rdf::GraphScope::kOne;
  if (scope == rdf::GraphScope::kAllNamed || (in_graph && !known->graph_index.has_value())) {
    return size_t{0};
  }
  const auto order = static_cast<size_t>(permutation);
  const auto& directory = in_graph ? known->quads[order] : known->index[order];
  TileLookup lookup(loader_, *directory, permutation, known->counts);
  constexpr size_t kRowsPerPattern = 4;
  ends.reserve(patterns.size());
  const size_t rows_mostly = std::min(rows_max, patterns.size() * kRowsPerPattern);
  for (std::vector<uint32_t>* const column : {&rows.subject, &rows.predicate, &rows.object}) {
    column->reserve(rows_mostly);
  }
  for (const LocalPattern& pattern : patterns) {
    Bounds bounds = bounds_of(*known, pattern, permutation);
    if (in_graph) {
      bounds.filter.graph = subject_id(known->counts, pattern.graph);
      bounds.possible &= bounds.filter.graph != 0;
    }
    if (pattern.scope != scope || (bounds.possible && bounds.filter.columns[0] == 0)) {
      break;
    }
    if (bounds.possible) {
      WEFT_TRY(const bool fits, lookup.append(bounds.filter, rows_max - rows.size(), rows, stop));
      if (!fits) {
        break;
      }
    }
    ends.push_back(static_cast<uint32_t>(rows.size()));
    if (rows.size() >= rows_max) {
      break;
    }
  }
  return ends.size();
}

}  // namespace weft::rete

// Look-ups in a segment: Segment::lookup.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "weft/base/present.h"
#include "weft/rete/file_segment.h"
#include "weft/rete/lookup.h"

namespace weft::rete {

class FileSegment::Lookup final : public SegmentLookup {
 public:
  // `segment` must outlive it.
  explicit Lookup(FileSegment& segment) : segment_(segment) {}

  Result<size_t> look_up(std::span<const LocalPattern> patterns, rdf::Permutation permutation,
                         size_t rows_max, LocalBatch& rows, std::vector<uint32_t>& ends,
                         const std::stop_token& stop) override;

 private:
  // Goes on in `directory`, at the last place if it is the same.
  TileLookup& tiles_of(const TileDirectory& directory, rdf::Permutation permutation);

  FileSegment& segment_;
  const Roots* roots_ = nullptr;
  std::optional<TileLookup> tiles_;
};

TileLookup& FileSegment::Lookup::tiles_of(const TileDirectory& directory,
                                          rdf::Permutation permutation) {
  if (!tiles_.has_value() || &tiles_->directory() != &directory) {
    tiles_.emplace(segment_.loader_, directory, permutation, roots_->counts);
  }
  return base::present(tiles_);
}

Result<size_t> FileSegment::Lookup::look_up(std::span<const LocalPattern> patterns,
                                            rdf::Permutation permutation, size_t rows_max,
                                            LocalBatch& rows, std::vector<uint32_t>& ends,
                                            const std::stop_token& stop) {
  rows.clear();
  ends.clear();
  if (patterns.empty() || segment_.is_remote() || !segment_.has_permutation(permutation)) {
    return size_t{0};
  }
  WEFT_TRY(roots_, segment_.roots(stop));
  const rdf::GraphScope scope = patterns.front().scope;
  const bool in_graph = scope == rdf::GraphScope::kOne;
  if (scope == rdf::GraphScope::kAllNamed || (in_graph && !roots_->graph_index.has_value())) {
    return size_t{0};
  }
  const auto order = static_cast<size_t>(permutation);
  TileLookup& tiles =
      tiles_of(in_graph ? *roots_->quads[order] : *roots_->index[order], permutation);
  ends.reserve(patterns.size());
  for (const LocalPattern& pattern : patterns) {
    Bounds bounds = segment_.bounds_of(*roots_, pattern, permutation);
    if (in_graph) {
      bounds.filter.graph = subject_id(roots_->counts, pattern.graph);
      bounds.possible &= bounds.filter.graph != 0;
    }
    if (pattern.scope != scope || (bounds.possible && bounds.filter.columns[0] == 0)) {
      break;
    }
    if (bounds.possible) {
      WEFT_TRY(const bool fits, tiles.append(bounds.filter, rows_max - rows.size(), rows, stop));
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

std::unique_ptr<SegmentLookup> FileSegment::lookup() {
  return std::make_unique<Lookup>(*this);
}

}  // namespace weft::rete

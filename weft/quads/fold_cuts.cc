// Where a scan of the fold can be cut into pieces: where its base can.
#include <algorithm>
#include <utility>

#include "weft/quads/fold_state.h"

namespace weft::quads {
namespace {

// Every piece gathers the overlays' rows again: all pieces together at most this share of the
// base's rows.
constexpr double kGatheredShare = 0.25;

}  // namespace

Result<std::vector<Fold::Cut>> FoldState::cuts(const rdf::IdPattern& pattern,
                                               rdf::Permutation permutation, size_t pieces,
                                               std::stop_token stop) {
  std::vector<Cut> result;
  WEFT_TRY(const std::optional<rete::LocalPattern> local, base_pattern(*terms_, pattern, stop));
  if (!local.has_value() || segments_->has_remote()) {
    return result;
  }
  rete::Segment& base = terms_->base()->segment();
  const std::optional<rdf::Permutation> stored = stored_order(base, pattern, permutation);
  if (!stored.has_value()) {
    return result;
  }
  double overlay_rows = 0;
  if (!overlay_->empty()) {
    WEFT_TRY(Overlay* const overlays, overlay(1, stop));
    WEFT_TRY(const Overlay::Count count, overlays->count(pattern, stop));
    overlay_rows += static_cast<double>(count.rows);
  }
  if (!live_->empty()) {
    WEFT_TRY(const LiveRows::Wanted wanted, wanted_of(pattern, stop));
    overlay_rows += static_cast<double>(live_->count(pattern, wanted).rows);
  }
  if (overlay_rows > 0) {
    WEFT_TRY(const rdf::Cardinality rows, base.count(*local, stop));
    const double most = rows.rows * kGatheredShare / overlay_rows;
    pieces = most < static_cast<double>(pieces) ? static_cast<size_t>(most) : pieces;
  }
  const auto columns = rdf::positions(*stored);
  size_t first = 0;  // column that is not bound
  while (first < columns.size() && pattern.at(columns[first]) != rdf::kNoTerm) {
    ++first;
  }
  // Predicates do not ascend by id.
  if (pieces < 2 || first == columns.size() || columns[first] == rdf::Position::kPredicate) {
    return result;
  }
  const bool has_second = first + 1 < columns.size() &&
                          columns[first + 1] != rdf::Position::kPredicate &&
                          pattern.at(columns[first + 1]) == rdf::kNoTerm;
  WEFT_TRY(const std::vector<rete::RowKey> keys, base.cuts(*local, *stored, pieces, stop));
  for (const rete::RowKey& key : keys) {
    const std::array<uint32_t, 3> ids = {key.a, key.b, key.c};
    const Cut cut{ids[first], has_second ? ids[first + 1] : 0};
    if (result.empty() || result.back() < cut) {
      result.push_back(cut);
    }
  }
  return result;
}

}  // namespace weft::quads

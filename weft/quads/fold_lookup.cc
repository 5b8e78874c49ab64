// Look-ups in a fold that is its base and nothing else: Fold::look_up.
#include <algorithm>
#include <utility>

#include "weft/quads/fold_state.h"

namespace weft::quads {

Result<size_t> FoldState::look_up(std::span<const rdf::IdPattern> patterns,
                                  rdf::Permutation permutation, size_t rows_max, rdf::IdBatch& rows,
                                  std::vector<uint32_t>& ends, std::stop_token stop) {
  rows.clear();
  ends.clear();
  if (!has_no_overlay() || terms_->base() == nullptr || patterns.empty()) {
    return size_t{0};
  }
  WEFT_TRY(const Aliases* const aliases, terms_->base()->aliases(stop));
  const auto stored = stored_order(terms_->base()->segment(), patterns.front(), permutation);
  if (!aliases->empty() || !stored.has_value()) {
    return size_t{0};
  }
  std::vector<rete::LocalPattern> local;
  local.reserve(patterns.size());
  for (const rdf::IdPattern& pattern : patterns) {
    WEFT_TRY(const std::optional<rete::LocalPattern> one, base_pattern(*terms_, pattern, stop));
    if (!one.has_value()) {
      break;  // the caller's scan says so
    }
    local.push_back(*one);
  }
  rete::LocalBatch found;
  WEFT_TRY(const size_t done,
           terms_->base()->segment().look_up(local, *stored, rows_max, found, ends, stop));
  rows.subject.assign(found.subject.begin(), found.subject.end());
  rows.object.assign(found.object.begin(), found.object.end());
  const bool is_bound = std::ranges::all_of(
      patterns.first(done), [](const auto& pattern) { return pattern.predicate != rdf::kNoTerm; });
  if (!is_bound) {
    WEFT_TRY_STATUS(terms_->predicate_terms(found.predicate, rows.predicate, stop));
    return done;
  }
  rows.predicate.reserve(found.size());
  for (size_t i = 0; i < done; ++i) {
    rows.predicate.resize(ends[i], patterns[i].predicate);
  }
  return done;
}

}  // namespace weft::quads

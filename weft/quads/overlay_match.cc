// The decoded segments of an overlay: which of their rows match a pattern.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "weft/quads/overlay.h"

namespace weft::quads {

Result<Overlay::ResidentMatch> Overlay::match_resident(const rdf::IdPattern& pattern,
                                                       const std::stop_token& stop) {
  const std::array<rdf::TermId, 4> ids = {pattern.subject, pattern.predicate, pattern.object,
                                          pattern.graph};
  std::vector<Ordinal> wanted;
  WEFT_TRY_STATUS(terms_.ordinals_of(ids, wanted, stop));
  return match_resident(pattern, wanted);
}

Overlay::ResidentMatch Overlay::match_resident(const rdf::IdPattern& pattern,
                                               std::span<const Ordinal> wanted) const {
  ResidentMatch match;
  match.pattern = pattern;
  std::ranges::copy(wanted, match.wanted.begin());
  const std::array<rdf::TermId, 4> ids = {pattern.subject, pattern.predicate, pattern.object,
                                          pattern.graph};
  const std::array<const Postings*, 4> postings = {&by_subject_, &by_predicate_, &by_object_,
                                                   &by_graph_};
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == rdf::kNoTerm) {
      continue;
    }
    const std::span<const uint32_t> posting = match.wanted[i] == kNoOrdinal
                                                  ? std::span<const uint32_t>()
                                                  : postings[i]->of(match.wanted[i]);
    if (!match.shortest.has_value() || posting.size() < match.shortest->size()) {
      match.shortest = posting;
    }
  }
  return match;
}

bool Overlay::ResidentMatch::holds(const OverlayRow& row) const {
  const bool in_scope = pattern.scope == rdf::GraphScope::kDefault ? row.graph == kNoOrdinal
                        : pattern.scope == rdf::GraphScope::kOne   ? row.graph == wanted[3]
                                                                   : row.graph != kNoOrdinal;
  return in_scope && (pattern.subject == rdf::kNoTerm || row.subject == wanted[0]) &&
         (pattern.predicate == rdf::kNoTerm || row.predicate == wanted[1]) &&
         (pattern.object == rdf::kNoTerm || row.object == wanted[2]);
}

Stamp Overlay::latest_resident(const OverlayRow& quad) const {
  std::span<const uint32_t> shortest = by_subject_.of(quad.subject);
  const std::span<const uint32_t> of_object = by_object_.of(quad.object);
  shortest = of_object.size() < shortest.size() ? of_object : shortest;
  Stamp latest = 0;
  for (const uint32_t i : shortest) {
    const OverlayRow& row = rows_[i];
    if (row.subject == quad.subject && row.predicate == quad.predicate &&
        row.object == quad.object && row.graph == quad.graph) {
      // Stamps begin with the deletions of entry 0, which delete nothing.
      latest = std::max(latest, row.stamp);
    }
  }
  return latest;
}

Status Overlay::collect_resident(const rdf::IdPattern& pattern, std::vector<OverlayRow>& rows,
                                 MemoryHold& memory, const std::stop_token& stop) {
  if (rows_.empty()) {
    return ok_status();
  }
  WEFT_TRY(const ResidentMatch match, match_resident(pattern, stop));
  if (match.shortest.has_value()) {
    for (const uint32_t i : *match.shortest) {
      if (match.holds(rows_[i])) {
        rows.push_back(rows_[i]);
      }
    }
  } else {
    WEFT_TRY_STATUS(memory.cover((rows.size() + rows_.size()) * sizeof(OverlayRow)));
    std::ranges::copy_if(rows_, std::back_inserter(rows),
                         [&match](const OverlayRow& row) { return match.holds(row); });
  }
  return memory.cover(rows.size() * sizeof(OverlayRow));
}

size_t Overlay::look_up_resident(std::span<const rdf::IdPattern> patterns,
                                 std::span<const Ordinal> wanted, size_t rows_max,
                                 FoundRows& found) const {
  for (size_t i = 0; i < patterns.size(); ++i) {
    const ResidentMatch match = match_resident(patterns[i], wanted.subspan(4 * i, 4));
    if (!match.shortest.has_value() || match.shortest->size() > rows_max ||
        found.rows.size() > rows_max) {
      return i;
    }
    for (const uint32_t row : *match.shortest) {
      if (match.holds(rows_[row])) {
        found.rows.push_back(rows_[row]);
      }
    }
    found.patterns.resize(found.rows.size(), static_cast<uint32_t>(i));
  }
  return patterns.size();
}

// Every planning of a query asks for patterns that match a large part of the overlays, such as all
// rows of a predicate: of those a sample is looked at.
Overlay::Count Overlay::count_matches(const ResidentMatch& match) const {
  Count count;
  const size_t size = match.size(rows_);
  const auto add_every = [&](size_t step) {
    for (size_t i = 0; i < size; i += step) {
      const OverlayRow& row = rows_[match.shortest.has_value() ? (*match.shortest)[i] : i];
      if (match.holds(row)) {
        count.net += adds(row.stamp) ? static_cast<double>(step) : -static_cast<double>(step);
        count.rows += static_cast<double>(step);
      }
    }
  };
  add_every(std::max<size_t>(size / kCountedRows, 1));
  if (count.rows == 0 && size > kCountedRows) {
    // "None" must be true, since the base's count is then exact.
    add_every(1);
  }
  return count;
}

Result<Overlay::Count> Overlay::count_resident(const rdf::IdPattern& pattern,
                                               const std::stop_token& stop) {
  constexpr size_t kRememberedRowsMin = 32;
  constexpr size_t kRememberedMax = 1'024;
  if (rows_.empty()) {
    return Count();
  }
  WEFT_TRY(const ResidentMatch match, match_resident(pattern, stop));
  if (match.size(rows_) < kRememberedRowsMin) {
    return count_matches(match);
  }
  CountKey key = {match.wanted[0], match.wanted[1], match.wanted[2], match.wanted[3],
                  static_cast<uint32_t>(pattern.scope) << 3U};
  key[4] |= (pattern.subject != rdf::kNoTerm ? 1U : 0U) |
            (pattern.predicate != rdf::kNoTerm ? 2U : 0U) |
            (pattern.object != rdf::kNoTerm ? 4U : 0U);
  {
    const base::MutexLock lock(counts_mutex_);
    if (const auto known = counts_.find(key); known != counts_.end()) {
      return known->second;
    }
  }
  const Count count = count_matches(match);
  const base::MutexLock lock(counts_mutex_);
  if (counts_.size() >= kRememberedMax) {
    counts_.clear();
  }
  counts_.insert_or_assign(key, count);
  return count;
}

}  // namespace weft::quads

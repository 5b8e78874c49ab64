// What the fold knows about itself: graphs, counts, changes.
#include <algorithm>
#include <utility>

#include "weft/quads/base_walk.h"
#include "weft/quads/fold_state.h"
#include "weft/rete/format.h"

namespace weft::quads {
Status FoldState::walk(rdf::GraphScope scope, bool whole_base, const Visit& visit,
                       const std::stop_token& stop) {
  const rdf::IdPattern all{.scope = scope};
  MemoryHold memory(budget_);
  WEFT_TRY(const std::optional<rete::LocalPattern> local, base_pattern(*terms_, all, stop));
  WEFT_TRY(const std::vector<DeltaRow> delta,
           delta_of(all, local, ScanOrder(rdf::Permutation::kSpo), memory, stop));
  BaseStream base;
  if (local.has_value() && (whole_base || !delta.empty())) {
    WEFT_TRY(base, BaseStream::open(*terms_, *local, rdf::Permutation::kSpo, stop));
  }
  BaseWalk at(base, terms_->node_count());
  bool started = false;
  const auto pass_until = [&](const RowPlace* end) -> Status {
    while (!at.at_end() && (end == nullptr || at.place() < *end)) {
      WEFT_TRY_STATUS(visit(at.place(), true, {}));
      WEFT_TRY_STATUS(at.step());
    }
    return ok_status();
  };
  for (size_t begin = 0; begin < delta.size();) {
    const RowPlace& place = delta[begin].place;
    size_t end = begin + 1;
    while (end < delta.size() && delta[end].place == place) {
      ++end;
    }
    if (!started) {
      started = true;
      if (!whole_base) {
        WEFT_TRY_STATUS(base.seek(key_of(place)));
      }
      WEFT_TRY_STATUS(at.start());
    }
    WEFT_TRY_STATUS(whole_base ? pass_until(&place) : at.advance_to(place));
    const bool in_base = !at.at_end() && at.place() == place;
    WEFT_TRY_STATUS(visit(place, in_base, std::span(delta).subspan(begin, end - begin)));
    if (in_base && whole_base) {
      WEFT_TRY_STATUS(at.step());
    }
    begin = end;
  }
  if (whole_base) {
    WEFT_TRY_STATUS(started ? ok_status() : at.start());
    WEFT_TRY_STATUS(pass_until(nullptr));
  }
  return ok_status();
}

// The number in the header of generation 5 is protected by nothing.
Result<std::optional<uint64_t>> FoldState::base_count(const std::stop_token& stop) {
  rete::Segment& base = terms_->base()->segment();
  if (base.facts().generation != rete::kGeneration5) {
    return std::optional(base.facts().quad_count);
  }
  WEFT_TRY(const rdf::Cardinality in_default, base.count({}, stop));
  if (!in_default.exact) {
    return std::optional<uint64_t>();
  }
  auto count = static_cast<uint64_t>(in_default.rows);
  WEFT_TRY(const auto graphs, base.graphs(stop));
  for (const rete::GraphEntry& graph : *graphs) {
    count += graph.quad_count;
  }
  return std::optional(count);
}

// Counting takes time in proportion to the overlays; effective changes on top say what they add.
Result<uint64_t> FoldState::quad_count(std::stop_token stop) {
  if (const std::optional<int64_t> net = live_->net_quads(); net.has_value() && !live_->empty()) {
    if (const std::optional<uint64_t> known = ground_->known_quads(); known.has_value()) {
      return static_cast<uint64_t>(static_cast<int64_t>(*known) + *net);
    }
    WEFT_TRY(const uint64_t below, with(std::make_shared<LiveRows>())->quad_count(stop));
    return static_cast<uint64_t>(static_cast<int64_t>(below) + *net);
  }
  if (live_->empty()) {
    if (const std::optional<uint64_t> known = ground_->known_quads(); known.has_value()) {
      return *known;
    }
  }
  WEFT_TRY(const uint64_t count, counted(std::move(stop)));
  if (live_->empty()) {
    ground_->remember_quads(count);
  }
  return count;
}

Result<uint64_t> FoldState::counted(const std::stop_token& stop) {
  const Aliases* aliases = nullptr;
  uint64_t count = 0;
  bool is_known = true;
  if (terms_->base() != nullptr) {
    WEFT_TRY(aliases, terms_->base()->aliases(stop));
    WEFT_TRY(const std::optional<uint64_t> known, base_count(stop));
    count = known.value_or(0);
    is_known = known.has_value();
  }
  const bool whole_base = !is_known || (aliases != nullptr && !aliases->empty());
  if (has_no_overlay() && !whole_base) {
    return count;
  }
  count = whole_base ? 0 : count;
  for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
    WEFT_TRY_STATUS(walk(
        scope, whole_base,
        [&](const RowPlace&, bool in_base, std::span<const DeltaRow> stamps) {
          const bool visible =
              stamps.empty() ? in_base : is_visible(stamps.front().stamp, in_base, base_stamp_);
          const bool counted = in_base && !whole_base;
          count += (visible ? 1U : 0U);
          count -= (counted ? 1U : 0U);
          return ok_status();
        },
        stop));
  }
  return count;
}

Status FoldState::changes_since(size_t entries,
                                const std::function<Status(std::span<const Change>)>& take,
                                std::stop_token stop) {
  constexpr size_t kBatchRows = 4096;
  const Stamp now = stamp_of(entries, manifest::Role::kDels);
  const bool base_is_new = base_use_.has_value() && base_stamp_ >= now;
  std::vector<Change> batch;
  const auto flush = [&]() -> Status {
    std::vector<rete::PredicateId> keys;
    for (const Change& change : batch) {
      if (change.predicate < kFirstForeignPredicate) {
        keys.push_back(static_cast<rete::PredicateId>(change.predicate));
      }
    }
    std::vector<rdf::TermId> ids;
    if (!keys.empty()) {
      WEFT_TRY_STATUS(terms_->predicate_terms(keys, ids, stop));
    }
    size_t next = 0;
    for (Change& change : batch) {
      change.predicate = change.predicate < kFirstForeignPredicate
                             ? ids[next++]
                             : change.predicate - kFirstForeignPredicate;
    }
    WEFT_TRY_STATUS(take(batch));
    batch.clear();
    return ok_status();
  };
  const auto visit = [&](const RowPlace& place, bool in_base,
                         std::span<const DeltaRow> stamps) -> Status {
    const bool after =
        stamps.empty() ? in_base : is_visible(stamps.front().stamp, in_base, base_stamp_);
    // Stamps descend: the first old one tells what was visible then.
    const auto old =
        std::ranges::find_if(stamps, [&](const DeltaRow& row) { return row.stamp < now; });
    const bool was_in_base = in_base && !base_is_new;
    const bool before = old == stamps.end() ? was_in_base
                        : base_is_new       ? adds(old->stamp)
                                            : is_visible(old->stamp, was_in_base, base_stamp_);
    if (before != after) {
      batch.push_back({.subject = place.a,
                       .predicate = place.b,
                       .object = place.c,
                       .graph = place.graph,
                       .added = after});
    }
    return batch.size() >= kBatchRows ? flush() : ok_status();
  };
  for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
    WEFT_TRY_STATUS(walk(scope, base_is_new, visit, stop));
  }
  return batch.empty() ? ok_status() : flush();
}

Result<bool> FoldState::has_visible(rdf::TermId graph, const std::stop_token& stop) {
  const rdf::IdPattern pattern{.scope = rdf::GraphScope::kOne, .graph = graph};
  WEFT_TRY(const std::unique_ptr<FoldCursor> cursor, scan(pattern, rdf::Permutation::kSpo, stop));
  rdf::IdBatch batch;
  WEFT_TRY_STATUS(cursor->next(batch));
  return batch.size() > 0;
}

Result<std::vector<rdf::TermId>> FoldState::graphs(std::stop_token stop) {
  std::vector<rdf::TermId> known;  // by the base
  if (terms_->base() != nullptr) {
    WEFT_TRY(const Aliases* aliases, terms_->base()->aliases(stop));
    WEFT_TRY(const auto entries, terms_->base()->segment().graphs(stop));
    for (const rete::GraphEntry& entry : *entries) {
      known.push_back(aliases->node(entry.graph));
    }
    std::ranges::sort(known);
    const auto repeated = std::ranges::unique(known);
    known.erase(repeated.begin(), repeated.end());
  }
  if (has_no_overlay()) {
    return known;
  }
  std::vector<Ordinal> ordinals;
  if (!overlay_->empty()) {
    WEFT_TRY(Overlay* const overlays, overlay(1, stop));
    WEFT_TRY_STATUS(overlays->graphs(ordinals, stop));
  }
  live_->graphs(ordinals);
  std::ranges::sort(ordinals);
  const auto again = std::ranges::unique(ordinals);
  ordinals.erase(again.begin(), again.end());
  std::vector<ResolvedTerm> resolved;
  WEFT_TRY_STATUS(terms_->resolve(ordinals, resolved, stop));
  std::vector<rdf::TermId> named;
  named.reserve(resolved.size());
  for (const ResolvedTerm& term : resolved) {
    named.push_back(term.id);
  }
  std::ranges::sort(named);
  std::vector<rdf::TermId> visible;
  std::ranges::set_difference(known, named, std::back_inserter(visible));
  for (const rdf::TermId graph : named) {
    WEFT_TRY(const bool has_rows, has_visible(graph, stop));
    if (has_rows) {
      visible.push_back(graph);
    }
  }
  std::ranges::sort(visible);
  return visible;
}

Result<rdf::Cardinality> FoldState::cardinality(const rdf::IdPattern& pattern) {
  rdf::Cardinality result{.rows = 0, .exact = true};
  WEFT_TRY(const std::optional<rete::LocalPattern> local, base_pattern(*terms_, pattern, {}));
  if (local.has_value()) {
    WEFT_TRY(const Aliases* aliases, terms_->base()->aliases({}));
    WEFT_TRY(result, terms_->base()->segment().count(*local, {}));
    result.exact = result.exact && aliases->empty();
  }
  if (!overlay_->empty()) {
    WEFT_TRY(Overlay* const overlays, overlay(1, {}));
    WEFT_TRY(const Overlay::Count count, overlays->count(pattern, {}));
    result.exact = result.exact && count.rows == 0;
    result.rows = std::max(0.0, result.rows + count.net);
  }
  if (!live_->empty()) {
    WEFT_TRY(const LiveRows::Wanted wanted, wanted_of(pattern, {}));
    const Overlay::Count count = live_->count(pattern, wanted);
    result.exact = result.exact && count.rows == 0;
    result.rows = std::max(0.0, result.rows + count.net);
  }
  return result;
}

Result<double> FoldState::distinct(const rdf::IdPattern& pattern, rdf::Position position) {
  if (pattern.at(position) != rdf::kNoTerm) {
    return 1.0;
  }
  WEFT_TRY(const rdf::Cardinality rows, cardinality(pattern));
  if (terms_->base() == nullptr) {
    return rows.rows;
  }
  rete::Segment& base = terms_->base()->segment();
  WEFT_TRY(const rete::TermCounts counts, base.term_counts());
  double bound =
      static_cast<double>(position == rdf::Position::kPredicate ? counts.predicates
                          : position == rdf::Position::kSubject ? counts.shared + counts.subjects
                                                                : counts.shared + counts.objects);
  const bool only_predicate = pattern.predicate != rdf::kNoTerm &&
                              pattern.subject == rdf::kNoTerm && pattern.object == rdf::kNoTerm;
  if (only_predicate && base.facts().has_schema) {
    WEFT_TRY(const auto schema, base.schema());
    WEFT_TRY(const PredicateKey key, terms_->predicate_key(pattern.predicate, {}));
    const rete::PredicateStatistics* statistics = schema == nullptr || key >= kFirstForeignPredicate
                                                      ? nullptr
                                                      : schema->find(static_cast<uint32_t>(key));
    if (statistics != nullptr) {
      bound =
          static_cast<double>(position == rdf::Position::kSubject ? statistics->distinct_subjects
                                                                  : statistics->distinct_objects);
    }
  }
  return std::min(rows.rows, bound);
}

}  // namespace weft::quads

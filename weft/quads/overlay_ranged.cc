// The larger segments of an overlay: scanned for what a pattern matches.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "weft/quads/overlay.h"

namespace weft::quads {
namespace {

rdf::Permutation best_order(const rete::LocalPattern& pattern) {
  if (pattern.subject != 0) {
    return pattern.predicate == 0 && pattern.object != 0 ? rdf::Permutation::kOsp
                                                         : rdf::Permutation::kSpo;
  }
  if (pattern.predicate != 0) {
    return rdf::Permutation::kPos;
  }
  return pattern.object != 0 ? rdf::Permutation::kOsp : rdf::Permutation::kSpo;
}

}  // namespace

Status Overlay::local_terms(Ranged& ranged, std::span<const rdf::TermId> ids,
                            std::vector<rete::LocalTerm>& local, const std::stop_token& stop) {
  constexpr size_t kRememberedMax = 100'000;
  local.assign(ids.size(), {});
  std::vector<rdf::TermId> unknown;
  {
    const base::MutexLock lock(ranged.mutex);
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == rdf::kNoTerm) {
        continue;
      }
      if (const auto known = ranged.local.find(ids[i]); known != ranged.local.end()) {
        local[i] = known->second;
      } else {
        unknown.push_back(ids[i]);
      }
    }
  }
  if (unknown.empty()) {
    return ok_status();
  }
  std::ranges::sort(unknown);
  const auto repeated = std::ranges::unique(unknown);
  unknown.erase(repeated.begin(), repeated.end());
  rete::TokenTable table;
  WEFT_TRY_STATUS(terms_.tokens_of(unknown, table, stop));
  std::vector<std::string_view> tokens;
  tokens.reserve(table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    tokens.push_back(table[i]);
  }
  std::vector<rete::LocalTerm> found;
  WEFT_TRY_STATUS(ranged.terms->find(tokens, found, stop));
  {
    const base::MutexLock lock(ranged.mutex);
    if (ranged.local.size() > kRememberedMax) {
      ranged.local.clear();
    }
    for (size_t i = 0; i < unknown.size(); ++i) {
      ranged.local.insert_or_assign(unknown[i], found[i]);
    }
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto at = std::ranges::lower_bound(unknown, ids[i]);
    if (at != unknown.end() && *at == ids[i]) {
      local[i] = found[static_cast<size_t>(at - unknown.begin())];
    }
  }
  return ok_status();
}

namespace {

// nullopt if one of the terms is not in the segment.
std::optional<rete::LocalPattern> named(const rdf::IdPattern& pattern,
                                        std::span<const rete::LocalTerm> local) {
  const bool absent = (pattern.subject != rdf::kNoTerm && local[0].node == 0) ||
                      (pattern.predicate != rdf::kNoTerm && local[1].predicate == 0) ||
                      (pattern.object != rdf::kNoTerm && local[2].node == 0) ||
                      (pattern.graph != rdf::kNoTerm && local[3].node == 0);
  if (absent) {
    return std::nullopt;
  }
  return rete::LocalPattern{.subject = local[0].node,
                            .predicate = local[1].predicate,
                            .object = local[2].node,
                            .scope = pattern.scope,
                            .graph = local[3].node};
}

}  // namespace

// The pattern in the segment's ids; nullopt if one of its terms is not there.
Result<std::optional<rete::LocalPattern>> Overlay::local_pattern(Ranged& ranged,
                                                                 const rdf::IdPattern& pattern,
                                                                 const std::stop_token& stop) {
  const std::array<rdf::TermId, 4> ids = {pattern.subject, pattern.predicate, pattern.object,
                                          pattern.graph};
  std::vector<rete::LocalTerm> local;
  WEFT_TRY_STATUS(local_terms(ranged, ids, local, stop));
  return named(pattern, local);
}

Result<size_t> Overlay::look_up_ranged(size_t index, std::span<const rdf::IdPattern> patterns,
                                       size_t rows_max, FoundRows& found, OverlayPlaces& places,
                                       const std::stop_token& stop) {
  Ranged& ranged = *ranged_[index];
  WEFT_TRY(const Aliases* aliases, ranged.terms->aliases(stop));
  if (!aliases->empty()) {
    return size_t{0};
  }
  std::vector<rdf::TermId> ids;
  for (const rdf::IdPattern& pattern : patterns) {
    ids.insert(ids.end(), {pattern.subject, pattern.predicate, pattern.object, pattern.graph});
  }
  std::vector<rete::LocalTerm> terms;
  WEFT_TRY_STATUS(local_terms(ranged, ids, terms, stop));
  LocalPatterns local;
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (const auto one = named(patterns[i], std::span(terms).subspan(4 * i, 4)); one.has_value()) {
      local.patterns.push_back(*one);
      local.numbers.push_back(static_cast<uint32_t>(i));
    }
  }
  if (local.patterns.empty()) {
    return patterns.size();
  }
  std::unique_ptr<rete::SegmentLookup> once;
  places.segments.resize(std::min(ranged_.size(), OverlayPlaces::kSegmentsMax));
  std::unique_ptr<rete::SegmentLookup>& lookup =
      index < places.segments.size() ? places.segments[index] : once;
  if (lookup == nullptr) {
    lookup = ranged.terms->segment().lookup();
  }
  PatternRows of_segment;
  WEFT_TRY(const size_t done,
           local.look_up(lookup.get(), patterns.size(), best_order(local.patterns.front()),
                         rows_max, of_segment, stop));
  WEFT_TRY_STATUS(name_rows(ranged, of_segment.rows, stop));
  size_t row = 0;
  for (const uint32_t number : local.numbers) {
    if (number >= done || row == of_segment.rows.size()) {
      break;
    }
    const rete::NodeId graph = terms[4 * size_t{number} + 3].node;
    if (graph != 0) {
      WEFT_TRY_STATUS(name_graph(ranged, graph, stop));
    }
    const base::MutexLock lock(ranged.mutex);
    for (; row < of_segment.ends[number]; ++row) {
      for (const Stamp stamp : ranged.stamps) {
        found.rows.push_back({.subject = ranged.nodes[of_segment.rows.subject[row]],
                              .predicate = ranged.predicates[of_segment.rows.predicate[row]],
                              .object = ranged.nodes[of_segment.rows.object[row]],
                              .graph = graph == 0 ? kNoOrdinal : ranged.nodes[graph],
                              .stamp = stamp});
        found.patterns.push_back(number);
      }
    }
  }
  return done;
}

// Gives all terms of `batch` their ordinals.
Status Overlay::name_rows(Ranged& ranged, const rete::LocalBatch& batch,
                          const std::stop_token& stop) {
  std::vector<rete::NodeId> nodes;
  std::vector<rete::PredicateId> predicates;
  {
    const base::MutexLock lock(ranged.mutex);
    for (const std::vector<rete::NodeId>* column : {&batch.subject, &batch.object, &batch.graph}) {
      for (const rete::NodeId id : *column) {
        if (ranged.nodes[id] == kNoOrdinal) {
          nodes.push_back(id);
        }
      }
    }
    for (const rete::PredicateId id : batch.predicate) {
      if (ranged.predicates[id] == kNoOrdinal) {
        predicates.push_back(id);
      }
    }
  }
  const auto make_set = [](std::vector<uint32_t>& ids) {
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
  };
  make_set(nodes);
  make_set(predicates);
  if (nodes.empty() && predicates.empty()) {
    return ok_status();
  }
  rete::TokenTable tokens;
  WEFT_TRY_STATUS(ranged.terms->tokens_of(nodes, predicates, tokens, stop));
  std::vector<uint64_t> hashes;
  hashes.reserve(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    hashes.push_back(TermTable::hash_of(tokens[i]));
  }
  std::vector<Ordinal> ordinals;
  terms_.intern(tokens, hashes, ordinals);
  const base::MutexLock lock(ranged.mutex);
  for (size_t i = 0; i < nodes.size(); ++i) {
    ranged.nodes[nodes[i]] = ordinals[i];
  }
  for (size_t i = 0; i < predicates.size(); ++i) {
    ranged.predicates[predicates[i]] = ordinals[nodes.size() + i];
  }
  return ok_status();
}

Status Overlay::collect_ranged(Ranged& ranged, const rdf::IdPattern& pattern,
                               std::vector<OverlayRow>& rows, MemoryHold& memory,
                               const std::stop_token& stop) {
  WEFT_TRY(const std::optional<rete::LocalPattern> local, local_pattern(ranged, pattern, stop));
  if (!local.has_value()) {
    return ok_status();
  }
  // What rows cost later in delta.h is covered there; terms here.
  const uint64_t terms_before = terms_.memory_bytes();
  WEFT_TRY(const Aliases* aliases, ranged.terms->aliases(stop));
  for (const rete::LocalPattern& each : aliases->expand(*local)) {
    WEFT_TRY(const std::unique_ptr<rete::SegmentCursor> cursor,
             ranged.terms->segment().scan(each, best_order(each), stop));
    rete::LocalBatch batch;
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        break;
      }
      const uint64_t grown = terms_.memory_bytes() - terms_before;
      WEFT_TRY_STATUS(memory.cover(
          (rows.size() + batch.size() * ranged.stamps.size()) * sizeof(OverlayRow) + grown));
      WEFT_TRY_STATUS(name_rows(ranged, batch, stop));
      const base::MutexLock lock(ranged.mutex);
      for (size_t i = 0; i < batch.size(); ++i) {
        for (const Stamp stamp : ranged.stamps) {
          rows.push_back({.subject = ranged.nodes[batch.subject[i]],
                          .predicate = ranged.predicates[batch.predicate[i]],
                          .object = ranged.nodes[batch.object[i]],
                          .graph = batch.graph.empty() ? kNoOrdinal : ranged.nodes[batch.graph[i]],
                          .stamp = stamp});
        }
      }
    }
  }
  if (pattern.scope == rdf::GraphScope::kOne && !rows.empty()) {
    // The scan leaves the column empty where all rows have one graph.
    WEFT_TRY_STATUS(name_graph(ranged, local->graph, stop));
    const base::MutexLock lock(ranged.mutex);
    for (OverlayRow& row : rows) {
      row.graph = ranged.nodes[local->graph];
    }
  }
  return ok_status();
}

Status Overlay::name_graph(Ranged& ranged, rete::NodeId graph, const std::stop_token& stop) {
  rete::LocalBatch batch;
  batch.graph.push_back(graph);
  return name_rows(ranged, batch, stop);
}

Status Overlay::find_ranged(std::span<const std::string_view> tokens, const std::stop_token& stop) {
  std::vector<std::vector<rete::LocalTerm>> found(ranged_.size());
  WEFT_TRY_STATUS(executor_.for_each(
      ranged_.size(), [&](size_t i) { return ranged_[i]->terms->find(tokens, found[i], stop); },
      stop));
  for (const std::vector<rete::LocalTerm>& each : found) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (each[i].node != 0 || each[i].predicate != 0) {
        terms_.intern(tokens[i]);
      }
    }
  }
  return ok_status();
}

Status Overlay::prefetch(std::span<const rdf::IdPattern> patterns, const std::stop_token& stop) {
  std::vector<rdf::TermId> ids;
  for (const rdf::IdPattern& pattern : patterns) {
    for (const rdf::TermId id : {pattern.subject, pattern.predicate, pattern.object}) {
      if (id != rdf::kNoTerm) {
        ids.push_back(id);
      }
    }
  }
  std::vector<Ordinal> ordinals;
  if (!rows_.empty()) {
    WEFT_TRY_STATUS(terms_.ordinals_of(ids, ordinals, stop));
  }
  return executor_.for_each(
      ranged_.size(),
      [&](size_t i) -> Status {
        std::vector<rete::LocalPattern> local;
        for (const rdf::IdPattern& pattern : patterns) {
          WEFT_TRY(const auto one, local_pattern(*ranged_[i], pattern, stop));
          if (one.has_value()) {
            local.push_back(*one);
          }
        }
        return local.empty()
                   ? ok_status()
                   : ranged_[i]->terms->segment().prefetch(local, best_order(local.front()), stop);
      },
      stop);
}

Status Overlay::graphs(std::vector<Ordinal>& graphs, const std::stop_token& stop) {
  for (const OverlayRow& row : rows_) {
    if (row.graph != kNoOrdinal && (graphs.empty() || graphs.back() != row.graph)) {
      graphs.push_back(row.graph);
    }
  }
  for (const std::unique_ptr<Ranged>& ranged : ranged_) {
    WEFT_TRY(const auto entries, ranged->terms->segment().graphs(stop));
    rete::LocalBatch batch;
    for (const rete::GraphEntry& entry : *entries) {
      batch.graph.push_back(entry.graph);
    }
    WEFT_TRY_STATUS(name_rows(*ranged, batch, stop));
    const base::MutexLock lock(ranged->mutex);
    for (const rete::GraphEntry& entry : *entries) {
      graphs.push_back(ranged->nodes[entry.graph]);
    }
  }
  std::ranges::sort(graphs);
  const auto repeated = std::ranges::unique(graphs);
  graphs.erase(repeated.begin(), repeated.end());
  return ok_status();
}

}  // namespace weft::quads

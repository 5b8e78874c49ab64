#include "weft/quads/overlay.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace weft::quads {
namespace {

// A remote segment is decoded as a whole only if it comes in very few requests.
constexpr uint64_t kResidentRemoteBytesMax = uint64_t{1} << 20U;

// What a decoded segment will hold: rows and their four postings, and tokens, of which front coding
// and compression hide some.
double estimated_bytes(const rete::SegmentFacts& facts, size_t uses) {
  constexpr double kBytesPerRow = sizeof(OverlayRow) + 4 * sizeof(uint32_t);
  constexpr double kBytesPerTerm = 48;
  return static_cast<double>(facts.quad_count) * static_cast<double>(uses) * kBytesPerRow +
         static_cast<double>(facts.term_count) * kBytesPerTerm +
         static_cast<double>(facts.file_size) * 4;
}

}  // namespace

// A small segment, in its own ids.
struct Overlay::Decoded {
  rete::TokenTable tokens;  // nodes, then predicates
  std::vector<uint64_t> hashes;
  size_t node_count = 0;
  struct Row {
    rete::NodeId subject, object, graph;
    rete::PredicateId predicate;
  };
  std::vector<Row> rows;

  void add(const rete::LocalBatch& batch) {
    for (size_t i = 0; i < batch.size(); ++i) {
      rows.push_back({.subject = batch.subject[i],
                      .object = batch.object[i],
                      .graph = batch.graph.empty() ? 0 : batch.graph[i],
                      .predicate = batch.predicate[i]});
    }
  }
};

std::span<const uint32_t> Overlay::Postings::of(Ordinal ordinal) const {
  if (ordinal + size_t{1} >= starts.size()) {
    return {};
  }
  return std::span(rows).subspan(starts[ordinal], starts[ordinal + size_t{1}] - starts[ordinal]);
}

Overlay::Overlay(SegmentSet& segments, FoldTerms& terms, base::Executor& executor,
                 base::MemoryBudget& budget)
    : segments_(segments), terms_(terms), executor_(executor), budget_(budget), memory_(budget) {}

std::unique_ptr<Overlay> Overlay::create(SegmentSet& segments, std::optional<SegmentUse> base,
                                         FoldTerms& terms, base::Executor& executor,
                                         base::MemoryBudget& budget, Residence residence) {
  std::unique_ptr<Overlay> overlay(new Overlay(segments, terms, executor, budget));
  for (const SegmentUse& use : segments.uses()) {
    const bool is_base = base.has_value() && use.stamp() == base->stamp();
    // Even those that say they are empty: in generation 5 nothing protects that number.
    if (!is_base) {
      overlay->uses_.push_back(use);
    }
  }
  overlay->choose_resident(residence);
  return overlay;
}

void Overlay::choose_resident(Residence residence) {
  std::map<size_t, std::vector<Stamp>> stamps;
  for (const SegmentUse& use : uses_) {
    stamps[use.segment].push_back(use.stamp());
  }
  std::vector<std::pair<double, size_t>> by_cost;
  by_cost.reserve(stamps.size());
  for (const auto& [segment, uses] : stamps) {
    by_cost.emplace_back(estimated_bytes(segments_.facts(segment), uses.size()), segment);
  }
  std::ranges::sort(by_cost);
  double held = 0;
  for (const auto& [cost, segment] : by_cost) {
    const rete::SegmentFacts& facts = segments_.facts(segment);
    held += cost;
    const bool is_small =
        residence == Residence::kSmallSegments && facts.quad_count <= kResidentQuadsMax &&
        (!segments_.is_remote(segment) || facts.file_size <= kResidentRemoteBytesMax);
    if (is_small && held <= static_cast<double>(budget_.limit_bytes()) / 2) {
      resident_.push_back(segment);
    } else {
      auto ranged = std::make_unique<Ranged>();
      ranged->segment = segment;
      ranged->stamps = stamps[segment];
      ranged_.push_back(std::move(ranged));
    }
  }
  std::ranges::sort(resident_);
  std::ranges::sort(ranged_, {}, [](const auto& ranged) { return ranged->segment; });
}

Status Overlay::load(const std::stop_token& stop) {
  const base::MutexLock lock(mutex_);
  if (!loaded_) {
    WEFT_TRY_STATUS(load_locked(stop));
    loaded_ = true;
  }
  return ok_status();
}

Status Overlay::decode(size_t index, Decoded& decoded, const std::stop_token& stop) const {
  WEFT_TRY(std::shared_ptr<rete::Segment> segment, segments_.segment(index));
  SegmentTerms terms(segment);
  WEFT_TRY(const rete::TermCounts counts, segment->term_counts());
  std::vector<rete::NodeId> nodes(counts.nodes());
  std::iota(nodes.begin(), nodes.end(), rete::NodeId{1});
  std::vector<rete::PredicateId> predicates(counts.predicates);
  std::iota(predicates.begin(), predicates.end(), rete::PredicateId{1});
  WEFT_TRY_STATUS(terms.tokens_of(nodes, predicates, decoded.tokens, stop));
  decoded.node_count = nodes.size();
  decoded.hashes.reserve(decoded.tokens.size());
  for (size_t i = 0; i < decoded.tokens.size(); ++i) {
    decoded.hashes.push_back(TermTable::hash_of(decoded.tokens[i]));
  }
  decoded.rows.reserve(segment->facts().quad_count);
  rete::LocalPattern all;
  for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
    if (scope == rdf::GraphScope::kAllNamed && !segment->facts().has_named_graphs) {
      continue;
    }
    all.scope = scope;
    WEFT_TRY(const std::unique_ptr<rete::SegmentCursor> cursor,
             segment->scan(all, rdf::Permutation::kSpo, stop));
    rete::LocalBatch batch;
    do {
      WEFT_TRY_STATUS(cursor->next(batch));
      decoded.add(batch);
    } while (batch.size() > 0);
  }
  return ok_status();
}

// In the order of the log, so that ordinals do not depend on threads.
Status Overlay::add_rows(size_t segment, const Decoded& decoded) {
  std::vector<Ordinal> ordinals;
  terms_.intern(decoded.tokens, decoded.hashes, ordinals);
  for (const SegmentUse& use : uses_) {
    if (use.segment != segment) {
      continue;
    }
    for (const Decoded::Row& row : decoded.rows) {
      rows_.push_back({.subject = ordinals[row.subject - 1],
                       .predicate = ordinals[decoded.node_count + row.predicate - 1],
                       .object = ordinals[row.object - 1],
                       .graph = row.graph == 0 ? kNoOrdinal : ordinals[row.graph - 1],
                       .stamp = use.stamp()});
    }
  }
  return memory_.cover(terms_.memory_bytes() +
                       rows_.capacity() * (sizeof(OverlayRow) + 4 * sizeof(uint32_t)));
}

void Overlay::build_postings(Postings& postings, Ordinal OverlayRow::* position) {
  postings.starts.assign(terms_.ordinal_count() + 2, 0);
  for (const OverlayRow& row : rows_) {
    ++postings.starts[row.*position + size_t{1}];
  }
  std::partial_sum(postings.starts.begin(), postings.starts.end(), postings.starts.begin());
  std::vector<uint32_t> next(postings.starts.begin(), postings.starts.end() - 1);
  postings.rows.resize(rows_.size());
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    postings.rows[next[rows_[i].*position]++] = i;
  }
}

Status Overlay::load_locked(const std::stop_token& stop) {
  // In waves, so that decoded segments do not all wait in memory at once.
  constexpr size_t kWave = 64;
  rows_.clear();  // of an attempt that failed
  for (size_t begin = 0; begin < resident_.size(); begin += kWave) {
    const size_t count = std::min(kWave, resident_.size() - begin);
    std::vector<Decoded> decoded(count);
    WEFT_TRY_STATUS(executor_.for_each(
        count, [&](size_t i) { return decode(resident_[begin + i], decoded[i], stop); }, stop));
    for (size_t i = 0; i < count; ++i) {
      WEFT_TRY_STATUS(add_rows(resident_[begin + i], decoded[i]));
      segments_.close(resident_[begin + i]);
    }
  }
  if (rows_.size() > UINT32_MAX) {
    return Error(ErrorKind::kLimit, "too many changes since the last compaction")
        .with("rows", rows_.size())
        .with("remedy", "`weft manifest compact`");
  }
  for (const std::unique_ptr<Ranged>& ranged : ranged_) {
    WEFT_TRY(std::shared_ptr<rete::Segment> segment, segments_.segment(ranged->segment));
    WEFT_TRY(const rete::TermCounts counts, segment->term_counts());
    ranged->terms = std::make_unique<SegmentTerms>(std::move(segment));
    const base::MutexLock lock(ranged->mutex);
    ranged->nodes.assign(counts.nodes() + size_t{1}, kNoOrdinal);
    ranged->predicates.assign(counts.predicates + size_t{1}, kNoOrdinal);
    WEFT_TRY_STATUS(memory_.cover(
        memory_.bytes() + sizeof(Ordinal) * (ranged->nodes.size() + ranged->predicates.size())));
  }
  build_postings(by_subject_, &OverlayRow::subject);
  build_postings(by_predicate_, &OverlayRow::predicate);
  build_postings(by_object_, &OverlayRow::object);
  build_postings(by_graph_, &OverlayRow::graph);
  return ok_status();
}

Result<size_t> Overlay::look_up(std::span<const rdf::IdPattern> patterns,
                                std::span<const Ordinal> wanted, size_t rows_max, FoundRows& found,
                                OverlayPlaces& places, const std::stop_token& stop) {
  size_t done = patterns.size();
  if (!rows_.empty()) {
    done = look_up_resident(patterns, wanted, rows_max, found);
  }
  for (size_t i = 0; i < ranged_.size() && done > 0; ++i) {
    WEFT_TRY(done, look_up_ranged(i, patterns.first(done), rows_max, found, places, stop));
  }
  return done;
}

Status Overlay::collect(const rdf::IdPattern& pattern, std::vector<OverlayRow>& rows,
                        MemoryHold& memory, const std::stop_token& stop) {
  WEFT_TRY_STATUS(collect_resident(pattern, rows, memory, stop));
  if (ranged_.empty()) {
    return ok_status();
  }
  std::vector<std::vector<OverlayRow>> found(ranged_.size());
  std::vector<MemoryHold> held;
  held.reserve(ranged_.size());
  for (size_t i = 0; i < ranged_.size(); ++i) {
    held.emplace_back(budget_);
  }
  WEFT_TRY_STATUS(executor_.for_each(
      ranged_.size(),
      [&](size_t i) { return collect_ranged(*ranged_[i], pattern, found[i], held[i], stop); },
      stop));
  for (const std::vector<OverlayRow>& some : found) {
    WEFT_TRY_STATUS(memory.cover((rows.size() + some.size()) * sizeof(OverlayRow)));
    rows.insert(rows.end(), some.begin(), some.end());
  }
  return ok_status();
}

Result<Overlay::Count> Overlay::count(const rdf::IdPattern& pattern, const std::stop_token& stop) {
  WEFT_TRY(Count count, count_resident(pattern, stop));
  for (const std::unique_ptr<Ranged>& ranged : ranged_) {
    WEFT_TRY(const std::optional<rete::LocalPattern> local, local_pattern(*ranged, pattern, stop));
    if (!local.has_value()) {
      continue;
    }
    WEFT_TRY(const Aliases* aliases, ranged->terms->aliases(stop));
    for (const rete::LocalPattern& each : aliases->expand(*local)) {
      WEFT_TRY(const rdf::Cardinality matching, ranged->terms->segment().count(each, stop));
      for (const Stamp stamp : ranged->stamps) {
        count.net += adds(stamp) ? matching.rows : -matching.rows;
        count.rows += matching.rows;
      }
    }
  }
  return count;
}

}  // namespace weft::quads

#include "weft/quads/fold.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "weft/quads/fold_state.h"
#include "weft/quads/merge_cursor.h"
#include "weft/quads/seal_mark.h"

namespace weft::quads {
namespace {

// Turns journal lines into overlay rows.
class ChangeCollector final : public journal::ChangeSink {
 public:
  ChangeCollector(FoldTerms& terms, MemoryHold& memory) : terms_(terms), memory_(memory) {}

  Status change(bool insert, const rdf::QuadView& quad) override {
    rows.push_back({.subject = terms_.intern(quad.subject),
                    .predicate = terms_.intern(quad.predicate),
                    .object = terms_.intern(quad.object),
                    .graph = quad.graph.empty() ? kNoOrdinal : terms_.intern(quad.graph),
                    .stamp = insert ? 1U : 0U});
    return rows.size() % 1024 == 0
               ? memory_.cover(terms_.memory_bytes() + rows.capacity() * sizeof(OverlayRow))
               : ok_status();
  }

  // Of each quad the last change.
  void keep_last() {
    const auto quad = [](const OverlayRow& row) {
      return std::tie(row.subject, row.predicate, row.object, row.graph);
    };
    std::ranges::reverse(rows);
    std::ranges::stable_sort(
        rows, [&](const OverlayRow& a, const OverlayRow& b) { return quad(a) < quad(b); });
    const auto repeated = std::ranges::unique(
        rows, [&](const OverlayRow& a, const OverlayRow& b) { return quad(a) == quad(b); });
    rows.erase(repeated.begin(), repeated.end());
  }

  std::vector<OverlayRow> rows;

 private:
  FoldTerms& terms_;
  MemoryHold& memory_;
};

}  // namespace

FoldGround::FoldGround(const FoldResources& resources)
    : own_budget("overlay memory", kOverlayBytesDefaultMax),
      executor(resources.executor != nullptr ? *resources.executor : inline_executor),
      budget(resources.budget != nullptr ? *resources.budget : own_budget),
      terms_hold_(budget) {}

Status FoldGround::cover_terms() {
  const base::MutexLock lock(mutex_);
  return terms_hold_.cover(terms->memory_bytes());
}

std::optional<uint64_t> FoldGround::known_quads() const {
  const base::MutexLock lock(mutex_);
  return quads_;
}

void FoldGround::remember_quads(uint64_t count) {
  const base::MutexLock lock(mutex_);
  quads_ = count;
}

FoldState::FoldState(std::shared_ptr<FoldGround> ground, std::shared_ptr<const LiveRows> live,
                     std::optional<journal::JournalReport> journal)
    : ground_(std::move(ground)),
      live_(std::move(live)),
      facts_(ground_->facts),
      executor_(ground_->executor),
      budget_(ground_->budget),
      segments_(ground_->segments.get()),
      terms_(ground_->terms.get()),
      overlay_(ground_->overlay.get()),
      base_use_(ground_->base_use),
      base_stamp_(ground_->base_stamp) {
  facts_.journal = std::move(journal);
}

// The largest segment that adds; of equal ones the first.
void FoldState::choose_base(FoldGround& ground) {
  for (const SegmentUse& use : ground.segments->uses()) {
    if (use.role == manifest::Role::kAdds &&
        (!ground.base_use.has_value() ||
         ground.segments->facts(use.segment).quad_count >
             ground.segments->facts(ground.base_use->segment).quad_count)) {
      ground.base_use = use;
    }
  }
  if (ground.base_use.has_value()) {
    ground.base_stamp = ground.base_use->stamp();
    ground.facts.base = ground.base_use->segment;
  }
}

Result<std::shared_ptr<Fold>> FoldState::create(
    std::unique_ptr<SegmentSet> segments, std::unique_ptr<storage::ObjectReader> journal,
    const std::optional<journal::JournalPosition>& sealed, const FoldResources& resources) {
  auto ground = std::make_shared<FoldGround>(resources);
  ground->segments = std::move(segments);
  SegmentSet& set = *ground->segments;
  ground->facts.segments = set.size();
  for (const SegmentUse& use : set.uses()) {
    ground->facts.log_entries = std::max(ground->facts.log_entries, use.entry + 1);
    ground->facts.is_checked = ground->facts.is_checked && set.is_checked(use.segment);
  }
  choose_base(*ground);
  std::shared_ptr<rete::Segment> base;
  if (const std::optional<SegmentUse>& use = ground->base_use; use.has_value()) {
    WEFT_TRY(base, set.segment(use->segment));
  }
  WEFT_TRY(ground->terms, FoldTerms::create(std::move(base)));
  if (suits_light_overlay(set)) {
    ground->light_overlay = Overlay::create(set, ground->base_use, *ground->terms, ground->executor,
                                            ground->budget, Overlay::Residence::kNone);
  }
  ground->overlay =
      Overlay::create(set, ground->base_use, *ground->terms, ground->executor, ground->budget);
  auto live = std::make_shared<const LiveRows>();
  std::optional<journal::JournalReport> report;
  if (journal != nullptr) {
    MemoryHold memory(ground->budget);
    ChangeCollector collector(*ground->terms, memory);
    WEFT_TRY(report, journal::read_journal(*journal, collector, sealed));
    WEFT_TRY_STATUS(ground->cover_terms());
    collector.keep_last();
    WEFT_TRY(live, live->with(std::move(collector.rows), LiveRows::Effect::kAny, ground->budget));
  }
  return std::shared_ptr<Fold>(
      std::make_shared<FoldState>(std::move(ground), std::move(live), std::move(report)));
}

std::shared_ptr<FoldState> FoldState::with(std::shared_ptr<const LiveRows> live) const {
  return std::make_shared<FoldState>(ground_, std::move(live), std::nullopt);
}

Result<std::shared_ptr<Fold>> Fold::open(const std::vector<manifest::LogEntry>& log,
                                         const std::string& manifest_address, bool with_journal,
                                         manifest::ObjectOpener& opener,
                                         const FoldResources& resources) {
  std::unique_ptr<SegmentSet> segments;
  std::unique_ptr<storage::ObjectReader> journal;
  base::InlineExecutor inline_executor;
  base::Executor& executor = resources.executor != nullptr ? *resources.executor : inline_executor;
  WEFT_TRY_STATUS(executor.for_each(with_journal ? 2 : 1, [&](size_t task) -> Status {
    if (task == 0) {
      WEFT_TRY(segments, SegmentSet::open(log, manifest_address, opener, resources));
      return ok_status();
    }
    auto opened = opener.open_growing(journal::journal_of(manifest_address));
    if (!opened.ok() && opened.error().kind() != ErrorKind::kNotFound) {
      return std::move(opened).error();
    }
    if (opened.ok()) {
      journal = std::move(opened).value();
    }
    return ok_status();
  }));
  return FoldState::create(std::move(segments), std::move(journal), std::nullopt, resources);
}

Result<std::shared_ptr<Fold>> Fold::open(const manifest::Manifest& manifest,
                                         const std::string& manifest_address,
                                         std::unique_ptr<storage::ObjectReader> journal,
                                         manifest::ObjectOpener& opener,
                                         const FoldResources& resources) {
  WEFT_TRY(std::unique_ptr<SegmentSet> segments,
           SegmentSet::open(manifest.log(), manifest_address, opener, resources));
  std::optional<journal::JournalPosition> sealed;
  if (journal != nullptr && journal->size() > 0) {
    WEFT_TRY(sealed, sealed_position(manifest, *segments));
  }
  return FoldState::create(std::move(segments), std::move(journal), sealed, resources);
}

Result<std::shared_ptr<Fold>> Fold::of_segment(std::shared_ptr<rete::Segment> segment,
                                               const FoldResources& resources,
                                               std::unique_ptr<storage::ObjectReader> journal) {
  return FoldState::create(
      SegmentSet::of_open({std::move(segment)},
                          {{.entry = 0, .role = manifest::Role::kAdds, .segment = 0}}),
      std::move(journal), std::nullopt, resources);
}

bool FoldState::suits_light_overlay(const SegmentSet& segments) {
  const size_t count = segments.size();
  if (count > kLightSegmentsMax) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (segments.is_remote(i)) {
      return false;
    }
  }
  return true;
}

Result<Overlay*> FoldState::overlay(size_t uses, std::stop_token stop) {
  const bool early = ground_->overlay_uses.fetch_add(uses) + uses <= kLightUsesMax;
  Overlay* const chosen =
      ground_->light_overlay != nullptr && early ? ground_->light_overlay.get() : overlay_;
  WEFT_TRY_STATUS(chosen->load(std::move(stop)));
  return chosen;
}

Status FoldState::find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids,
                       std::stop_token stop) {
  if (!overlay_->empty()) {
    WEFT_TRY(Overlay* const overlays, overlay(1, stop));
    WEFT_TRY_STATUS(overlays->find_ranged(tokens, stop));
  }
  return terms_->find(tokens, ids, stop);
}

Status FoldState::tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens,
                         std::stop_token stop) {
  rete::TokenTable table;
  WEFT_TRY_STATUS(terms_->tokens_of(ids, table, stop));
  for (size_t i = 0; i < table.size(); ++i) {
    tokens.emplace_back(table[i]);
  }
  return ok_status();
}

bool FoldState::has_graph(const rdf::IdPattern& pattern) const {
  return pattern.scope == rdf::GraphScope::kAllNamed;
}

Result<LiveRows::Wanted> FoldState::wanted_of(const rdf::IdPattern& pattern, std::stop_token stop) {
  const std::array<rdf::TermId, 4> ids = {pattern.subject, pattern.predicate, pattern.object,
                                          pattern.graph};
  std::vector<Ordinal> ordinals;
  WEFT_TRY_STATUS(terms_->ordinals_of(ids, ordinals, std::move(stop)));
  LiveRows::Wanted wanted{};
  std::ranges::copy(ordinals, wanted.begin());
  return wanted;
}

Result<std::vector<DeltaRow>> FoldState::delta_of(const rdf::IdPattern& pattern,
                                                  const std::optional<rete::LocalPattern>& local,
                                                  const ScanOrder& order, MemoryHold& memory,
                                                  const std::stop_token& stop) {
  std::vector<DeltaRow> delta;
  if (!overlay_->empty()) {
    WEFT_TRY(Overlay* const overlays, overlay(1, stop));
    MemoryHold rows_memory(budget_);
    std::vector<OverlayRow> rows;
    WEFT_TRY_STATUS(overlays->collect(pattern, rows, rows_memory, stop));
    WEFT_TRY_STATUS(memory.cover(rows.size() * sizeof(DeltaRow)));
    WEFT_TRY_STATUS(append_delta(*terms_, rows, order, has_graph(pattern), delta, stop));
  }
  if (!live_->empty()) {
    WEFT_TRY(const LiveRows::Wanted wanted, wanted_of(pattern, stop));
    MemoryHold rows_memory(budget_);
    std::vector<OverlayRow> rows;
    live_->collect(pattern, wanted, stamp_of(facts_.log_entries, manifest::Role::kDels), rows);
    WEFT_TRY_STATUS(rows_memory.cover(rows.size() * sizeof(OverlayRow)));
    WEFT_TRY_STATUS(memory.cover((delta.size() + rows.size()) * sizeof(DeltaRow)));
    WEFT_TRY_STATUS(append_delta(*terms_, rows, order, has_graph(pattern), delta, stop));
  }
  if (local.has_value()) {
    WEFT_TRY_STATUS(append_diverted(*terms_, *local, base_stamp_, order, delta, stop));
    WEFT_TRY_STATUS(memory.cover(delta.size() * sizeof(DeltaRow)));
  }
  sort_delta(delta);
  return delta;
}

Result<std::unique_ptr<FoldCursor>> FoldState::scan(const rdf::IdPattern& pattern,
                                                    rdf::Permutation permutation,
                                                    std::stop_token stop) {
  if (terms_->base() != nullptr) {
    const std::optional<rdf::Permutation> stored =
        stored_order(terms_->base()->segment(), pattern, permutation);
    if (!stored.has_value()) {
      return Error(ErrorKind::kInvalid, "this order is not stored")
          .with("segment", terms_->base()->segment().name())
          .with("order", rdf::permutation_name(permutation));
    }
    permutation = *stored;
  }
  WEFT_TRY(const std::optional<rete::LocalPattern> local, base_pattern(*terms_, pattern, stop));
  MemoryHold memory(budget_);
  WEFT_TRY(std::vector<DeltaRow> delta,
           delta_of(pattern, local, ScanOrder(permutation), memory, stop));
  keep_latest(delta);
  BaseStream base;
  if (local.has_value()) {
    WEFT_TRY(base, BaseStream::open(*terms_, *local, permutation, stop));
  }
  return std::unique_ptr<FoldCursor>(
      std::make_unique<MergeCursor>(*terms_, pattern, permutation, std::move(base),
                                    std::move(delta), base_stamp_, std::move(memory), stop));
}

Status FoldState::prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                           std::stop_token stop) {
  std::vector<rete::LocalPattern> local;
  for (const rdf::IdPattern& pattern : patterns) {
    WEFT_TRY(const std::optional<rete::LocalPattern> one, base_pattern(*terms_, pattern, stop));
    if (one.has_value()) {
      local.push_back(*one);
    }
  }
  const bool of_base = !local.empty() && terms_->base()->segment().has_permutation(permutation);
  const auto prefetch_base = [&] {
    return of_base ? terms_->base()->segment().prefetch(local, permutation, stop) : ok_status();
  };
  if (overlay_->empty()) {
    return prefetch_base();
  }
  const auto prefetch_overlays = [&]() -> Status {
    WEFT_TRY(Overlay* const overlays, overlay(patterns.size(), stop));
    return overlays->prefetch(patterns, stop);
  };
  if (!segments_->has_remote()) {
    WEFT_TRY_STATUS(prefetch_base());
    return prefetch_overlays();
  }
  // Side by side: over a network both are round trips.
  return executor_.for_each(
      2, [&](size_t part) { return part == 0 ? prefetch_base() : prefetch_overlays(); }, stop);
}

bool FoldState::has_order(rdf::Permutation permutation) const {
  return terms_->base() == nullptr || terms_->base()->segment().has_permutation(permutation);
}

}  // namespace weft::quads

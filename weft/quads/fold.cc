#include "weft/quads/fold.h"

#include <algorithm>
#include <array>
#include <utility>

#include "weft/quads/fold_state.h"
#include "weft/quads/merge_cursor.h"

namespace weft::quads {
namespace {

constexpr std::string_view kJournalSuffix = ".changes";

// Turns journal lines into overlay rows.
class ChangeCollector final : public journal::ChangeSink {
 public:
  ChangeCollector(FoldTerms& terms, MemoryHold& memory, size_t entries)
      : terms_(terms), memory_(memory), next_(stamp_of(entries, manifest::Role::kDels)) {}

  Status change(bool insert, const rdf::QuadView& quad) override {
    if (next_ >= ~Stamp{1}) {
      return Error(ErrorKind::kLimit, "the journal has too many lines: seal it");
    }
    rows.push_back({.subject = terms_.intern(quad.subject),
                    .predicate = terms_.intern(quad.predicate),
                    .object = terms_.intern(quad.object),
                    .graph = quad.graph.empty() ? kNoOrdinal : terms_.intern(quad.graph),
                    .stamp = next_ + (insert ? 1U : 0U)});
    next_ += 2;
    return rows.size() % 1024 == 0
               ? memory_.cover(terms_.memory_bytes() + rows.capacity() * sizeof(OverlayRow))
               : ok_status();
  }

  std::vector<OverlayRow> rows;

 private:
  FoldTerms& terms_;
  MemoryHold& memory_;
  Stamp next_;
};

}  // namespace

FoldState::FoldState(const FoldResources& resources)
    : own_budget_("overlay memory", kOverlayBytesDefaultMax),
      executor_(resources.executor != nullptr ? *resources.executor : inline_executor_),
      budget_(resources.budget != nullptr ? *resources.budget : own_budget_) {}

// The largest segment that adds; of equal ones the first.
void FoldState::choose_base() {
  for (size_t i = 0; i < segments_->uses().size(); ++i) {
    const SegmentUse& use = segments_->uses()[i];
    if (use.role == manifest::Role::kAdds &&
        (!base_use_.has_value() || segments_->facts(use.segment).quad_count >
                                       segments_->facts(base_use_->segment).quad_count)) {
      base_use_ = use;
    }
  }
  if (base_use_.has_value()) {
    base_stamp_ = base_use_->stamp();
    facts_.base = base_use_->segment;
  }
}

Result<std::vector<OverlayRow>> FoldState::read_changes(storage::ObjectReader& journal) {
  MemoryHold memory(budget_);
  ChangeCollector collector(*terms_, memory, facts_.log_entries);
  WEFT_TRY(facts_.journal, journal::read_journal(journal, collector));
  return std::move(collector.rows);
}

Result<std::shared_ptr<Fold>> FoldState::create(std::unique_ptr<SegmentSet> segments,
                                                std::unique_ptr<storage::ObjectReader> journal,
                                                const FoldResources& resources) {
  std::shared_ptr<FoldState> fold(new FoldState(resources));
  fold->segments_ = std::move(segments);
  fold->facts_.segments = fold->segments_->size();
  for (const SegmentUse& use : fold->segments_->uses()) {
    fold->facts_.log_entries = std::max(fold->facts_.log_entries, use.entry + 1);
    fold->facts_.is_checked = fold->facts_.is_checked && fold->segments_->is_checked(use.segment);
  }
  fold->choose_base();
  std::shared_ptr<rete::Segment> base;
  if (fold->base_use_.has_value()) {
    WEFT_TRY(base, fold->segments_->segment(fold->base_use_->segment));
  }
  WEFT_TRY(fold->terms_, FoldTerms::create(std::move(base)));
  std::vector<OverlayRow> changes;
  if (journal != nullptr) {
    WEFT_TRY(changes, fold->read_changes(*journal));
  }
  if (fold->suits_light_overlay()) {
    fold->light_overlay_ =
        Overlay::create(*fold->segments_, fold->base_use_, *fold->terms_, changes, fold->executor_,
                        fold->budget_, Overlay::Residence::kNone);
  }
  fold->overlay_ = Overlay::create(*fold->segments_, fold->base_use_, *fold->terms_,
                                   std::move(changes), fold->executor_, fold->budget_);
  return std::shared_ptr<Fold>(std::move(fold));
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
    auto opened = opener.open(manifest_address + std::string(kJournalSuffix));
    if (!opened.ok() && opened.error().kind() != ErrorKind::kNotFound) {
      return std::move(opened).error();
    }
    if (opened.ok()) {
      journal = std::move(opened).value();
    }
    return ok_status();
  }));
  return FoldState::create(std::move(segments), std::move(journal), resources);
}

Result<std::shared_ptr<Fold>> Fold::of_segment(std::shared_ptr<rete::Segment> segment,
                                               const FoldResources& resources) {
  return FoldState::create(
      SegmentSet::of_open({std::move(segment)},
                          {{.entry = 0, .role = manifest::Role::kAdds, .segment = 0}}),
      nullptr, resources);
}

bool FoldState::suits_light_overlay() const {
  const size_t count = segments_->size();
  if (count > kLightSegmentsMax) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (segments_->is_remote(i)) {
      return false;
    }
  }
  return true;
}

Result<Overlay*> FoldState::overlay(size_t uses, std::stop_token stop) {
  const bool early = overlay_uses_.fetch_add(uses) + uses <= kLightUsesMax;
  Overlay* const chosen =
      light_overlay_ != nullptr && early ? light_overlay_.get() : overlay_.get();
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

Result<std::vector<DeltaRow>> FoldState::delta_of(const rdf::IdPattern& pattern,
                                                  const std::optional<rete::LocalPattern>& local,
                                                  const ScanOrder& order, MemoryHold& memory,
                                                  std::stop_token stop) {
  std::vector<DeltaRow> delta;
  if (!overlay_->empty()) {
    WEFT_TRY(Overlay* const overlays, overlay(1, stop));
    MemoryHold rows_memory(budget_);
    std::vector<OverlayRow> rows;
    WEFT_TRY_STATUS(overlays->collect(pattern, rows, rows_memory, stop));
    WEFT_TRY_STATUS(memory.cover(rows.size() * sizeof(DeltaRow)));
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
  // Side by side: over a network both are round trips.
  return executor_.for_each(
      2,
      [&](size_t part) -> Status {
        if (part == 0) {
          return of_base ? terms_->base()->segment().prefetch(local, permutation, stop)
                         : ok_status();
        }
        if (overlay_->empty()) {
          return ok_status();
        }
        WEFT_TRY(Overlay* const overlays, overlay(patterns.size(), stop));
        return overlays->prefetch(patterns, stop);
      },
      stop);
}

bool FoldState::has_order(rdf::Permutation permutation) const {
  return terms_->base() == nullptr || terms_->base()->segment().has_permutation(permutation);
}

}  // namespace weft::quads

// The fold over one log: what fold.h promises.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/quads/base_scan.h"
#include "weft/quads/delta.h"
#include "weft/quads/fold.h"
#include "weft/quads/fold_draft.h"
#include "weft/quads/fold_terms.h"
#include "weft/quads/live_rows.h"
#include "weft/quads/local_patterns.h"
#include "weft/quads/memory_hold.h"
#include "weft/quads/overlay.h"

namespace weft::quads {

// What all states over one log share. Its changing parts are thread-safe.
struct FoldGround {
  explicit FoldGround(const FoldResources& resources);

  base::InlineExecutor inline_executor;
  base::MemoryBudget own_budget;
  base::Executor& executor;
  base::MemoryBudget& budget;
  std::unique_ptr<SegmentSet> segments;
  std::optional<SegmentUse> base_use;
  Stamp base_stamp = 0;
  std::unique_ptr<FoldTerms> terms;
  std::unique_ptr<Overlay> overlay;
  // The same overlays without decoding any as a whole, for the first uses: one selective query
  // needs a little of each segment, and decoding a hundred of them takes longer than it. Null if
  // there are too many to keep open, or some are remote.
  std::unique_ptr<Overlay> light_overlay;
  std::atomic<size_t> overlay_uses = 0;
  FoldFacts facts;

  // The terms of changes count against the budget as long as the ground lives.
  Status cover_terms();
  // The number of quads of the log alone, once it was counted.
  std::optional<uint64_t> known_quads() const;
  void remember_quads(uint64_t count);

 private:
  mutable base::Mutex mutex_;
  MemoryHold terms_hold_ WEFT_GUARDED_BY(mutex_);
  std::optional<uint64_t> quads_ WEFT_GUARDED_BY(mutex_);
};

class FoldState final : public Fold, public std::enable_shared_from_this<FoldState> {
 public:
  // `journal` may be null.
  static Result<std::shared_ptr<Fold>> create(std::unique_ptr<SegmentSet> segments,
                                              std::unique_ptr<storage::ObjectReader> journal,
                                              const std::optional<journal::JournalPosition>& sealed,
                                              const FoldResources& resources);
  FoldState(std::shared_ptr<FoldGround> ground, std::shared_ptr<const LiveRows> live,
            std::optional<journal::JournalReport> journal);

  const FoldFacts& facts() const override { return facts_; }
  const SegmentSet& segments() const override { return *segments_; }

  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids,
              std::stop_token stop) override;
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens,
                std::stop_token stop) override;
  Status token_table(std::span<const rdf::TermId> ids, rete::TokenTable& table,
                     std::stop_token stop) override {
    return terms_->tokens_of(ids, table, stop);
  }
  Result<std::unique_ptr<FoldCursor>> scan(const rdf::IdPattern& pattern,
                                           rdf::Permutation permutation,
                                           std::stop_token stop) override;
  Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override;
  std::unique_ptr<FoldLookup> lookup() override;
  Result<std::vector<Cut>> cuts(const rdf::IdPattern& pattern, rdf::Permutation permutation,
                                size_t pieces, std::stop_token stop) override;
  Result<std::vector<rdf::TermId>> graphs(std::stop_token stop) override;
  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override;
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override;
  bool has_order(rdf::Permutation permutation) const override;
  Result<std::optional<std::vector<rdf::TermId>>> subjects_with_text(const rdf::IdPattern& pattern,
                                                                     const rdf::TextDemand& demand,
                                                                     size_t subjects_max,
                                                                     std::stop_token stop) override;
  bool has_text_index() const override;
  Result<uint64_t> quad_count(std::stop_token stop) override;
  Status changes_since(size_t entries, const std::function<Status(std::span<const Change>)>& take,
                       std::stop_token stop) override;
  std::unique_ptr<FoldDraft> draft() override;
  Status changes_on_top(const std::function<Status(bool, const rdf::QuadView&)>& take) override;
  size_t changed_quads() const override { return live_->row_count(); }
  Result<std::optional<journal::JournalPosition>> sealed(
      const manifest::Manifest& manifest) override;
  Status warm_up(std::stop_token stop) override;

  // ---- for drafts ------------------------------------------------------------------------------
  FoldGround& ground() const { return *ground_; }
  const LiveRows& live() const { return *live_; }
  // The same log with other changes on top.
  std::shared_ptr<FoldState> with(std::shared_ptr<const LiveRows> live) const;
  // Which of these quads, in order and each once, are visible.
  Status visible(std::span<const OverlayRow> quads, std::vector<bool>& is_visible,
                 std::stop_token stop);

 private:
  class Lookup;  // fold_lookup.cc
  // Segments that stay open, and uses, of the light overlay at most.
  static constexpr size_t kLightSegmentsMax = 256;
  static constexpr size_t kLightUsesMax = 48;

  static void choose_base(FoldGround& ground);
  static bool suits_light_overlay(const SegmentSet& segments);
  bool has_no_overlay() const { return overlay_->empty() && live_->empty(); }
  bool has_graph(const rdf::IdPattern& pattern) const;
  Result<LiveRows::Wanted> wanted_of(const rdf::IdPattern& pattern, std::stop_token stop);
  // Rows of overlays and changes that match, more or less.
  Result<double> changed_rows(const rdf::IdPattern& pattern, const std::stop_token& stop);
  Result<bool> text_is_covered(const rdf::IdPattern& pattern, const std::stop_token& stop);
  // Sorted; several stamps of one place follow each other, the latest first.
  Result<std::vector<DeltaRow>> delta_of(const rdf::IdPattern& pattern,
                                         const std::optional<rete::LocalPattern>& local,
                                         const ScanOrder& order, MemoryHold& memory,
                                         const std::stop_token& stop);
  // Calls `visit(place, in_base, stamps)` for each place of `delta`, and if `whole_base` also for
  // all other rows of the base (with no stamps), in the order SPO.
  using Visit = std::function<Status(const RowPlace&, bool, std::span<const DeltaRow>)>;
  Status walk(rdf::GraphScope scope, bool whole_base, const Visit& visit,
              const std::stop_token& stop);
  // nullopt: only a scan would tell.
  Result<std::optional<uint64_t>> base_count(const std::stop_token& stop);
  Result<uint64_t> counted(const std::stop_token& stop);
  Result<bool> has_visible(rdf::TermId graph, const std::stop_token& stop);
  Result<bool> is_visible_alone(const OverlayRow& quad, const std::stop_token& stop);
  // The same for all at once, in one walk through the base; none of its terms has an alias.
  Status visible_together(std::span<const OverlayRow> quads, std::vector<bool>& is_visible,
                          const std::stop_token& stop);
  Status walk_candidates(std::span<const DeltaRow> candidates, rdf::GraphScope scope,
                         std::vector<bool>& in_base, const std::stop_token& stop);
  // The overlays, ready to be asked; which of the two makes no difference to any answer.
  Result<Overlay*> overlay(size_t uses, std::stop_token stop);

  std::shared_ptr<FoldGround> ground_;
  std::shared_ptr<const LiveRows> live_;
  FoldFacts facts_;
  // Parts of the ground.
  base::Executor& executor_;
  base::MemoryBudget& budget_;
  SegmentSet* segments_;
  FoldTerms* terms_;
  Overlay* overlay_;
  std::optional<SegmentUse> base_use_;
  Stamp base_stamp_;
};

}  // namespace weft::quads

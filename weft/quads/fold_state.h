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
#include "weft/quads/fold_terms.h"
#include "weft/quads/memory_hold.h"
#include "weft/quads/overlay.h"

namespace weft::quads {

class FoldState final : public Fold {
 public:
  // `changes` may be null: no journal.
  static Result<std::shared_ptr<Fold>> create(std::unique_ptr<SegmentSet> segments,
                                              std::unique_ptr<storage::ObjectReader> journal,
                                              const FoldResources& resources);

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
  Result<std::vector<rdf::TermId>> graphs(std::stop_token stop) override;
  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override;
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override;
  bool has_order(rdf::Permutation permutation) const override;
  Result<uint64_t> quad_count(std::stop_token stop) override;
  Status changes_since(size_t entries, const std::function<Status(std::span<const Change>)>& take,
                       std::stop_token stop) override;

 private:
  explicit FoldState(const FoldResources& resources);

  // Segments that stay open, and uses, of the light overlay at most.
  static constexpr size_t kLightSegmentsMax = 256;
  static constexpr size_t kLightUsesMax = 48;

  void choose_base();
  bool suits_light_overlay() const;
  Result<std::vector<OverlayRow>> read_changes(storage::ObjectReader& journal);
  bool has_graph(const rdf::IdPattern& pattern) const;
  // Sorted; several stamps of one place follow each other, the latest first.
  Result<std::vector<DeltaRow>> delta_of(const rdf::IdPattern& pattern,
                                         const std::optional<rete::LocalPattern>& local,
                                         const ScanOrder& order, MemoryHold& memory,
                                         std::stop_token stop);
  // Calls `visit(place, in_base, stamps)` for each place of `delta`, and if `whole_base` also for
  // all other rows of the base (with no stamps), in the order SPO.
  using Visit = std::function<Status(const RowPlace&, bool, std::span<const DeltaRow>)>;
  Status walk(rdf::GraphScope scope, bool whole_base, const Visit& visit, std::stop_token stop);
  // nullopt: only a scan would tell.
  Result<std::optional<uint64_t>> base_count(std::stop_token stop);
  Result<bool> has_visible(rdf::TermId graph, std::stop_token stop);

  base::InlineExecutor inline_executor_;
  base::MemoryBudget own_budget_;
  base::Executor& executor_;
  base::MemoryBudget& budget_;
  std::unique_ptr<SegmentSet> segments_;
  std::optional<SegmentUse> base_use_;
  Stamp base_stamp_ = 0;
  std::unique_ptr<FoldTerms> terms_;
  // The overlays, ready to be asked; which of the two makes no difference to any answer.
  Result<Overlay*> overlay(size_t uses, std::stop_token stop);

  std::unique_ptr<Overlay> overlay_;
  // The same overlays without decoding any as a whole, for the first uses: one selective query
  // needs a little of each segment, and decoding a hundred of them takes longer than it. Null if
  // there are too many to keep open, or some are remote.
  std::unique_ptr<Overlay> light_overlay_;
  std::atomic<size_t> overlay_uses_ = 0;
  FoldFacts facts_;
};

}  // namespace weft::quads

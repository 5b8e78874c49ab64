#include "weft/quads/fold_draft.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/journal/journal.h"
#include "weft/quads/base_walk.h"
#include "weft/quads/dump_fold.h"
#include "weft/quads/fold_state.h"
#include "weft/quads/seal_mark.h"

namespace weft::quads {
namespace {

// Fewer quads are looked up one by one, more in one walk through the base.
constexpr size_t kAloneMax = 16;
// Rows whose tokens are fetched at once.
constexpr size_t kNamedRows = 4'096;

bool before(const OverlayRow& a, const OverlayRow& b) {
  return std::tie(a.subject, a.predicate, a.object, a.graph) <
         std::tie(b.subject, b.predicate, b.object, b.graph);
}
bool same(const OverlayRow& a, const OverlayRow& b) {
  return std::tie(a.subject, a.predicate, a.object, a.graph) ==
         std::tie(b.subject, b.predicate, b.object, b.graph);
}

// Calls `take` for each row with its tokens.
Status name_rows(FoldTerms& terms, std::span<const OverlayRow> rows,
                 const std::function<Status(bool, const rdf::QuadView&)>& take) {
  rete::TokenTable tokens;
  std::vector<Ordinal> ordinals;
  for (size_t begin = 0; begin < rows.size(); begin += kNamedRows) {
    const std::span<const OverlayRow> some =
        rows.subspan(begin, std::min(kNamedRows, rows.size() - begin));
    ordinals.clear();
    for (const OverlayRow& row : some) {
      ordinals.insert(ordinals.end(), {row.subject, row.predicate, row.object});
      if (row.graph != kNoOrdinal) {
        ordinals.push_back(row.graph);
      }
    }
    terms.tokens_of_ordinals(ordinals, tokens);
    size_t next = 0;
    for (const OverlayRow& row : some) {
      rdf::QuadView quad{.subject = tokens[next],
                         .predicate = tokens[next + 1],
                         .object = tokens[next + 2],
                         .graph = {}};
      next += 3;
      if (row.graph != kNoOrdinal) {
        quad.graph = tokens[next++];
      }
      WEFT_TRY_STATUS(take(adds(row.stamp), quad));
    }
  }
  return ok_status();
}

class DraftOfFold final : public FoldDraft {
 public:
  explicit DraftOfFold(std::shared_ptr<FoldState> base)
      : ground_(base->ground()),
        hold_(ground_.budget),
        state_(base),
        current_(std::move(base)),
        net_(std::make_shared<const LiveRows>()) {}

  Status remove(std::span<const rdf::QuadView> quads) override {
    return keep(quads, 0, removed_rows_);
  }
  Status insert(std::span<const rdf::QuadView> quads) override { return keep(quads, 1, rows_); }
  Status change(bool insert, const rdf::QuadView& quad) override {
    return keep(std::span(&quad, 1), insert ? 1 : 0, rows_);
  }

  Status forget() override {
    removed_rows_.clear();
    rows_.clear();
    return ok_status();
  }

  Status apply(std::stop_token stop) override {
    // In the order of time; of equal quads the last is kept.
    std::vector<OverlayRow> rows = std::move(removed_rows_);
    rows.insert(rows.end(), rows_.begin(), rows_.end());
    removed_rows_ = {};
    rows_ = {};
    std::ranges::reverse(rows);
    std::ranges::stable_sort(rows, before);
    const auto repeated = std::ranges::unique(rows, same);
    rows.erase(repeated.begin(), repeated.end());
    std::vector<bool> is_visible;
    WEFT_TRY_STATUS(current_->visible(rows, is_visible, std::move(stop)));
    size_t kept = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (adds(rows[i].stamp) != is_visible[i]) {
        rows[kept++] = rows[i];
      }
    }
    rows.resize(kept);
    if (rows.empty()) {
      return ok_status();
    }
    WEFT_TRY_STATUS(ground_.cover_terms());
    WEFT_TRY(net_, net_->with(rows, LiveRows::Effect::kKnown, ground_.budget));
    WEFT_TRY(auto live,
             current_->live().with(std::move(rows), LiveRows::Effect::kKnown, ground_.budget));
    current_ = current_->with(std::move(live));
    state_ = current_;
    return ok_status();
  }

  const std::shared_ptr<Fold>& state() const override { return state_; }
  uint64_t inserted() const override { return count(true); }
  uint64_t removed() const override { return count(false); }

  Result<std::string> lines() const override {
    std::string text;
    WEFT_TRY_STATUS(
        name_rows(*ground_.terms, net_->net(), [&text](bool insert, const rdf::QuadView& quad) {
          journal::append_line(text, insert, quad);
          return ok_status();
        }));
    return text;
  }

 private:
  Status keep(std::span<const rdf::QuadView> quads, Stamp stamp, std::vector<OverlayRow>& rows) {
    FoldTerms& terms = *ground_.terms;
    for (const rdf::QuadView& quad : quads) {
      rows.push_back({.subject = terms.intern(quad.subject),
                      .predicate = terms.intern(quad.predicate),
                      .object = terms.intern(quad.object),
                      .graph = quad.graph.empty() ? kNoOrdinal : terms.intern(quad.graph),
                      .stamp = stamp});
    }
    // Twice: apply() copies them.
    WEFT_TRY_STATUS(
        hold_.cover(2 * (rows_.capacity() + removed_rows_.capacity()) * sizeof(OverlayRow)));
    return ground_.cover_terms();
  }

  uint64_t count(bool inserted) const {
    const std::vector<OverlayRow> rows = net_->net();
    return static_cast<uint64_t>(std::ranges::count_if(
        rows, [inserted](const OverlayRow& row) { return adds(row.stamp) == inserted; }));
  }

  FoldGround& ground_;
  MemoryHold hold_;
  std::vector<OverlayRow> removed_rows_;
  std::vector<OverlayRow> rows_;
  std::shared_ptr<Fold> state_;
  std::shared_ptr<FoldState> current_;
  std::shared_ptr<const LiveRows> net_;
};

}  // namespace

std::unique_ptr<FoldDraft> FoldState::draft() {
  return std::make_unique<DraftOfFold>(shared_from_this());
}

Status FoldState::changes_on_top(const std::function<Status(bool, const rdf::QuadView&)>& take) {
  return name_rows(*terms_, live_->net(), take);
}

Result<std::optional<journal::JournalPosition>> FoldState::sealed(
    const manifest::Manifest& manifest) {
  return sealed_position(manifest, *segments_);
}

Status FoldState::warm_up(std::stop_token stop) {
  return overlay_->empty() ? ok_status() : overlay_->load(std::move(stop));
}

Result<bool> FoldState::is_visible_alone(const OverlayRow& quad, const std::stop_token& stop) {
  const bool in_default = quad.graph == kNoOrdinal;
  std::vector<Ordinal> ordinals = {quad.subject, quad.predicate, quad.object};
  if (!in_default) {
    ordinals.push_back(quad.graph);
  }
  std::vector<ResolvedTerm> terms;
  WEFT_TRY_STATUS(terms_->resolve(ordinals, terms, stop));
  const rdf::IdPattern pattern{
      .subject = terms[0].id,
      .predicate = terms[1].id,
      .object = terms[2].id,
      .scope = in_default ? rdf::GraphScope::kDefault : rdf::GraphScope::kOne,
      .graph = in_default ? rdf::kNoTerm : terms[3].id};
  WEFT_TRY(const std::unique_ptr<FoldCursor> cursor, scan(pattern, rdf::Permutation::kSpo, stop));
  rdf::IdBatch batch;
  WEFT_TRY_STATUS(cursor->next(batch));
  return batch.size() > 0;
}

Status FoldState::walk_candidates(std::span<const DeltaRow> candidates, rdf::GraphScope scope,
                                  std::vector<bool>& in_base, const std::stop_token& stop) {
  if (candidates.empty()) {
    return ok_status();
  }
  WEFT_TRY(const std::optional<rete::LocalPattern> local,
           base_pattern(*terms_, {.scope = scope}, stop));
  if (!local.has_value()) {
    return ok_status();
  }
  WEFT_TRY(BaseStream base, BaseStream::open(*terms_, *local, rdf::Permutation::kSpo, stop));
  WEFT_TRY_STATUS(base.seek(key_of(candidates.front().place)));
  BaseWalk at(base, terms_->node_count());
  WEFT_TRY_STATUS(at.start());
  for (const DeltaRow& candidate : candidates) {
    WEFT_TRY_STATUS(at.advance_to(candidate.place));
    in_base[candidate.stamp] = !at.at_end() && at.place() == candidate.place;
  }
  return ok_status();
}

Status FoldState::visible_together(std::span<const OverlayRow> quads, std::vector<bool>& is_visible,
                                   const std::stop_token& stop) {
  // Candidates in the order of the base; the stamp is their number here.
  const ScanOrder order(rdf::Permutation::kSpo);
  std::vector<DeltaRow> in_default;
  std::vector<DeltaRow> in_named;
  MemoryHold memory(budget_);
  WEFT_TRY_STATUS(memory.cover(2 * quads.size() * sizeof(DeltaRow)));
  for (const bool named : {false, true}) {
    std::vector<OverlayRow> part;
    std::vector<DeltaRow>& places = named ? in_named : in_default;
    for (size_t i = 0; i < quads.size(); ++i) {
      if ((quads[i].graph != kNoOrdinal) == named) {
        part.push_back(quads[i]);
        part.back().stamp = static_cast<Stamp>(i);
      }
    }
    WEFT_TRY_STATUS(append_delta(*terms_, part, order, named, places, stop));
    std::ranges::sort(places, {}, &DeltaRow::place);
  }
  std::vector<bool> in_base(quads.size(), false);
  if (terms_->base() != nullptr) {
    WEFT_TRY_STATUS(walk_candidates(in_default, rdf::GraphScope::kDefault, in_base, stop));
    WEFT_TRY_STATUS(walk_candidates(in_named, rdf::GraphScope::kAllNamed, in_base, stop));
  }
  Overlay* overlays = nullptr;
  if (!overlay_->empty()) {
    WEFT_TRY_STATUS(overlay_->load(stop));
    overlays = overlay_;
  }
  for (size_t i = 0; i < quads.size(); ++i) {
    if (const std::optional<bool> newest = live_->newest(quads[i]); newest.has_value()) {
      is_visible[i] = *newest;
    } else {
      const Stamp latest = overlays != nullptr ? overlays->latest_resident(quads[i]) : 0;
      is_visible[i] = weft::quads::is_visible(latest, in_base[i], base_stamp_);
    }
  }
  return ok_status();
}

Status FoldState::visible(std::span<const OverlayRow> quads, std::vector<bool>& is_visible,
                          std::stop_token stop) {
  is_visible.assign(quads.size(), false);
  bool together = quads.size() > kAloneMax && quads.size() <= UINT32_MAX;
  if (together && terms_->base() != nullptr) {
    WEFT_TRY(const Aliases* aliases, terms_->base()->aliases(stop));
    together = aliases->empty();
  }
  if (together && !overlay_->has_ranged()) {
    return visible_together(quads, is_visible, std::move(stop));
  }
  for (size_t i = 0; i < quads.size(); ++i) {
    WEFT_TRY(const bool found, is_visible_alone(quads[i], stop));
    is_visible[i] = found;
  }
  return ok_status();
}

}  // namespace weft::quads

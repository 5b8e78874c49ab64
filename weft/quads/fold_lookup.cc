// Many small patterns at once: Fold::lookup. The base and the overlays are each asked for all of
// them together; what the overlays mention is then merged into the base's rows, pattern by pattern.
#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "weft/quads/fold_state.h"
#include "weft/quads/merge_cursor.h"

namespace weft::quads {
namespace {

// The latest that overlays say about a quad that `patterns[pattern]` matches.
struct Mention {
  uint32_t pattern = 0;
  DeltaRow row;
};

// Replaces `mentions`: by pattern and place, the latest of each.
Status make_mentions(FoldTerms& terms, const FoundRows& found, const ScanOrder& order,
                     std::vector<Mention>& mentions, const std::stop_token& stop) {
  std::vector<DeltaRow> delta;
  mentions.clear();
  WEFT_TRY_STATUS(append_delta(terms, found.rows, order, false, delta, stop));
  mentions.reserve(delta.size());
  for (size_t i = 0; i < delta.size(); ++i) {
    mentions.push_back({.pattern = found.patterns[i], .row = delta[i]});
  }
  std::ranges::sort(mentions, [](const Mention& x, const Mention& y) {
    const auto places = std::tie(x.pattern, x.row.place) <=> std::tie(y.pattern, y.row.place);
    return places != 0 ? places < 0 : x.row.stamp > y.row.stamp;
  });
  const auto repeated = std::ranges::unique(mentions, [](const Mention& x, const Mention& y) {
    return x.pattern == y.pattern && x.row.place == y.row.place;
  });
  mentions.erase(repeated.begin(), repeated.end());
  return ok_status();
}

// Merges the rows of each pattern. Predicates come out as keys.
class LookupMerge {
 public:
  LookupMerge(const PatternRows& base, std::span<const Mention> mentions, const ScanOrder& order,
              Stamp base_stamp, rdf::IdBatch& out)
      : base_(base), mentions_(mentions), order_(order), base_stamp_(base_stamp), out_(out) {}

  // Appends what is visible of the first `count` patterns, as many as fit, and where each ends.
  void run(size_t count, size_t rows_max, std::vector<uint32_t>& ends) {
    for (size_t pattern = 0; pattern < count; ++pattern) {
      const size_t begin = out_.size();
      append_pattern(pattern);
      if (out_.size() > rows_max) {
        out_.subject.resize(begin);
        out_.predicate.resize(begin);
        out_.object.resize(begin);
        return;
      }
      ends.push_back(static_cast<uint32_t>(out_.size()));
    }
  }

 private:
  void append_pattern(size_t pattern) {
    const size_t base_end = base_.ends[pattern];
    while (mention_ < mentions_.size() && mentions_[mention_].pattern == pattern) {
      const DeltaRow& row = mentions_[mention_++].row;
      size_t same = base_row_;
      while (same < base_end && base_place(base_.rows, same, order_) < row.place) {
        ++same;
      }
      append_base(same);
      const bool in_base = same < base_end && base_place(base_.rows, same, order_) == row.place;
      if (is_visible(row.stamp, in_base, base_stamp_)) {
        out_.subject.push_back(order_.at(row.place, rdf::Position::kSubject));
        out_.predicate.push_back(order_.at(row.place, rdf::Position::kPredicate));
        out_.object.push_back(order_.at(row.place, rdf::Position::kObject));
      }
      base_row_ = same + (in_base ? 1 : 0);
    }
    append_base(base_end);
  }

  void append_base(size_t end) {
    const auto append = [&](std::vector<rdf::TermId>& to, const std::vector<uint32_t>& from) {
      to.insert(to.end(), from.begin() + static_cast<ptrdiff_t>(base_row_),
                from.begin() + static_cast<ptrdiff_t>(end));
    };
    append(out_.subject, base_.rows.subject);
    append(out_.predicate, base_.rows.predicate);
    append(out_.object, base_.rows.object);
    base_row_ = end;
  }

  const PatternRows& base_;
  std::span<const Mention> mentions_;
  const ScanOrder& order_;
  Stamp base_stamp_;
  rdf::IdBatch& out_;
  size_t base_row_ = 0;
  size_t mention_ = 0;
};

}  // namespace

// Vectors keep their memory from call to call: a step of one pattern takes none.
class FoldState::Lookup final : public FoldLookup {
 public:
  // `fold` must outlive it.
  explicit Lookup(FoldState& fold) : fold_(fold), memory_(fold.budget_) {}

  Result<size_t> look_up(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                         size_t rows_max, rdf::IdBatch& rows, std::vector<uint32_t>& ends,
                         const std::stop_token& stop) override;

 private:
  Result<std::optional<rdf::Permutation>> order_of(const rdf::IdPattern& pattern,
                                                   rdf::Permutation wanted,
                                                   const std::stop_token& stop);
  Result<size_t> look_up_overlays(std::span<const rdf::IdPattern> patterns, size_t rows_max,
                                  const std::stop_token& stop);
  Status choose_base_patterns(std::span<const rdf::IdPattern> patterns,
                              const std::stop_token& stop);
  Result<size_t> look_up_base(std::span<const rdf::IdPattern> patterns,
                              rdf::Permutation permutation, size_t rows_max,
                              const std::stop_token& stop);

  FoldState& fold_;
  MemoryHold memory_;
  const Aliases* aliases_ = nullptr;  // the base's, once they are known
  std::unique_ptr<rete::SegmentLookup> base_;
  OverlayPlaces places_;
  // The predicate of the last pattern.
  rdf::TermId predicate_ = rdf::kNoTerm;
  PredicateKey predicate_key_ = 0;
  LocalPatterns base_patterns_;
  PatternRows base_rows_;
  std::vector<rdf::TermId> ids_;
  std::vector<Ordinal> wanted_;
  FoundRows found_;
  std::vector<Mention> mentions_;
};

// The order of the base's rows; nullopt: it is left to scans.
Result<std::optional<rdf::Permutation>> FoldState::Lookup::order_of(const rdf::IdPattern& pattern,
                                                                    rdf::Permutation wanted,
                                                                    const std::stop_token& stop) {
  SegmentTerms* const base = fold_.terms_->base();
  if (base == nullptr) {
    return std::optional(wanted);
  }
  if (aliases_ == nullptr) {
    WEFT_TRY(aliases_, base->aliases(stop));
  }
  return aliases_->empty() ? stored_order(base->segment(), pattern, wanted) : std::nullopt;
}

// The patterns that the base may match, in its ids. All have the same predicate or few.
Status FoldState::Lookup::choose_base_patterns(std::span<const rdf::IdPattern> patterns,
                                               const std::stop_token& stop) {
  base_patterns_.clear();
  const SegmentTerms* const base = fold_.terms_->base();
  if (base == nullptr || (patterns.front().scope == rdf::GraphScope::kOne &&
                          !base->segment().facts().has_named_graphs)) {
    return ok_status();
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i].predicate != predicate_) {
      PredicateKey key = 0;
      if (patterns[i].predicate != rdf::kNoTerm) {
        WEFT_TRY(key, fold_.terms_->predicate_key(patterns[i].predicate, stop));
      }
      predicate_ = patterns[i].predicate;
      predicate_key_ = key;
    }
    const auto one = base_pattern_with(*fold_.terms_, patterns[i], predicate_key_);
    if (one.has_value()) {
      base_patterns_.patterns.push_back(*one);
      base_patterns_.numbers.push_back(static_cast<uint32_t>(i));
    }
  }
  return ok_status();
}

// Replaces base_rows_. Returns how many patterns were done.
Result<size_t> FoldState::Lookup::look_up_base(std::span<const rdf::IdPattern> patterns,
                                               rdf::Permutation permutation, size_t rows_max,
                                               const std::stop_token& stop) {
  WEFT_TRY_STATUS(choose_base_patterns(patterns, stop));
  if (base_ == nullptr && fold_.terms_->base() != nullptr) {
    base_ = fold_.terms_->base()->segment().lookup();
  }
  return base_patterns_.look_up(base_.get(), patterns.size(), permutation, rows_max, base_rows_,
                                stop);
}

// Replaces found_: what overlays and changes say about all patterns, or the first few. 0: only
// scans can tell.
Result<size_t> FoldState::Lookup::look_up_overlays(std::span<const rdf::IdPattern> patterns,
                                                   size_t rows_max, const std::stop_token& stop) {
  found_.rows.clear();
  found_.patterns.clear();
  size_t done = patterns.size();
  if (fold_.has_no_overlay()) {
    return done;
  }
  Overlay& overlay = *fold_.overlay_;
  if (!overlay.empty()) {
    const FoldGround& ground = *fold_.ground_;
    if (ground.light_overlay != nullptr && ground.overlay_uses.load() < kLightUsesMax) {
      return size_t{0};  // few uses so far: decoding all overlays would cost more than scans do
    }
    WEFT_TRY_STATUS(overlay.load(stop));
  }
  ids_.clear();
  for (const rdf::IdPattern& pattern : patterns) {
    ids_.insert(ids_.end(), {pattern.subject, pattern.predicate, pattern.object, pattern.graph});
  }
  WEFT_TRY_STATUS(fold_.terms_->ordinals_of(ids_, wanted_, stop));
  if (!overlay.empty()) {
    WEFT_TRY(done, overlay.look_up(patterns, wanted_, rows_max, found_, places_, stop));
    WEFT_TRY_STATUS(memory_.cover(found_.memory_bytes()));
  }
  const LiveRows& live = *fold_.live_;
  if (live.empty()) {
    return done;
  }
  const Stamp first_stamp = stamp_of(fold_.facts_.log_entries, manifest::Role::kDels);
  for (size_t i = 0; i < done; ++i) {
    LiveRows::Wanted one{};
    std::ranges::copy(std::span(wanted_).subspan(4 * i, 4), one.begin());
    if (found_.rows.size() > rows_max ||
        !live.look_up(patterns[i], one, first_stamp, rows_max, found_.rows)) {
      done = i;
      break;
    }
    found_.patterns.resize(found_.rows.size(), static_cast<uint32_t>(i));
  }
  WEFT_TRY_STATUS(memory_.cover(found_.memory_bytes()));
  return done;
}

Result<size_t> FoldState::Lookup::look_up(std::span<const rdf::IdPattern> patterns,
                                          rdf::Permutation permutation, size_t rows_max,
                                          rdf::IdBatch& rows, std::vector<uint32_t>& ends,
                                          const std::stop_token& stop) {
  rows.clear();
  ends.clear();
  if (patterns.empty() || patterns.front().scope == rdf::GraphScope::kAllNamed) {
    return size_t{0};
  }
  WEFT_TRY(const auto stored, order_of(patterns.front(), permutation, stop));
  if (!stored.has_value()) {
    return size_t{0};
  }
  WEFT_TRY(size_t done, look_up_overlays(patterns, rows_max, stop));
  if (done == 0) {
    return size_t{0};
  }
  WEFT_TRY(done, look_up_base(patterns.first(done), *stored, rows_max, stop));
  mentions_.clear();
  const ScanOrder order(*stored);
  if (!found_.rows.empty()) {
    WEFT_TRY_STATUS(
        memory_.cover(found_.memory_bytes() + found_.rows.size() * 2 * sizeof(Mention)));
    WEFT_TRY_STATUS(make_mentions(*fold_.terms_, found_, order, mentions_, stop));
  }
  if (mentions_.empty()) {
    const rete::LocalBatch& found = base_rows_.rows;
    rows.subject.assign(found.subject.begin(), found.subject.end());
    rows.predicate.assign(found.predicate.begin(), found.predicate.end());
    rows.object.assign(found.object.begin(), found.object.end());
    ends.swap(base_rows_.ends);
  } else {
    LookupMerge(base_rows_, mentions_, order, fold_.base_stamp_, rows).run(done, rows_max, ends);
  }
  if (patterns.front().predicate == rdf::kNoTerm) {
    WEFT_TRY_STATUS(fold_.terms_->terms_of_keys(rows.predicate, stop));
    return ends.size();
  }
  size_t begin = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    std::fill(rows.predicate.begin() + static_cast<ptrdiff_t>(begin),
              rows.predicate.begin() + ends[i], patterns[i].predicate);
    begin = ends[i];
  }
  return ends.size();
}

std::unique_ptr<FoldLookup> FoldState::lookup() {
  return std::make_unique<Lookup>(*this);
}

}  // namespace weft::quads

// Many small patterns at once: Fold::look_up. The base and the overlays are each asked for all of
// them together; what the overlays mention is then merged into the base's rows, pattern by pattern.
#include <algorithm>
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

// By pattern and place, the latest of each.
Status make_mentions(FoldTerms& terms, const FoundRows& found, const ScanOrder& order,
                     std::vector<Mention>& mentions, const std::stop_token& stop) {
  std::vector<DeltaRow> delta;
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

// The patterns that the base may match, in its ids. All have the same predicate or few.
Result<LocalPatterns> FoldState::base_patterns(std::span<const rdf::IdPattern> patterns,
                                               const std::stop_token& stop) {
  LocalPatterns local;
  if (terms_->base() == nullptr || (patterns.front().scope == rdf::GraphScope::kOne &&
                                    !terms_->base()->segment().facts().has_named_graphs)) {
    return local;
  }
  local.patterns.reserve(patterns.size());
  local.numbers.reserve(patterns.size());
  rdf::TermId predicate = rdf::kNoTerm;
  PredicateKey key = 0;
  for (size_t i = 0; i < patterns.size(); ++i) {
    rdf::IdPattern pattern = patterns[i];
    if (pattern.predicate != predicate) {
      predicate = pattern.predicate;
      key = 0;
      if (predicate != rdf::kNoTerm) {
        WEFT_TRY(key, terms_->predicate_key(predicate, stop));
      }
    }
    pattern.predicate = rdf::kNoTerm;
    WEFT_TRY(std::optional<rete::LocalPattern> one, base_pattern(*terms_, pattern, stop));
    if (one.has_value() && key < kFirstForeignPredicate) {
      one->predicate = static_cast<rete::PredicateId>(key);
      local.patterns.push_back(*one);
      local.numbers.push_back(static_cast<uint32_t>(i));
    }
  }
  return local;
}

// What overlays and changes say about all patterns, or the first few. 0: only scans can tell.
Result<size_t> FoldState::look_up_overlays(std::span<const rdf::IdPattern> patterns,
                                           size_t rows_max, FoundRows& found, MemoryHold& memory,
                                           const std::stop_token& stop) {
  size_t done = patterns.size();
  if (overlay_->empty() && live_->empty()) {
    return done;
  }
  std::vector<rdf::TermId> ids;
  ids.reserve(4 * patterns.size());
  for (const rdf::IdPattern& pattern : patterns) {
    ids.insert(ids.end(), {pattern.subject, pattern.predicate, pattern.object, pattern.graph});
  }
  std::vector<Ordinal> wanted;
  if (!overlay_->empty()) {
    if (ground_->light_overlay != nullptr && ground_->overlay_uses.load() < kLightUsesMax) {
      return size_t{0};  // few uses so far: decoding all overlays would cost more than scans do
    }
    WEFT_TRY_STATUS(overlay_->load(stop));
    WEFT_TRY_STATUS(terms_->ordinals_of(ids, wanted, stop));
    WEFT_TRY(done, overlay_->look_up(patterns, wanted, rows_max, found, stop));
    WEFT_TRY_STATUS(memory.cover(found.memory_bytes()));
  }
  if (live_->empty()) {
    return done;
  }
  if (wanted.empty()) {
    WEFT_TRY_STATUS(terms_->ordinals_of(ids, wanted, stop));
  }
  const Stamp first_stamp = stamp_of(facts_.log_entries, manifest::Role::kDels);
  for (size_t i = 0; i < done; ++i) {
    LiveRows::Wanted one{};
    std::ranges::copy(std::span(wanted).subspan(4 * i, 4), one.begin());
    if (found.rows.size() > rows_max ||
        !live_->look_up(patterns[i], one, first_stamp, rows_max, found.rows)) {
      done = i;
      break;
    }
    found.patterns.resize(found.rows.size(), static_cast<uint32_t>(i));
  }
  WEFT_TRY_STATUS(memory.cover(found.memory_bytes()));
  return done;
}

Result<size_t> FoldState::look_up(std::span<const rdf::IdPattern> patterns,
                                  rdf::Permutation permutation, size_t rows_max, rdf::IdBatch& rows,
                                  std::vector<uint32_t>& ends, std::stop_token stop) {
  rows.clear();
  ends.clear();
  if (patterns.empty() || patterns.front().scope == rdf::GraphScope::kAllNamed) {
    return size_t{0};
  }
  if (terms_->base() != nullptr) {
    WEFT_TRY(const Aliases* const aliases, terms_->base()->aliases(stop));
    const auto stored = stored_order(terms_->base()->segment(), patterns.front(), permutation);
    if (!aliases->empty() || !stored.has_value()) {
      return size_t{0};
    }
    permutation = *stored;
  }
  MemoryHold memory(budget_);
  FoundRows found;
  WEFT_TRY(size_t done, look_up_overlays(patterns, rows_max, found, memory, stop));
  PatternRows base;
  if (done > 0) {
    WEFT_TRY(const LocalPatterns local, base_patterns(patterns.first(done), stop));
    WEFT_TRY(done, local.look_up(terms_->base() == nullptr ? nullptr : &terms_->base()->segment(),
                                 done, permutation, rows_max, base, stop));
  }
  const ScanOrder order(permutation);
  std::vector<Mention> mentions;
  if (!found.rows.empty()) {
    WEFT_TRY_STATUS(memory.cover(found.memory_bytes() + found.rows.size() * 2 * sizeof(Mention)));
    WEFT_TRY_STATUS(make_mentions(*terms_, found, order, mentions, stop));
  }
  if (mentions.empty()) {
    rows.subject.assign(base.rows.subject.begin(), base.rows.subject.end());
    rows.predicate.assign(base.rows.predicate.begin(), base.rows.predicate.end());
    rows.object.assign(base.rows.object.begin(), base.rows.object.end());
    ends.swap(base.ends);
  } else {
    LookupMerge(base, mentions, order, base_stamp_, rows).run(done, rows_max, ends);
  }
  if (patterns.front().predicate == rdf::kNoTerm) {
    WEFT_TRY_STATUS(terms_->terms_of_keys(rows.predicate, stop));
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

}  // namespace weft::quads

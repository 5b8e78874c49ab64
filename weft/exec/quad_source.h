// What query execution reads from: quads as sorted ids. exec/ owns this interface; the engine
// implements it over the fold of a manifest or one segment, tests over a vector.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/plan/statistics.h"
#include "weft/rdf/ids.h"
#include "weft/rdf/text_need.h"

namespace weft::exec {

// Rows of one scan, in its order. Not thread-safe. Must not outlive its source.
class QuadCursor {
 public:
  virtual ~QuadCursor() = default;
  // Replaces `batch` with the next rows; an empty batch is the end. Errors: kCorrupt if bytes that
  // are needed are damaged (never fewer rows), kLimit, kUnavailable, kCancelled.
  virtual Status next(rdf::IdBatch& batch) = 0;
  // Rows before (key0, key1) in the scan's order need not be delivered any more; keys are ids of
  // the two positions that follow the pattern's bound ones. May be ignored: the caller still
  // compares.
  virtual Status seek(rdf::TermId key0, rdf::TermId key1) = 0;
  // A hint before the first next(): few rows may be enough, so batches should begin small.
  virtual void start_small() {}
  // A hint before the first next(): rows from (key0, key1) on, keys as of seek(), are not wanted,
  // though some may come.
  virtual Status stop_before(rdf::TermId /*key0*/, rdf::TermId /*key1*/) { return ok_status(); }
};

// Many small scans by one caller, one call after the other. What a source remembers between calls
// makes neighbours cheap; an answer does not depend on it. Not thread-safe. Must not outlive its
// source.
class QuadLookup {
 public:
  QuadLookup() = default;
  QuadLookup(const QuadLookup&) = delete;
  QuadLookup& operator=(const QuadLookup&) = delete;
  virtual ~QuadLookup() = default;
  // Replaces `rows` with those of patterns[0], patterns[1], … each in this order, until `rows_max`
  // are there, and `ends` with the number of rows behind each pattern; the graph column stays
  // empty. All patterns bind the same positions. Returns how many patterns were done; 0 if the
  // first one alone has more rows, or if the source has no quicker way than scans: then scan it.
  // This class never has one. Errors: those of a scan.
  virtual Result<size_t> look_up(std::span<const rdf::IdPattern> /*patterns*/,
                                 rdf::Permutation /*permutation*/, size_t /*rows_max*/,
                                 rdf::IdBatch& rows, std::vector<uint32_t>& ends,
                                 const std::stop_token& /*stop*/) {
    rows.clear();
    ends.clear();
    return size_t{0};
  }
};

// A place between the rows of a scan: before it stand those whose ids at the two positions that
// follow the pattern's bound ones are less. `key1` may be kNoTerm.
struct ScanCut {
  rdf::TermId key0 = rdf::kNoTerm;
  rdf::TermId key1 = rdf::kNoTerm;
  friend auto operator<=>(const ScanCut&, const ScanCut&) = default;
};

// Thread-safe; one immutable state of one graph.
class QuadSource : public plan::Statistics {
 public:
  // The ids of canonical tokens, appended to `ids` in the order asked: kNoTerm for one that no
  // visible quad can hold. Ask for many at once: over a network each call is a round trip or two.
  virtual Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids) = 0;
  // Canonical tokens of ids this source gave, in the order asked, appended to `tokens`. Ask for
  // many at once: over a network each call is a round trip.
  virtual Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) = 0;
  // The same, one by one: take(index, token) in the order asked. The token is valid during the call
  // only; a source that keeps tokens in one piece makes no string of each.
  using TakeToken = std::function<void(size_t index, std::string_view token)>;
  virtual Status visit_tokens(std::span<const rdf::TermId> ids, const TakeToken& take) {
    std::vector<std::string> all;
    WEFT_TRY_STATUS(tokens(ids, all));
    for (size_t i = 0; i < all.size(); ++i) {
      take(i, all[i]);
    }
    return ok_status();
  }

  // Rows that match, without duplicates, in the order of `permutation`, which should have the
  // pattern's bound positions in front (has_order). In GraphScope::kAllNamed rows come graph by
  // graph, each graph in this order. Within it subject and object columns ascend by id among rows
  // equal in the columns before; predicates are grouped (equal ones together) but in no numeric
  // order.
  virtual Result<std::unique_ptr<QuadCursor>> scan(const rdf::IdPattern& pattern,
                                                   rdf::Permutation permutation,
                                                   std::stop_token stop) = 0;
  // Places, ascending and different, that cut the rows of this scan into about `pieces` of similar
  // size, so that threads can share them out; no predicate is a key. The same every time. Empty: it
  // cannot be cut, or does not pay.
  virtual Result<std::vector<ScanCut>> cuts(
      const rdf::IdPattern& /*pattern*/, rdf::Permutation /*permutation*/, size_t /*pieces*/,
      // NOLINTNEXTLINE(performance-unnecessary-value-param): others keep it
      std::stop_token /*stop*/) {
    return std::vector<ScanCut>();
  }
  // A hint: scans of all these patterns in this order follow soon. A remote source fetches what
  // they need in one or two round trips; a local one may do nothing.
  virtual Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                          std::stop_token stop) = 0;
  // For many small scans: one for each operator that makes them, which its thread keeps.
  virtual std::unique_ptr<QuadLookup> lookup() { return std::make_unique<QuadLookup>(); }
  // Ascending: among them the subject of every row that matches `pattern` (its subject and object
  // open) and whose object meets `demand`. nullopt if nothing proves it, or if these are probably
  // more than `subjects_max`.
  virtual Result<std::optional<std::vector<rdf::TermId>>> subjects_with_text(
      const rdf::IdPattern& /*pattern*/, const rdf::TextDemand& /*demand*/, size_t /*subjects_max*/,
      // NOLINTNEXTLINE(performance-unnecessary-value-param): others keep it
      std::stop_token /*stop*/) {
    return std::optional<std::vector<rdf::TermId>>();
  }
  // Named graphs with at least one visible quad, ascending by id.
  virtual Result<std::vector<rdf::TermId>> graphs() = 0;
};

}  // namespace weft::exec

// The rows of all segments but the base: who adds or deletes what, and when. (Those of the journal
// are LiveRows.)
//
// Small segments are decoded together when rows are first needed, and indexed by term; larger ones
// are scanned for what a pattern matches, which keeps their cost in proportion to the matches.
//
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/quads/fold_terms.h"
#include "weft/quads/local_patterns.h"
#include "weft/quads/memory_hold.h"
#include "weft/quads/segments.h"
#include "weft/rdf/ids.h"

namespace weft::quads {

// A quad that an overlay names. `graph` is kNoOrdinal in the default graph.
struct OverlayRow {
  Ordinal subject = kNoOrdinal;
  Ordinal predicate = kNoOrdinal;
  Ordinal object = kNoOrdinal;
  Ordinal graph = kNoOrdinal;
  Stamp stamp = 0;
};

// Rows of several patterns that were asked for at once.
struct FoundRows {
  std::vector<OverlayRow> rows;
  std::vector<uint32_t> patterns;  // the number of the pattern that each belongs to
  uint64_t memory_bytes() const {
    return rows.capacity() * sizeof(OverlayRow) + patterns.capacity() * sizeof(uint32_t);
  }
};

// Where the last look-ups of one caller ended in the segments that are not decoded: of the first
// few, since each place holds two blocks of its segment. Begins empty; belongs to one overlay.
struct OverlayPlaces {
  static constexpr size_t kSegmentsMax = 16;
  std::vector<std::unique_ptr<rete::SegmentLookup>> segments;
};

// Segments of at most so many quads are decoded as a whole, as long as all of them together stay
// within half the budget.
inline constexpr uint64_t kResidentQuadsMax = 100'000;
// Rows that count() looks at before it goes on with a sample.
inline constexpr size_t kCountedRows = 512;

class Overlay {
 public:
  // Whether small segments are decoded as a whole, or all are read where they lie.
  enum class Residence : uint8_t { kSmallSegments, kNone };
  // All uses of `segments` but those equal to `base` are overlays. All must outlive this object.
  static std::unique_ptr<Overlay> create(SegmentSet& segments, std::optional<SegmentUse> base,
                                         FoldTerms& terms, base::Executor& executor,
                                         base::MemoryBudget& budget,
                                         Residence residence = Residence::kSmallSegments);

  // True if there is nothing but the base.
  bool empty() const { return uses_.empty(); }

  // Decodes the small segments, once. All functions below need it done.
  Status load(const std::stop_token& stop);

  // Appends the rows that match `pattern`, ids of FoldTerms, in no order; a quad may come often.
  // Errors: kLimit.
  Status collect(const rdf::IdPattern& pattern, std::vector<OverlayRow>& rows, MemoryHold& memory,
                 const std::stop_token& stop);
  // Appends the rows that match patterns[0], patterns[1], …; `wanted` are the ordinals of their
  // terms, four for each pattern. Returns how many patterns were done: fewer once `rows_max` rows
  // are there, and before a pattern with more rows than that to look at; 0 if a segment has no
  // quicker way than scans.
  Result<size_t> look_up(std::span<const rdf::IdPattern> patterns, std::span<const Ordinal> wanted,
                         size_t rows_max, FoundRows& found, OverlayPlaces& places,
                         const std::stop_token& stop);
  // The latest stamp of a quad among the rows of decoded segments, 0 if there is none.
  Stamp latest_resident(const OverlayRow& quad) const;
  // Whether there are segments that are not decoded.
  bool has_ranged() const { return !ranged_.empty(); }
  // Rows that add minus rows that delete, and all rows; quick, repeated quads counted often, many
  // rows by a sample. No rows at all is exact.
  struct Count {
    double net = 0;
    double rows = 0;
  };
  Result<Count> count(const rdf::IdPattern& pattern, const std::stop_token& stop);
  // Looks tokens up in the larger segments, and makes ordinals for those that are there.
  Status find_ranged(std::span<const std::string_view> tokens, const std::stop_token& stop);
  Status prefetch(std::span<const rdf::IdPattern> patterns, const std::stop_token& stop);
  // Ordinals of all graphs that rows name.
  Status graphs(std::vector<Ordinal>& graphs, const std::stop_token& stop);

 private:
  // A larger segment.
  struct Ranged {
    size_t segment = 0;
    std::vector<Stamp> stamps;  // of all its uses
    std::unique_ptr<SegmentTerms> terms;
    base::Mutex mutex;
    std::vector<Ordinal> nodes WEFT_GUARDED_BY(mutex);  // by local id; kNoOrdinal: not known yet
    std::vector<Ordinal> predicates WEFT_GUARDED_BY(mutex);
    // By the fold's id.
    std::unordered_map<rdf::TermId, rete::LocalTerm> local WEFT_GUARDED_BY(mutex);
  };
  // Rows that have a term at one position, by ordinal.
  struct Postings {
    std::vector<uint32_t> starts;  // by ordinal; one more than there are ordinals
    std::vector<uint32_t> rows;
    std::span<const uint32_t> of(Ordinal ordinal) const;
  };
  struct Decoded;

  Overlay(SegmentSet& segments, FoldTerms& terms, base::Executor& executor,
          base::MemoryBudget& budget);

  void choose_resident(Residence residence);
  Status load_locked(const std::stop_token& stop);
  Status decode(size_t segment, Decoded& decoded, const std::stop_token& stop) const;
  Status add_rows(size_t segment, const Decoded& decoded);
  void build_postings(Postings& postings, Ordinal OverlayRow::* position);

  // How the resident rows that match a pattern are found: among all, or those of one posting.
  struct ResidentMatch {
    rdf::IdPattern pattern;
    std::array<Ordinal, 4> wanted{};
    std::optional<std::span<const uint32_t>> shortest;
    bool holds(const OverlayRow& row) const;
    size_t size(const std::vector<OverlayRow>& all) const {
      return shortest.has_value() ? shortest->size() : all.size();
    }
  };
  ResidentMatch match_resident(const rdf::IdPattern& pattern,
                               std::span<const Ordinal> wanted) const;
  size_t look_up_resident(std::span<const rdf::IdPattern> patterns, std::span<const Ordinal> wanted,
                          size_t rows_max, FoundRows& found) const;
  Result<size_t> look_up_ranged(size_t index, std::span<const rdf::IdPattern> patterns,
                                size_t rows_max, FoundRows& found, OverlayPlaces& places,
                                const std::stop_token& stop);
  Result<ResidentMatch> match_resident(const rdf::IdPattern& pattern, const std::stop_token& stop);
  Count count_matches(const ResidentMatch& match) const;
  Result<Count> count_resident(const rdf::IdPattern& pattern, const std::stop_token& stop);
  Status collect_resident(const rdf::IdPattern& pattern, std::vector<OverlayRow>& rows,
                          MemoryHold& memory, const std::stop_token& stop);
  Status collect_ranged(Ranged& ranged, const rdf::IdPattern& pattern,
                        std::vector<OverlayRow>& rows, MemoryHold& memory,
                        const std::stop_token& stop);
  // Replaces `local` with the terms in the segment's ids, zeros where there is none.
  Status local_terms(Ranged& ranged, std::span<const rdf::TermId> ids,
                     std::vector<rete::LocalTerm>& local, const std::stop_token& stop);
  Result<std::optional<rete::LocalPattern>> local_pattern(Ranged& ranged,
                                                          const rdf::IdPattern& pattern,
                                                          const std::stop_token& stop);
  Status name_rows(Ranged& ranged, const rete::LocalBatch& batch, const std::stop_token& stop);
  Status name_graph(Ranged& ranged, rete::NodeId graph, const std::stop_token& stop);
  SegmentSet& segments_;
  FoldTerms& terms_;
  base::Executor& executor_;
  base::MemoryBudget& budget_;
  std::vector<SegmentUse> uses_;
  std::vector<size_t> resident_;  // segments, ascending
  std::vector<std::unique_ptr<Ranged>> ranged_;

  base::Mutex mutex_;
  bool loaded_ WEFT_GUARDED_BY(mutex_) = false;
  // Counts of patterns with many rows, which every planning asks for; resident rows never change.
  using CountKey = std::array<uint32_t, 5>;
  base::Mutex counts_mutex_;
  std::map<CountKey, Count> counts_ WEFT_GUARDED_BY(counts_mutex_);
  // Fixed once loaded.
  std::vector<OverlayRow> rows_;
  Postings by_subject_, by_predicate_, by_object_, by_graph_;
  MemoryHold memory_;
};

}  // namespace weft::quads

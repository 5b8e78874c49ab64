// Scans of the base in the fold's terms.
//
// Where the base stores one term under several tokens (segment_terms.h), rows with an alias do not
// stand in the fold's order, and may repeat a row. They are left out of the stream and *diverted*:
// a few rows that are collected first and join the overlays' rows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "weft/base/result.h"
#include "weft/quads/delta.h"
#include "weft/quads/fold_terms.h"
#include "weft/rdf/ids.h"
#include "weft/rete/segment.h"

namespace weft::quads {

// The stored permutation that gives the wanted order for this pattern: itself, or one that differs
// only in where bound positions stand. nullopt if there is none.
std::optional<rdf::Permutation> stored_order(const rete::Segment& segment,
                                             const rdf::IdPattern& pattern,
                                             rdf::Permutation wanted);

// `pattern` in the base's ids; nullopt if the base cannot have matching rows.
Result<std::optional<rete::LocalPattern>> base_pattern(FoldTerms& terms,
                                                       const rdf::IdPattern& pattern,
                                                       std::stop_token stop);

// The same where the key of the predicate is known (0 if the pattern has none).
std::optional<rete::LocalPattern> base_pattern_with(const FoldTerms& terms,
                                                    const rdf::IdPattern& pattern,
                                                    PredicateKey predicate);

// Appends the diverted rows that match, as rows of the base's own stamp.
Status append_diverted(FoldTerms& terms, const rete::LocalPattern& pattern, Stamp base_stamp,
                       const ScanOrder& order, std::vector<DeltaRow>& delta, std::stop_token stop);

// The base's rows that are not diverted. Not thread-safe.
class BaseStream {
 public:
  // An empty stream.
  BaseStream() = default;
  static Result<BaseStream> open(FoldTerms& terms, const rete::LocalPattern& pattern,
                                 rdf::Permutation permutation, std::stop_token stop);

  // The rows at hand; empty at the end.
  const rete::LocalBatch& batch() const { return batch_; }
  Status next();
  // Errors as SegmentCursor; call next() after it.
  Status seek(const rete::RowKey& key);
  // As SegmentCursor.
  void start_small();
  void stop_before(const rete::RowKey& key);

 private:
  std::unique_ptr<rete::SegmentCursor> cursor_;
  const Aliases* aliases_ = nullptr;  // null: none
  rete::LocalBatch batch_;
};

}  // namespace weft::quads

// Some of many patterns, in the ids of one segment: those that it can match at all.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdf/ids.h"
#include "weft/rete/segment.h"

namespace weft::quads {

// Rows of several patterns, one after the other.
struct PatternRows {
  rete::LocalBatch rows;
  std::vector<uint32_t> ends;       // of each pattern: the number of rows up to its last one
  std::vector<uint32_t> ends_here;  // the same of the patterns that were looked up
};

struct LocalPatterns {
  std::vector<rete::LocalPattern> patterns;
  std::vector<uint32_t> numbers;  // among all patterns, ascending

  void clear() {
    patterns.clear();
    numbers.clear();
  }
  // SegmentLookup::look_up of all of the first `count` patterns there are; those that are not here
  // have no rows. Replaces `found`, returns how many were done. `lookup` may be null if this is
  // empty.
  Result<size_t> look_up(rete::SegmentLookup* lookup, size_t count, rdf::Permutation permutation,
                         size_t rows_max, PatternRows& found, const std::stop_token& stop) const;
};

}  // namespace weft::quads

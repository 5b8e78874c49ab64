#include "weft/quads/local_patterns.h"

namespace weft::quads {

Result<size_t> LocalPatterns::look_up(rete::SegmentLookup* lookup, size_t count,
                                      rdf::Permutation permutation, size_t rows_max,
                                      PatternRows& found, const std::stop_token& stop) const {
  if (!patterns.empty() && patterns.size() == count) {
    return lookup->look_up(patterns, permutation, rows_max, found.rows, found.ends, stop);
  }
  found.rows.clear();
  found.ends.clear();
  size_t done = count;
  if (!patterns.empty()) {
    WEFT_TRY(const size_t local_done,
             lookup->look_up(patterns, permutation, rows_max, found.rows, found.ends_here, stop));
    done = local_done == patterns.size() ? count : numbers[local_done];
  }
  found.ends.reserve(done);
  size_t next = 0;
  for (size_t i = 0; i < done; ++i) {
    const bool is_here = next < numbers.size() && numbers[next] == i;
    const uint32_t before = i == 0 ? 0 : found.ends.back();
    found.ends.push_back(is_here ? found.ends_here[next++] : before);
  }
  return done;
}

}  // namespace weft::quads

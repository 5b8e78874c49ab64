#include "weft/quads/local_patterns.h"

namespace weft::quads {

Result<size_t> LocalPatterns::look_up(rete::Segment* segment, size_t count,
                                      rdf::Permutation permutation, size_t rows_max,
                                      PatternRows& found, const std::stop_token& stop) const {
  found.rows.clear();
  found.ends.clear();
  std::vector<uint32_t> ends;
  size_t done = count;
  if (!patterns.empty()) {
    WEFT_TRY(const size_t local_done,
             segment->look_up(patterns, permutation, rows_max, found.rows, ends, stop));
    done = local_done == patterns.size() ? count : numbers[local_done];
  }
  found.ends.reserve(done);
  size_t next = 0;
  for (size_t i = 0; i < done; ++i) {
    const bool is_here = next < numbers.size() && numbers[next] == i;
    const uint32_t before = i == 0 ? 0 : found.ends.back();
    found.ends.push_back(is_here ? ends[next++] : before);
  }
  return done;
}

}  // namespace weft::quads

#include "weft/lance/read/page_source.h"

#include <algorithm>
#include <numeric>

namespace weft::lance::read {

Result<std::vector<storage::Buffer>> read_coalesced(storage::ObjectReader& object,
                                                    std::span<const storage::Range> ranges,
                                                    uint64_t gap_bytes, ReadMemory& memory,
                                                    const std::stop_token& stop) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto before = [&](size_t left, size_t right) {
    return ranges[left].offset < ranges[right].offset;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::sort(order.begin(), order.end(), before);
  }
  std::vector<storage::Range> reads;
  std::vector<size_t> read_of(ranges.size());
  uint64_t bytes = 0;
  for (const size_t index : order) {
    const storage::Range& range = ranges[index];
    const uint64_t end = range.offset + range.size;
    if (!reads.empty()) {
      storage::Range& last = reads.back();
      const uint64_t last_end = last.offset + last.size;
      const bool is_near = range.offset <= last_end || range.offset - last_end <= gap_bytes;
      if (is_near && (end <= last_end || end - last.offset <= kCoalescedBytesMax)) {
        const uint64_t grown = std::max(end, last_end) - last.offset;
        bytes += grown - last.size;
        last.size = grown;
        read_of[index] = reads.size() - 1;
        continue;
      }
    }
    reads.push_back(range);
    bytes += range.size;
    read_of[index] = reads.size() - 1;
  }
  WEFT_TRY_STATUS(memory.grow(bytes));
  WEFT_TRY(const std::vector<storage::Buffer> buffers, object.read_many(reads, stop));
  std::vector<storage::Buffer> out;
  out.reserve(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const storage::Range& read = reads[read_of[i]];
    out.push_back(buffers[read_of[i]].slice(ranges[i].offset - read.offset, ranges[i].size));
  }
  return out;
}

Status fetch(storage::ObjectReader& object, std::span<PageRequest* const> requests,
             uint64_t gap_bytes, ReadMemory& memory, const std::stop_token& stop) {
  std::vector<PageRequest*> waiting(requests.begin(), requests.end());
  std::vector<storage::Range> ranges;
  std::vector<size_t> counts;
  while (!waiting.empty()) {
    ranges.clear();
    counts.clear();
    std::vector<PageRequest*> asking;
    for (PageRequest* const request : waiting) {
      const size_t before = ranges.size();
      WEFT_TRY_STATUS(request->next_ranges(ranges));
      if (ranges.size() != before) {
        asking.push_back(request);
        counts.push_back(ranges.size() - before);
      }
    }
    if (ranges.empty()) {
      return ok_status();
    }
    WEFT_TRY(const std::vector<storage::Buffer> buffers,
             read_coalesced(object, ranges, gap_bytes, memory, stop));
    size_t next = 0;
    for (size_t i = 0; i < asking.size(); ++i) {
      WEFT_TRY_STATUS(asking[i]->give(std::span(buffers).subspan(next, counts[i])));
      next += counts[i];
    }
    waiting = std::move(asking);
  }
  return ok_status();
}

}  // namespace weft::lance::read

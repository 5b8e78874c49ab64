#include "weft/rete/checked_file.h"

#include <algorithm>
#include <utility>

#include "weft/base/present.h"
#include "weft/rete/damage.h"
#include "weft/rete/format.h"

namespace weft::rete {
namespace {

using storage::Buffer;
using storage::Range;

uint64_t end_of(Range range) {
  return range.offset + range.size;
}

bool contains(Range outer, Range inner) {
  return inner.offset >= outer.offset && end_of(inner) <= end_of(outer);
}

// Ranges of a remote object this close are fetched as one.
constexpr uint64_t kRemoteGapBytes = uint64_t{16} * 1024;

}  // namespace

CheckedFile::CheckedFile(std::unique_ptr<storage::ObjectReader> reader, Buffer beginning,
                         base::Executor* executor)
    : reader_(std::move(reader)), beginning_(std::move(beginning)), executor_(executor) {}

Status CheckedFile::use_digests(const DigestPlan& plan) {
  const uint64_t front_blocks = digest_block_count(plan.front.size);
  const uint64_t data_blocks = digest_block_count(plan.data.size);
  const uint64_t digest_count = front_blocks + data_blocks;
  if (plan.section.size != kBlockDigestsHeadBytes + digest_count * sizeof(codec::Digest16)) {
    return damage("the number of block digests does not fit the file", name(), "block-digests",
                  plan.section.offset);
  }
  plan_ = plan;
  front_blocks_ = front_blocks;
  block_count_ = digest_count;
  verified_ = std::vector<std::atomic<uint64_t>>((digest_count + 63) / 64);
  return ok_status();
}

Range CheckedFile::block_range(uint64_t block) const {
  const bool front = block < front_blocks_;
  const DigestPlan& plan = base::present(plan_);
  const Range region = front ? plan.front : plan.data;
  const uint64_t within = (front ? block : block - front_blocks_) * kDigestBlockBytes;
  return {region.offset + within, std::min(kDigestBlockBytes, region.size - within)};
}

bool CheckedFile::is_verified(uint64_t block) const {
  return !reader_->is_remote() &&
         (verified_[block / 64].load(std::memory_order_acquire) >> (block % 64) & 1U) != 0;
}

Result<CheckedFile::Fetch> CheckedFile::plan_fetch(Range range) const {
  Fetch fetch{.range = range};
  if (!plan_.has_value() || range.size == 0) {
    return fetch;
  }
  const bool front = contains(plan_->front, range);
  if (!front && !contains(plan_->data, range)) {
    return Error(ErrorKind::kInternal, "read outside the regions that digests cover")
        .with("file", name())
        .with("offset", range.offset)
        .with("size", range.size);
  }
  const uint64_t first_block = front ? 0 : front_blocks_;
  const uint64_t base = front ? plan_->front.offset : plan_->data.offset;
  const uint64_t begin = first_block + (range.offset - base) / kDigestBlockBytes;
  const uint64_t end = first_block + (end_of(range) - 1 - base) / kDigestBlockBytes + 1;
  for (uint64_t block = begin; block < end; ++block) {
    if (!is_verified(block)) {
      const uint64_t offset = block_range(begin).offset;
      return Fetch{{offset, end_of(block_range(end - 1)) - offset}, begin, end};
    }
  }
  return fetch;
}

Status CheckedFile::take_digests(const Buffer& section) {
  const DigestPlan& plan = base::present(plan_);
  if (codec::blake3_16(section.view()) != plan.section_digest) {
    return damage("digest of the section differs", name(), "block-digests", plan.section.offset);
  }
  const base::MutexLock lock(mutex_);
  if (!has_digest_bytes_.load(std::memory_order_relaxed)) {
    // A copy: a mapped file could change under us, the digests must not.
    digest_bytes_ = Buffer::copy_of(section.view().subspan(kBlockDigestsHeadBytes));
    has_digest_bytes_.store(true, std::memory_order_release);
  }
  return ok_status();
}

Status CheckedFile::check_blocks(std::span<const Fetch> fetches, std::span<const Buffer> buffers,
                                 std::stop_token stop) {
  struct Work {
    uint64_t block;
    ByteView bytes;
  };
  std::vector<Work> work;
  for (size_t i = 0; i < fetches.size(); ++i) {
    for (uint64_t block = fetches[i].block_begin; block < fetches[i].block_end; ++block) {
      if (!is_verified(block)) {
        const Range range = block_range(block);
        work.push_back(
            {block, buffers[i].view().subspan(range.offset - fetches[i].range.offset, range.size)});
      }
    }
  }
  const auto check = [&](size_t index) -> Status {
    const uint64_t block = work[index].block;
    const codec::Digest16 digest = codec::blake3_16(work[index].bytes);
    const ByteView expected = digest_bytes_.view().subspan(block * digest.size(), digest.size());
    if (!std::equal(digest.begin(), digest.end(), expected.begin())) {
      return damage("digest of a block differs", name(), block < front_blocks_ ? "front" : "data",
                    block_range(block).offset);
    }
    verified_[block / 64].fetch_or(uint64_t{1} << (block % 64), std::memory_order_acq_rel);
    return ok_status();
  };
  constexpr size_t kBlocksPerTaskMin = 4;
  if (executor_ != nullptr && work.size() >= kBlocksPerTaskMin) {
    return executor_->for_each(work.size(), check, std::move(stop));
  }
  for (size_t i = 0; i < work.size(); ++i) {
    WEFT_TRY_STATUS(check(i));
  }
  return ok_status();
}

Result<std::vector<Buffer>> CheckedFile::fetch(std::span<const Range> ranges,
                                               std::stop_token stop) {
  std::vector<Buffer> buffers(ranges.size());
  std::vector<Range> wanted;
  std::vector<size_t> places;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (end_of(ranges[i]) <= beginning_.size()) {
      buffers[i] = beginning_.slice(ranges[i].offset, ranges[i].size);
    } else {
      wanted.push_back(ranges[i]);
      places.push_back(i);
    }
  }
  if (wanted.empty()) {
    return buffers;
  }
  WEFT_TRY(std::vector<Buffer> read, reader_->read_many(wanted, std::move(stop)));
  WEFT_CHECK(read.size() == wanted.size());
  for (size_t i = 0; i < places.size(); ++i) {
    WEFT_CHECK(read[i].size() == wanted[i].size);
    buffers[places[i]] = std::move(read[i]);
  }
  return buffers;
}

Result<std::vector<Buffer>> CheckedFile::read_raw(std::span<const Range> ranges,
                                                  std::stop_token stop) {
  for (const Range& range : ranges) {
    if (range.offset > size() || range.size > size() - range.offset) {
      return damage("a range leaves the file", name(), "file", range.offset);
    }
  }
  return fetch(ranges, std::move(stop));
}

Result<std::vector<Buffer>> CheckedFile::read(std::span<const Range> ranges, std::stop_token stop) {
  // Sorted by place, neighbours merged; of[i] is the fetch that holds ranges[i].
  std::vector<size_t> order(ranges.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return ranges[a].offset < ranges[b].offset; });
  const uint64_t gap = reader_->is_remote() && !plan_.has_value() ? kRemoteGapBytes : 0;
  std::vector<Fetch> fetches;
  std::vector<size_t> of(ranges.size());
  for (const size_t i : order) {
    WEFT_TRY(const Fetch next, plan_fetch(ranges[i]));
    if (!fetches.empty()) {
      Fetch& last = fetches.back();
      const bool same_sort =
          (last.block_begin == last.block_end) == (next.block_begin == next.block_end);
      const bool same_region =
          !plan_.has_value() || last.block_begin == last.block_end ||
          (last.block_begin < front_blocks_) == (next.block_begin < front_blocks_);
      if (same_sort && same_region && next.range.offset >= last.range.offset &&
          next.range.offset <= end_of(last.range) + gap) {
        last.range.size = std::max(end_of(last.range), end_of(next.range)) - last.range.offset;
        last.block_end = std::max(last.block_end, next.block_end);
        of[i] = fetches.size() - 1;
        continue;
      }
    }
    of[i] = fetches.size();
    fetches.push_back(next);
  }
  std::vector<Range> wanted;
  wanted.reserve(fetches.size() + 1);
  for (const Fetch& each : fetches) {
    wanted.push_back(each.range);
  }
  const bool needs_digests =
      plan_.has_value() && !has_digest_bytes_.load(std::memory_order_acquire);
  if (needs_digests) {
    wanted.push_back(plan_->section);
  }
  WEFT_TRY(std::vector<Buffer> buffers, read_raw(wanted, stop));
  if (needs_digests) {
    WEFT_TRY_STATUS(take_digests(buffers.back()));
  }
  if (plan_.has_value()) {
    WEFT_TRY_STATUS(check_blocks(fetches, buffers, std::move(stop)));
  }
  std::vector<Buffer> slices(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    slices[i] =
        buffers[of[i]].slice(ranges[i].offset - fetches[of[i]].range.offset, ranges[i].size);
  }
  return slices;
}

Result<Buffer> CheckedFile::read_one(Range range, std::stop_token stop) {
  WEFT_TRY(std::vector<Buffer> buffers, read({&range, 1}, std::move(stop)));
  return std::move(buffers.front());
}

}  // namespace weft::rete

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "weft/storage/block_cache.h"

namespace weft::storage {
namespace {

constexpr size_t kExpectedRunsMax = 4096;
constexpr uint64_t kPassByDivisor = 4;

// Blocks [first, last].
struct Run {
  uint64_t first = 0;
  uint64_t last = 0;
};

class CachedReader final : public ObjectReader {
 public:
  CachedReader(std::unique_ptr<ObjectReader> inner, BlockCache& cache, CachedReaderOptions options,
               ByteView head)
      : inner_(std::move(inner)), cache_(cache), options_(options), object_(cache.new_object()) {
    const uint64_t block_size = options_.block_size_bytes;
    for (uint64_t block = 0; block * block_size < head.size(); ++block) {
      const Range range = range_of({block, block});
      if (range.offset + range.size > head.size()) {
        break;
      }
      cache_.insert({object_, block}, head.subspan(range.offset, range.size));
    }
  }

  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  std::string identity() const override { return inner_->identity(); }
  bool is_remote() const override { return inner_->is_remote(); }

  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    WEFT_TRY_STATUS(check_ranges(ranges, size(), name()));
    Work work;
    for (const Range& range : ranges) {
      if (passes_by(range)) {
        work.direct.push_back(range);
      } else {
        add_blocks(range, work.blocks);
      }
    }
    WEFT_TRY_STATUS(gather(work, stop));
    std::vector<Buffer> answers;
    answers.reserve(ranges.size());
    size_t direct = 0;
    for (const Range& range : ranges) {
      answers.push_back(passes_by(range) ? std::move(work.direct_answers[direct++])
                                         : assemble(range, work.blocks));
    }
    return answers;
  }

  void prefetch(const std::vector<Range>& ranges) override {
    if (!check_ranges(ranges, size(), name()).ok()) {
      return;
    }
    std::vector<Range> asked;
    {
      const base::MutexLock lock(mutex_);
      Blocks wanted;
      for (const Range& range : ranges) {
        if (passes_by(range)) {
          continue;
        }
        add_blocks(range, wanted);
      }
      std::vector<uint64_t> missing;
      for (const auto& [block, bytes] : wanted) {
        if (!cache_.contains({object_, block}) && !loading_.contains(block) &&
            !expected_run(block)) {
          missing.push_back(block);
        }
      }
      for (const Run& run : runs_of(missing)) {
        if (expected_.size() < kExpectedRunsMax) {
          expected_.emplace(run.first, run.last);
          asked.push_back(range_of(run));
        }
      }
    }
    if (!asked.empty()) {
      inner_->prefetch(asked);
    }
  }

 private:
  using Blocks = std::map<uint64_t, std::optional<Buffer>>;
  struct Work {
    Blocks blocks;
    std::vector<Range> direct;
    std::vector<Buffer> direct_answers;
    bool direct_done = false;
  };

  bool passes_by(Range range) const { return range.size > cache_.bytes_max() / kPassByDivisor; }

  void add_blocks(Range range, Blocks& blocks) const {
    if (range.size == 0) {
      return;
    }
    const uint64_t last = (range.offset + range.size - 1) / options_.block_size_bytes;
    for (uint64_t block = range.offset / options_.block_size_bytes; block <= last; ++block) {
      blocks.emplace(block, std::nullopt);
    }
  }

  Range range_of(Run run) const {
    const uint64_t begin = run.first * options_.block_size_bytes;
    const uint64_t end = std::min((run.last + 1) * options_.block_size_bytes, size());
    return {begin, end - begin};
  }

  // Ascending blocks as runs; gaps that are short enough are read too.
  std::vector<Run> runs_of(const std::vector<uint64_t>& blocks) const {
    const uint64_t gap_blocks = options_.gap_bytes_max / options_.block_size_bytes;
    std::vector<Run> runs;
    for (const uint64_t block : blocks) {
      if (!runs.empty() && block - runs.back().last - 1 <= gap_blocks) {
        runs.back().last = block;
      } else {
        runs.push_back({block, block});
      }
    }
    return runs;
  }

  // The run hinted at that holds `block`.
  std::optional<Run> expected_run(uint64_t block) const WEFT_REQUIRES(mutex_) {
    auto at = expected_.upper_bound(block);
    if (at == expected_.begin()) {
      return std::nullopt;
    }
    --at;
    return at->second >= block ? std::optional<Run>({at->first, at->second}) : std::nullopt;
  }

  // Fills work.blocks: from the cache, by reading what nobody reads yet, and by waiting for others.
  Status gather(Work& work, const std::stop_token& stop) {
    work.direct_done = work.direct.empty();
    while (true) {
      std::vector<Run> mine;
      bool others = false;
      {
        const base::MutexLock lock(mutex_);
        claim(work.blocks, mine, others);
        if (mine.empty() && others && work.direct_done) {
          loaded_.wait(mutex_);
          continue;
        }
      }
      if (mine.empty() && work.direct_done) {
        return ok_status();
      }
      WEFT_TRY_STATUS(load(mine, work, stop));
    }
  }

  void claim(Blocks& blocks, std::vector<Run>& mine, bool& others) WEFT_REQUIRES(mutex_) {
    std::vector<uint64_t> missing;
    for (auto& [block, bytes] : blocks) {
      if (!bytes) {
        bytes = cache_.find({object_, block});
      }
      if (bytes) {
        continue;
      }
      if (loading_.contains(block)) {
        others = true;  // or this call's own, by a run that was claimed just before
      } else if (const std::optional<Run> run = expected_run(block)) {
        expected_.erase(run->first);
        mine.push_back(*run);
        mark(*run);
      } else {
        missing.push_back(block);
      }
    }
    for (const Run& run : runs_of(missing)) {
      mine.push_back(run);
      mark(run);
    }
  }

  void mark(Run run) WEFT_REQUIRES(mutex_) {
    for (uint64_t block = run.first; block <= run.last; ++block) {
      loading_.insert(block);
    }
  }

  Status load(const std::vector<Run>& runs, Work& work, const std::stop_token& stop) {
    std::vector<Range> ranges;
    ranges.reserve(runs.size() + work.direct.size());
    for (const Run& run : runs) {
      ranges.push_back(range_of(run));
    }
    const bool with_direct = !work.direct_done;
    if (with_direct) {
      ranges.insert(ranges.end(), work.direct.begin(), work.direct.end());
    }
    Result<std::vector<Buffer>> read = inner_->read_many(ranges, stop);
    const base::MutexLock lock(mutex_);
    for (size_t i = 0; i < runs.size(); ++i) {
      for (uint64_t block = runs[i].first; block <= runs[i].last; ++block) {
        loading_.erase(loading_.find(block));
        if (read.ok()) {
          keep(block, ranges[i], read.value()[i], work.blocks);
        }
      }
    }
    loaded_.notify_all();
    if (!read.ok()) {
      return std::move(read).error();
    }
    if (with_direct) {
      work.direct_answers.assign(
          std::make_move_iterator(read.value().begin() + static_cast<ptrdiff_t>(runs.size())),
          std::make_move_iterator(read.value().end()));
      work.direct_done = true;
    }
    return ok_status();
  }

  void keep(uint64_t block, Range run, const Buffer& answer, Blocks& blocks) {
    const Range range = range_of({block, block});
    Buffer bytes = cache_.insert({object_, block},
                                 answer.view().subspan(range.offset - run.offset, range.size));
    if (const auto at = blocks.find(block); at != blocks.end()) {
      at->second = std::move(bytes);
    }
  }

  Buffer assemble(Range range, const Blocks& blocks) const {
    if (range.size == 0) {
      return {};
    }
    const uint64_t block_size = options_.block_size_bytes;
    const uint64_t first = range.offset / block_size;
    if ((range.offset + range.size - 1) / block_size == first) {
      return blocks.at(first)->slice(range.offset - first * block_size, range.size);
    }
    Bytes bytes;
    bytes.reserve(range.size);
    while (bytes.size() < range.size) {
      const uint64_t at = range.offset + bytes.size();
      const ByteView block = blocks.at(at / block_size)->view().subspan(at % block_size);
      const ByteView part =
          block.first(std::min<uint64_t>(block.size(), range.size - bytes.size()));
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
    return Buffer::from(std::move(bytes));
  }

  const std::unique_ptr<ObjectReader> inner_;
  BlockCache& cache_;
  const CachedReaderOptions options_;
  const uint64_t object_;
  base::Mutex mutex_;
  base::Condition loaded_;
  // With multiplicity: a gap block may be read by two at a time.
  std::multiset<uint64_t> loading_ WEFT_GUARDED_BY(mutex_);
  std::map<uint64_t, uint64_t> expected_ WEFT_GUARDED_BY(mutex_);  // first -> last, disjoint
};

}  // namespace

std::unique_ptr<ObjectReader> cached_reader(std::unique_ptr<ObjectReader> inner, BlockCache& cache,
                                            CachedReaderOptions options, ByteView head) {
  WEFT_CHECK(options.block_size_bytes > 0);
  return std::make_unique<CachedReader>(std::move(inner), cache, options, head);
}

}  // namespace weft::storage

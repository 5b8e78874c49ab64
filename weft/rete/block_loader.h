// From places in a file to decoded blocks: cache, then all missing ones in one read, checked,
// decoded side by side, and put into the cache.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/rete/block_cache.h"
#include "weft/rete/checked_file.h"
#include "weft/rete/format.h"

namespace weft::rete {

enum class BlockType : uint8_t {
  kDictLeaf,
  kTileLeaf,
  kGraphBlock,
  kChunk,
  kTile,
  kTextLeaf,
  kLabelNode,
  kContainer,
};

// What is loaded. Within one (type, owner) a place in the file has one meaning, so that what the
// cache gives back is what was asked for.
struct BlockSource {
  BlockType type = BlockType::kChunk;
  uint8_t owner = 0;  // dictionary section, permutation, …
  std::string_view section;
  uint32_t kind() const { return uint32_t{static_cast<uint8_t>(type)} << 8U | owner; }
};

struct BlockRequest {
  BlockSource source;
  storage::Range stored;  // absolute
};

// The raw bytes of a stored block. Errors: kCorrupt with fact "reason" (also if it is longer than
// `raw_max_bytes`).
Result<std::string> decompress(Codec codec, ByteView stored, uint64_t raw_max_bytes);

// Thread-safe. The file, the cache and the executor must outlive it.
class BlockLoader {
 public:
  // `index` counts the requests; `stored` are checked bytes.
  using Decode =
      std::function<Result<std::shared_ptr<const CachedBlock>>(size_t index, ByteView stored)>;
  using Blocks = std::vector<std::shared_ptr<const CachedBlock>>;

  BlockLoader(CheckedFile& file, BlockCache& cache, base::Executor& executor)
      : file_(file), cache_(cache), executor_(executor), segment_(cache.new_segment()) {}

  CheckedFile& file() { return file_; }
  BlockCache& cache() { return cache_; }
  base::Executor& executor() { return executor_; }
  // Blocks decoded so far, not counting what the cache had.
  uint64_t decoded_count() const { return decoded_count_.load(std::memory_order_relaxed); }

  // What the cache has of `request`; nullptr if it is not there.
  std::shared_ptr<const CachedBlock> find(const BlockRequest& request) {
    return cache_.find(key_of(request));
  }
  // One block per request, in one round. `keep` puts them into the cache. Errors of `decode` get
  // the place added.
  Result<Blocks> load(std::span<const BlockRequest> requests, const Decode& decode, bool keep,
                      const std::stop_token& stop);

 private:
  BlockKey key_of(const BlockRequest& request) const {
    return {segment_, request.stored.offset, request.source.kind()};
  }

  CheckedFile& file_;
  BlockCache& cache_;
  base::Executor& executor_;
  uint64_t segment_;
  std::atomic<uint64_t> decoded_count_ = 0;
};

}  // namespace weft::rete

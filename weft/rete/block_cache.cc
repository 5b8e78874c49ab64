#include "weft/rete/block_cache.h"

#include <atomic>
#include <list>
#include <unordered_map>
#include <utility>

#include "weft/base/mutex.h"

namespace weft::rete {
namespace {

constexpr size_t kShards = 8;
// Below this, one shard takes the whole budget: a budget cut in eight could hold no tile at all.
constexpr uint64_t kShardBytesMin = uint64_t{1} << 20U;

struct KeyHash {
  size_t operator()(const BlockKey& key) const {
    uint64_t mixed = (key.segment * 0x9E3779B97F4A7C15U) ^ key.offset ^ (uint64_t{key.kind} << 48U);
    mixed ^= mixed >> 32U;
    mixed *= 0xD6E8FEB86659FD93U;
    mixed ^= mixed >> 32U;
    return static_cast<size_t>(mixed);
  }
};

}  // namespace

struct BlockCache::Shard {
  struct Entry {
    BlockKey key;
    std::shared_ptr<const CachedBlock> block;
    size_t bytes = 0;
    bool used = false;
  };
  using Ring = std::list<Entry>;

  base::Mutex mutex;
  Ring ring WEFT_GUARDED_BY(mutex);
  Ring::iterator hand WEFT_GUARDED_BY(mutex) = ring.end();
  std::unordered_map<BlockKey, Ring::iterator, KeyHash> index WEFT_GUARDED_BY(mutex);
  uint64_t held_bytes WEFT_GUARDED_BY(mutex) = 0;
  uint64_t hits WEFT_GUARDED_BY(mutex) = 0;
  uint64_t misses WEFT_GUARDED_BY(mutex) = 0;

  // CLOCK: a block that was used since the hand last passed gets another round.
  void evict_to(uint64_t budget_bytes) WEFT_REQUIRES(mutex) {
    while (held_bytes > budget_bytes && !ring.empty()) {
      if (hand == ring.end()) {
        hand = ring.begin();
      }
      if (std::exchange(hand->used, false)) {
        ++hand;
        continue;
      }
      held_bytes -= hand->bytes;
      index.erase(hand->key);
      hand = ring.erase(hand);
    }
  }
};

struct BlockCache::State {
  uint64_t budget_bytes = 0;
  size_t shard_count = 1;
  std::atomic<uint64_t> next_segment = 1;
  Shard shards[kShards];

  Shard& shard_of(const BlockKey& key) { return shards[(KeyHash{}(key) >> 16U) % shard_count]; }
  uint64_t shard_budget_bytes() const { return budget_bytes / shard_count; }
};

BlockCache::BlockCache(uint64_t budget_bytes) : state_(std::make_unique<State>()) {
  state_->budget_bytes = budget_bytes;
  state_->shard_count = budget_bytes / kShards >= kShardBytesMin ? kShards : 1;
}
BlockCache::~BlockCache() = default;

uint64_t BlockCache::new_segment() {
  return state_->next_segment.fetch_add(1, std::memory_order_relaxed);
}

std::shared_ptr<const CachedBlock> BlockCache::find(const BlockKey& key) {
  Shard& shard = state_->shard_of(key);
  const base::MutexLock lock(shard.mutex);
  const auto found = shard.index.find(key);
  if (found == shard.index.end()) {
    ++shard.misses;
    return nullptr;
  }
  ++shard.hits;
  found->second->used = true;
  return found->second->block;
}

std::shared_ptr<const CachedBlock> BlockCache::insert(const BlockKey& key,
                                                      std::shared_ptr<const CachedBlock> block) {
  const size_t bytes = block->memory_bytes();
  Shard& shard = state_->shard_of(key);
  if (bytes > state_->shard_budget_bytes()) {
    return block;
  }
  const base::MutexLock lock(shard.mutex);
  const auto found = shard.index.find(key);
  if (found != shard.index.end()) {
    return found->second->block;
  }
  // New entries lie just behind the hand: the last place it comes to.
  const auto place = shard.ring.insert(shard.hand, {key, block, bytes, false});
  shard.index.emplace(key, place);
  shard.held_bytes += bytes;
  shard.evict_to(state_->shard_budget_bytes());
  return block;
}

uint64_t BlockCache::budget_bytes() const {
  return state_->budget_bytes;
}

BlockCache::Counters BlockCache::counters() const {
  Counters sum;
  for (Shard& shard : state_->shards) {
    const base::MutexLock lock(shard.mutex);
    sum.hits += shard.hits;
    sum.misses += shard.misses;
    sum.held_bytes += shard.held_bytes;
    sum.held_blocks += shard.ring.size();
  }
  return sum;
}

}  // namespace weft::rete

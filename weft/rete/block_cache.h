// Decoded blocks (tiles, dictionary chunks, directory leaves) of many segments under one byte
// budget. Blocks are immutable and shared: one that is in use stays alive though the cache has
// dropped it. Thread-safe; split into shards, each with its own lock and CLOCK hand.
//
// C1  The blocks the cache holds never exceed the budget by more than one block per shard.
#pragma once

#include <cstdint>
#include <memory>

namespace weft::rete {

// What the cache keeps; block_loader.h numbers the kinds.
class CachedBlock {
 public:
  CachedBlock() = default;
  CachedBlock(const CachedBlock&) = delete;
  CachedBlock& operator=(const CachedBlock&) = delete;
  virtual ~CachedBlock() = default;
  // Memory it holds, itself included.
  virtual size_t memory_bytes() const = 0;
};

struct BlockKey {
  uint64_t segment = 0;  // BlockCache::new_segment()
  uint64_t offset = 0;   // in the file
  uint32_t kind = 0;     // what is decoded from there, and for which directory
  friend bool operator==(const BlockKey&, const BlockKey&) = default;
};

class BlockCache {
 public:
  static constexpr uint64_t kDefaultBudgetBytes = uint64_t{32} << 20U;

  explicit BlockCache(uint64_t budget_bytes = kDefaultBudgetBytes);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  // A number that no other segment of this cache has or had.
  uint64_t new_segment();
  // nullptr if it is not there.
  std::shared_ptr<const CachedBlock> find(const BlockKey& key);
  // Keeps `block`; gives back the one that is there already if somebody was faster. A block beyond
  // a shard's budget is not kept.
  std::shared_ptr<const CachedBlock> insert(const BlockKey& key,
                                            std::shared_ptr<const CachedBlock> block);

  uint64_t budget_bytes() const;
  struct Counters {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t held_bytes = 0;
    uint64_t held_blocks = 0;
  };
  Counters counters() const;

 private:
  struct Shard;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::rete

// Blocks of objects, kept in memory under a budget, the least recently used leaves first.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

// Shared by readers. Thread-safe.
class BlockCache {
 public:
  explicit BlockCache(uint64_t bytes_max) : bytes_max_(bytes_max) {}

  struct Key {
    uint64_t object = 0;  // new_object()
    uint64_t block = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };

  // A number for one opened object; numbers are never used twice.
  uint64_t new_object();
  std::optional<Buffer> find(Key key);
  bool contains(Key key) const;
  // Copies, so that a block of a long answer does not keep the answer alive.
  Buffer insert(Key key, ByteView bytes);

  // Blocks [0, count) of an object.
  void erase(uint64_t object, uint64_t count);

  uint64_t bytes_max() const { return bytes_max_; }
  uint64_t used_bytes() const;

 private:
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return static_cast<size_t>((key.object * 0x9E3779B97F4A7C15U) ^
                                 (key.block * 0xD6E8FEB86659FD93U));
    }
  };
  struct Block {
    Key key;
    Buffer bytes;
  };

  const uint64_t bytes_max_;
  mutable base::Mutex mutex_;
  std::list<Block> blocks_ WEFT_GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<Key, std::list<Block>::iterator, KeyHash> index_ WEFT_GUARDED_BY(mutex_);
  uint64_t used_bytes_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t objects_ WEFT_GUARDED_BY(mutex_) = 0;
};

struct CachedReaderOptions {
  uint64_t block_size_bytes = 64 << 10;
  // Missing blocks with at most so much between them are read as one range.
  uint64_t gap_bytes_max = 64 << 10;
};

// Reads `inner` by whole blocks through `cache` (which must outlive the reader). What is missing
// for one read_many is one read_many of `inner`; two threads never read the same block at the same
// time. A range longer than a quarter of the cache passes by it. `head` is what is known of the
// beginning of the object: its whole blocks are cached at once.
std::unique_ptr<ObjectReader> cached_reader(std::unique_ptr<ObjectReader> inner, BlockCache& cache,
                                            CachedReaderOptions options = {}, ByteView head = {});

}  // namespace weft::storage

#include "weft/storage/block_cache.h"

namespace weft::storage {

uint64_t BlockCache::new_object() {
  const base::MutexLock lock(mutex_);
  return ++objects_;
}

std::optional<Buffer> BlockCache::find(Key key) {
  const base::MutexLock lock(mutex_);
  const auto at = index_.find(key);
  if (at == index_.end()) {
    return std::nullopt;
  }
  blocks_.splice(blocks_.begin(), blocks_, at->second);
  return at->second->bytes;
}

bool BlockCache::contains(Key key) const {
  const base::MutexLock lock(mutex_);
  return index_.contains(key);
}

Buffer BlockCache::insert(Key key, ByteView bytes) {
  Buffer copy = Buffer::copy_of(bytes);
  const base::MutexLock lock(mutex_);
  if (copy.size() > bytes_max_ || index_.contains(key)) {
    return copy;
  }
  blocks_.push_front({key, copy});
  index_.emplace(key, blocks_.begin());
  used_bytes_ += copy.size();
  while (used_bytes_ > bytes_max_) {
    used_bytes_ -= blocks_.back().bytes.size();
    index_.erase(blocks_.back().key);
    blocks_.pop_back();
  }
  return copy;
}

void BlockCache::erase(uint64_t object, uint64_t count) {
  const base::MutexLock lock(mutex_);
  for (uint64_t block = 0; block < count; ++block) {
    const auto at = index_.find({object, block});
    if (at != index_.end()) {
      used_bytes_ -= at->second->bytes.size();
      blocks_.erase(at->second);
      index_.erase(at);
    }
  }
}

uint64_t BlockCache::used_bytes() const {
  const base::MutexLock lock(mutex_);
  return used_bytes_;
}

}  // namespace weft::storage

// Collects quads on their way to a sink, with the memory of the tokens that had to be made.
#pragma once

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "weft/rdf/quad.h"

namespace weft::rdfio {

// Memory that is given back as a whole. Views of it are valid until clear().
class TextArena {
 public:
  char* allocate(size_t size_bytes) {
    if (size_bytes > rest_bytes_) {
      grow(size_bytes);
    }
    char* const memory = next_;
    next_ += size_bytes;
    rest_bytes_ -= size_bytes;
    return memory;
  }
  std::string_view keep(std::string_view text) {
    char* const memory = allocate(text.size());
    if (!text.empty()) {
      std::memcpy(memory, text.data(), text.size());
    }
    return {memory, text.size()};
  }
  void clear() {
    // The last block is the largest of the usual ones: it is enough for as much again, mostly.
    if (blocks_.size() > 1) {
      blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    }
    if (!blocks_.empty() && last_bytes_ > kBlockBytesMax) {
      blocks_.clear();
    }
    used_bytes_ = blocks_.empty() ? 0 : last_bytes_;
    next_ = blocks_.empty() ? nullptr : blocks_.back().get();
    rest_bytes_ = used_bytes_;
  }
  // Of all blocks taken.
  size_t used_bytes() const { return used_bytes_; }

 private:
  static constexpr size_t kBlockBytesMin = size_t{8} * 1024;
  static constexpr size_t kBlockBytesMax = size_t{256} * 1024;

  void grow(size_t size_bytes) {
    size_t block_bytes = used_bytes_ < kBlockBytesMin ? kBlockBytesMin : used_bytes_;
    block_bytes = block_bytes > kBlockBytesMax ? kBlockBytesMax : block_bytes;
    block_bytes = size_bytes > block_bytes ? size_bytes : block_bytes;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_bytes));
    last_bytes_ = block_bytes;
    used_bytes_ += block_bytes;
    next_ = blocks_.back().get();
    rest_bytes_ = block_bytes;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t last_bytes_ = 0;
  size_t used_bytes_ = 0;
  char* next_ = nullptr;
  size_t rest_bytes_ = 0;
};

inline constexpr size_t kBatchQuads = 1024;

}  // namespace weft::rdfio

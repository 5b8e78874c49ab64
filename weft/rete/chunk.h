// A chunk: a few thousand consecutive terms of one dictionary section, front-coded in runs. Kept as
// in the file; the places of the runs are noted when it is made, and checked is
//
// C1  Terms are strictly ascending, the first not below the chunk's routing key, the last below the
//     next one's; every run begins with a whole term; there are as many as the directory says.
//
// Immutable, thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/block_cache.h"

namespace weft::rete {

// What the directory says of a chunk.
struct ChunkPlace {
  uint64_t first_term = 0;  // index within the section
  uint64_t term_count = 0;
  uint64_t run_terms = 0;  // terms per run
  std::string_view key;    // routing key
  // Of the next chunk; nullopt at the end of the section.
  std::optional<std::string_view> next_key;
};

class Chunk final : public CachedBlock {
 public:
  static constexpr uint64_t kRawBytesMax = uint64_t{1} << 31U;

  // Errors: kCorrupt with fact "reason"; no place yet.
  static Result<std::shared_ptr<const Chunk>> from_raw(std::string&& raw, const ChunkPlace& place);

  size_t memory_bytes() const override;
  uint64_t first_term() const { return first_term_; }
  uint64_t term_count() const { return term_count_; }

  // Index within the section.
  std::optional<uint64_t> find(std::string_view token) const;

 private:
  friend class ChunkCursor;
  // The first term of a run, whole.
  std::string_view run_head(size_t run) const;

  std::string raw_;
  std::vector<uint32_t> run_offsets_;
  uint64_t first_term_ = 0;
  uint64_t term_count_ = 0;
  uint64_t run_terms_ = 0;
};

// Reads terms of one chunk; cheapest in ascending order. Not thread-safe. The chunk must outlive
// it.
class ChunkCursor {
 public:
  explicit ChunkCursor(const Chunk& chunk) : chunk_(&chunk) {}
  // `index` within the section, and within the chunk. The view is valid until the next call.
  std::string_view term(uint64_t index) &;

 private:
  void decode_next();

  const Chunk* chunk_;
  std::string term_;
  size_t offset_ = 0;
  uint64_t next_ = 0;  // index of the term at offset_, relative to the chunk
  bool started_ = false;
};

}  // namespace weft::rete

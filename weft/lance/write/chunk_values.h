// How the values of a mini-block page are cut into chunks and written into them: one class per
// encoding. Immutable once made; they look at the PageRows (or the indices) they were made from,
// which must outlive them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/lance/layout/encoding.h"
#include "weft/lance/write/page_rows.h"

namespace weft::lance::write {

// Bounds of the format: items of a chunk, and what it takes in all (2.1).
inline constexpr size_t kChunkItemsMax = 4096;
inline constexpr size_t kChunkBytesMax = 32768;
// What the values of one chunk take at most, if two of them fit into it.
inline constexpr size_t kChunkValueBytes = 8184;
inline constexpr size_t kTextChunkBytes = 4096;

// Takes the value buffers of one chunk after another, right where they stay.
class ChunkOutput {
 public:
  // `out` must outlive it. Each buffer begins at a multiple of `alignment`.
  ChunkOutput(std::string& out, size_t alignment, char filler)
      : out_(out), alignment_(alignment), filler_(filler) {}

  // Where the next buffer is appended to. Whatever was appended since the call before was the last
  // one.
  std::string& next_buffer();
  // Ends the last buffer.
  void end_buffers();
  // Of the buffers since the last call of clear_sizes, without padding.
  std::span<const size_t> sizes() const { return sizes_; }
  void clear_sizes() { sizes_.clear(); }

 private:
  std::string& out_;
  size_t alignment_;
  char filler_;
  std::optional<size_t> begin_;
  std::vector<size_t> sizes_;
};

class ChunkValues {
 public:
  virtual ~ChunkValues() = default;
  virtual layout::Encoding encoding() const = 0;
  // Value buffers in each chunk.
  virtual size_t buffer_count() const { return 1; }
  // How many items the chunk that begins at item `first` shall have: a power of two from 2 to
  // kChunkItemsMax, or all that are left if that is not more.
  virtual size_t chunk_items(uint64_t first) const = 0;
  // Appends items [first, first + count) to as many buffers of `out` as buffer_count() says.
  virtual void append(uint64_t first, size_t count, ChunkOutput& out) const = 0;
  // About how many bytes all of it takes in the file, chunk headers included.
  virtual uint64_t estimated_bytes() const = 0;
};
using ChunkValuesPtr = std::unique_ptr<ChunkValues>;

// Values of `value_bits`, or fixed-size lists of them, as they are. `shape` says which.
ChunkValuesPtr flat_values(const PageRows& rows, const ValueShape& shape);
// The smallest of flat, bit packed and run lengths, for values of 8, 16, 32 or 64 bits.
ChunkValuesPtr integer_values(std::span<const uint8_t> values, uint32_t bits);
// Texts as they are: `ends` has one more than there are texts. `encoding` is what the layout says
// of them: variable, or FSST around it if `bytes` are codes.
ChunkValuesPtr text_values(std::span<const uint64_t> ends, std::span<const uint8_t> bytes,
                           layout::Encoding encoding, bool large);

}  // namespace weft::lance::write

// The parts of a mini-block page that say where its chunks and their parts lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/layout/encoding.h"
#include "weft/lance/read/leaf_values.h"

namespace weft::lance::read {

// Where the chunks of a page lie, and its dictionary: what finding rows needs.
struct ChunkTable {
  std::vector<uint64_t> byte_ends;  // of chunk i in the chunk buffer
  std::vector<uint64_t> item_ends;
  // With repetition: rows that have ended by the end of chunk i, and whether the row that then
  // goes on has events in it.
  std::vector<uint64_t> row_ends;
  std::vector<bool> goes_on;
  std::optional<LeafValues> dictionary;

  size_t chunk_count() const { return byte_ends.size(); }
  static uint64_t before(const std::vector<uint64_t>& ends, size_t index) {
    return index == 0 ? 0 : ends[index - 1];
  }
};

// Fills byte_ends and item_ends. Errors: kCorrupt.
Status read_chunk_words(const layout::MiniBlockLayout& layout, ByteView words, uint64_t chunk_bytes,
                        ChunkTable& table);
// Fills row_ends and goes_on. Errors: kCorrupt.
Status read_row_index(const layout::MiniBlockLayout& layout, ByteView index, uint64_t row_count,
                      ChunkTable& table);

// The chunk in which row `row` begins, and that in which it ends. Without repetition rows are
// items.
size_t first_chunk_of(const ChunkTable& table, bool repeated, uint64_t row);
size_t last_chunk_of(const ChunkTable& table, bool repeated, uint64_t row);

// One chunk, taken apart. Views into it.
struct ChunkParts {
  uint64_t level_count = 0;
  ByteView repetition;
  ByteView definition;
  std::vector<ByteView> values;
};
// Errors: kCorrupt.
Result<ChunkParts> take_apart(const layout::MiniBlockLayout& layout, ByteView chunk);

}  // namespace weft::lance::read

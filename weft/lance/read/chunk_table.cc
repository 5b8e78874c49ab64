#include "weft/lance/read/chunk_table.h"

#include <algorithm>
#include <cstring>

#include "weft/lance/read/block_decoder.h"
#include "weft/lance/read/value_decoder.h"

namespace weft::lance::read {
namespace {

template <typename T>
T load(ByteView bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace

Status read_chunk_words(const layout::MiniBlockLayout& layout, ByteView words, uint64_t chunk_bytes,
                        ChunkTable& table) {
  const size_t width = layout.large_chunks ? sizeof(uint32_t) : sizeof(uint16_t);
  const size_t count = words.size() / width;
  if (words.size() % width != 0 || (count == 0 && layout.item_count != 0)) {
    return page_damaged("a page has whole chunk words");
  }
  table.byte_ends.reserve(count);
  table.item_ends.reserve(count);
  uint64_t bytes = 0;
  uint64_t items = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t word =
        layout.large_chunks ? load<uint32_t>(words, i * width) : load<uint16_t>(words, i * width);
    bytes += (uint64_t{word >> 4U} + 1) * 8;
    const uint64_t left = layout.item_count - items;
    const uint64_t here = i + 1 == count ? left : uint64_t{1} << (word & 15U);
    if (here > left || here > kChunkItemsMax || bytes > chunk_bytes) {
      return page_damaged("chunk words fit the page");
    }
    items += here;
    table.byte_ends.push_back(bytes);
    table.item_ends.push_back(items);
  }
  return ok_status();
}

Status read_row_index(const layout::MiniBlockLayout& layout, ByteView index, uint64_t row_count,
                      ChunkTable& table) {
  const size_t count = table.chunk_count();
  const uint64_t numbers = layout.repetition_index_depth + 1;
  if (numbers < 2 || numbers > layout::kLayersMax ||
      index.size() != count * numbers * sizeof(uint64_t)) {
    return page_damaged("a row index has an entry for every chunk");
  }
  uint64_t rows = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t ended = load<uint64_t>(index, i * numbers * sizeof(uint64_t));
    const uint64_t going_on = load<uint64_t>(index, (i * numbers + 1) * sizeof(uint64_t));
    if (ended > row_count - rows) {
      return page_damaged("a row index counts the rows of the page");
    }
    rows += ended;
    table.row_ends.push_back(rows);
    table.goes_on.push_back(going_on != 0);
  }
  if (rows != row_count) {
    return page_damaged("a row index counts the rows of the page");
  }
  return ok_status();
}

size_t last_chunk_of(const ChunkTable& table, bool repeated, uint64_t row) {
  const std::vector<uint64_t>& ends = repeated ? table.row_ends : table.item_ends;
  return static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
}
size_t first_chunk_of(const ChunkTable& table, bool repeated, uint64_t row) {
  size_t chunk = last_chunk_of(table, repeated, row);
  if (repeated) {
    while (chunk > 0 && table.goes_on[chunk - 1] &&
           ChunkTable::before(table.row_ends, chunk) == row) {
      --chunk;
    }
  }
  return chunk;
}

Result<ChunkParts> take_apart(const layout::MiniBlockLayout& layout, ByteView chunk) {
  const size_t value_width = layout.large_chunks ? sizeof(uint32_t) : sizeof(uint16_t);
  const size_t head =
      sizeof(uint16_t) * (1 + (layout.repetition ? 1U : 0U) + (layout.definition ? 1U : 0U)) +
      value_width * layout.buffers_per_chunk;
  if (chunk.size() < head) {
    return page_damaged("a chunk has its head");
  }
  ChunkParts parts;
  parts.level_count = load<uint16_t>(chunk, 0);
  size_t at = sizeof(uint16_t);
  uint64_t repetition_size = 0;
  uint64_t definition_size = 0;
  if (layout.repetition) {
    repetition_size = load<uint16_t>(chunk, at);
    at += sizeof(uint16_t);
  }
  if (layout.definition) {
    definition_size = load<uint16_t>(chunk, at);
    at += sizeof(uint16_t);
  }
  std::vector<uint64_t> sizes;
  for (uint64_t i = 0; i < layout.buffers_per_chunk; ++i) {
    sizes.push_back(layout.large_chunks ? load<uint32_t>(chunk, at) : load<uint16_t>(chunk, at));
    at += value_width;
  }
  bool ok = true;
  const auto take = [&](uint64_t size) {
    const size_t begin = (at + 7) / 8 * 8;
    if (begin > chunk.size() || size > chunk.size() - begin) {
      ok = false;
      return ByteView();
    }
    at = begin + size;
    return chunk.subspan(begin, size);
  };
  if (layout.repetition) {
    parts.repetition = take(repetition_size);
  }
  if (layout.definition) {
    parts.definition = take(definition_size);
  }
  for (const uint64_t size : sizes) {
    parts.values.push_back(take(size));
  }
  if (!ok) {
    return page_damaged("the parts of a chunk lie inside it");
  }
  return parts;
}

}  // namespace weft::lance::read

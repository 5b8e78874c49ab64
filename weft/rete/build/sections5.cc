#include "weft/rete/build/sections5.h"

#include <algorithm>
#include <span>
#include <vector>

#include "weft/codec/varint.h"
#include "weft/rete/build/label_blocks.h"
#include "weft/rete/build/text_directory.h"

namespace weft::rete::build {
namespace {

using codec::append_varint;

// What stands in front of the tiles of one order, and behind them.
std::string tile_directory(std::span<const TileSummary> tiles) {
  std::string out;
  append_varint(out, tiles.size());
  uint32_t previous = 0;
  for (const TileSummary& tile : tiles) {
    append_varint(out, tile.first_a - previous);
    append_varint(out, tile.last_a - tile.first_a);
    append_varint(out, tile.stored_bytes);
    previous = tile.first_a;
  }
  return out;
}

std::string tile_synopsis(std::span<const TileSummary> tiles) {
  std::string out;
  for (const TileSummary& tile : tiles) {
    append_varint(out, tile.b_min);
    append_varint(out, tile.b_max - tile.b_min);
    append_varint(out, tile.c_min);
    append_varint(out, tile.c_max - tile.c_min);
  }
  return out;
}

uint64_t stored_bytes(std::span<const TileSummary> tiles) {
  uint64_t sum = 0;
  for (const TileSummary& tile : tiles) {
    sum += tile.stored_bytes;
  }
  return sum;
}

// Shared bytes of two tokens, not cutting a character.
size_t shared_characters(std::string_view a, std::string_view b) {
  size_t shared = 0;
  while (shared < std::min(a.size(), b.size()) && a[shared] == b[shared]) {
    ++shared;
  }
  while (shared > 0 && shared < b.size() && (static_cast<uint8_t>(b[shared]) & 0xC0U) == 0x80) {
    --shared;
  }
  return shared;
}

// The tiles of one graph in one order.
struct GraphSlice {
  std::span<const TileSummary> tiles;
  uint64_t offset = 0;
};

// Walks the tiles of one order graph by graph.
class GraphWalk {
 public:
  explicit GraphWalk(const TileOrder& order) : tiles_(order.tiles) {}
  GraphSlice next(uint32_t graph) {
    size_t count = 0;
    while (count < tiles_.size() && tiles_[count].first_g == graph) {
      ++count;
    }
    const GraphSlice slice{tiles_.first(count), offset_};
    offset_ += stored_bytes(slice.tiles);
    tiles_ = tiles_.subspan(count);
    return slice;
  }

 private:
  std::span<const TileSummary> tiles_;
  uint64_t offset_ = 0;
};

}  // namespace

void Sections5::add_dictionary_section(SectionSource& section, const DictionarySection& from) {
  std::string counts;
  append_varint(counts, from.term_count);
  append_varint(counts, restart_interval_);
  append_varint(counts, from.run_count);
  std::string chunks;
  append_varint(chunks, from.chunks.size());
  uint64_t previous_run = 0;
  for (const ChunkEntry& chunk : from.chunks) {
    append_varint(chunks, chunk.first_run - previous_run);
    codec::append_length_prefixed(chunks, chunk.key);
    append_varint(chunks, chunk.stored_bytes);
    previous_run = chunk.first_run;
  }
  const uint64_t header_bytes = counts.size() + from.restarts.size();
  std::string head;
  append_varint(head,
                codec::varint_size(header_bytes) + header_bytes + chunks.size() + from.data.size());
  append_varint(head, header_bytes);
  section.add(keep(head + counts));
  section.add(from.restarts);
  section.add(keep(std::move(chunks)));
  section.add(from.data);
}

SectionSource Sections5::dictionary() {
  SectionSource section;
  std::string count;
  append_varint(count, kDictSectionCount);
  section.add(keep(std::move(count)));
  for (const DictionarySection& from : parts_->dictionary.sections) {
    add_dictionary_section(section, from);
  }
  return section;
}

SectionSource Sections5::index() {
  SectionSource section;
  std::string count;
  append_varint(count, parts_->triples.size());
  section.add(keep(std::move(count)));
  for (const TileOrder& order : parts_->triples) {
    const std::string directory = tile_directory(order.tiles);
    std::string synopsis = tile_synopsis(order.tiles);
    std::string head;
    append_varint(head, directory.size() + order.data.size() + synopsis.size());
    section.add(keep(head + directory));
    section.add(order.data);
    section.add(keep(std::move(synopsis)));
  }
  return section;
}

Result<SectionSource> Sections5::named_graphs() {
  SectionSource section;
  if (parts_->graphs.empty()) {
    return section;
  }
  std::string head;
  append_varint(head, parts_->graphs.size());
  WEFT_TRY_STATUS(graphs_.append(as_bytes(head)));
  std::vector<GraphWalk> walks(parts_->quads.begin(), parts_->quads.end());
  const auto copy = [this](ByteView piece) { return graphs_.append(piece); };
  for (const GraphCount& graph : parts_->graphs) {
    std::vector<GraphSlice> slices;
    std::vector<std::string> heads;
    std::string count;
    append_varint(count, walks.size());
    uint64_t container_bytes = count.size();
    for (GraphWalk& walk : walks) {
      slices.push_back(walk.next(graph.graph));
      const std::span<const TileSummary> tiles = slices.back().tiles;
      const std::string directory = tile_directory(tiles);
      const uint64_t payload = directory.size() + stored_bytes(tiles) + tile_synopsis(tiles).size();
      std::string& order_head = heads.emplace_back();
      append_varint(order_head, payload);
      container_bytes += order_head.size() + payload;
      order_head += directory;
    }
    head.clear();
    codec::append_length_prefixed(head, parts_->dictionary.graph_names[graph.graph - 1]);
    append_varint(head, container_bytes);
    WEFT_TRY_STATUS(graphs_.append(as_bytes(head + count)));
    for (size_t i = 0; i < slices.size(); ++i) {
      WEFT_TRY_STATUS(graphs_.append(as_bytes(heads[i])));
      WEFT_TRY_STATUS(
          parts_->quads[i].data.copy(slices[i].offset, stored_bytes(slices[i].tiles), copy));
      WEFT_TRY_STATUS(graphs_.append(as_bytes(tile_synopsis(slices[i].tiles))));
    }
  }
  section.add(graphs_);
  return section;
}

Result<SectionSource> Sections5::text() {
  SectionSource section;
  if (!parts_->text) {
    return section;
  }
  std::string table;
  append_varint(table, parts_->text->token_count);
  std::string previous;
  WEFT_TRY_STATUS(for_each_token(*parts_->text, [&](const TokenEntry& entry) {
    const size_t shared = shared_characters(previous, entry.token);
    append_varint(table, shared);
    codec::append_length_prefixed(table, entry.token.substr(shared));
    append_varint(table, entry.posting_offset);
    append_varint(table, entry.posting_bytes);
    previous.assign(entry.token);
    return ok_status();
  }));
  table += parts_->text->scope;
  std::string stored;
  space_->codec.store(as_bytes(table), stored);
  std::string head;
  append_varint(head, stored.size());
  section.add(keep(head + stored));
  section.add(parts_->text->postings);
  return section;
}

SectionSource Sections5::labels() {
  SectionSource section;
  if (parts_->labels) {
    section.add(keep(label_head(*parts_->labels) + parts_->labels->root));
    section.add(parts_->labels->blocks);
    section.add(parts_->labels->nodes);
  }
  return section;
}

}  // namespace weft::rete::build

#include "weft/rete/build/unit_roots6.h"

#include <algorithm>
#include <functional>

#include "weft/codec/varint.h"
#include "weft/rete/build/label_blocks.h"
#include "weft/rete/build/text_directory.h"
#include "weft/rete/format.h"

namespace weft::rete::build {
namespace {

using codec::append_varint;

constexpr size_t kHeadZeros = 16;

uint64_t stored_bytes(std::span<const ChunkEntry> chunks) {
  uint64_t sum = 0;
  for (const ChunkEntry& chunk : chunks) {
    sum += chunk.stored_bytes;
  }
  return sum;
}

void append_leaf(std::string& out, const Leaf& leaf, uint64_t base) {
  append_varint(out, leaf.count);
  append_varint(out, base + leaf.offset);
  append_varint(out, leaf.bytes);
}

}  // namespace

GraphDirectory make_graph_directory(std::span<const GraphCount> graphs, const BlockCodec& codec) {
  GraphDirectory directory;
  append_varint(directory.index, (graphs.size() + kGraphsPerBlock - 1) / kGraphsPerBlock);
  uint32_t previous_first = 0;
  std::string raw;
  std::string stored;
  while (!graphs.empty()) {
    const auto block = graphs.first(std::min(graphs.size(), kGraphsPerBlock));
    graphs = graphs.subspan(block.size());
    raw.clear();
    uint32_t previous = block.front().graph;
    for (const GraphCount& entry : block) {
      append_varint(raw, entry.graph - previous);
      append_varint(raw, entry.quads);
      previous = entry.graph;
    }
    const bool is_raw = codec.store_shorter(as_bytes(raw), stored);
    directory.raw_max = std::max<uint64_t>(directory.raw_max, raw.size());
    append_varint(directory.index, block.front().graph - previous_first);
    append_varint(directory.index, stored.size() << 1U | (is_raw ? 1U : 0U));
    previous_first = block.front().graph;
    directory.blocks += stored;
  }
  return directory;
}

Directories6::Directories6(const SegmentParts& parts, const GraphDirectory& graphs,
                           uint64_t restart_interval, const BlockCodec& codec)
    : parts_(&parts), graphs_(&graphs), restart_interval_(restart_interval) {
  const BlockCodec* coder = &codec;
  for (const DictSection section : kDictStorageOrder6) {
    const std::span<const ChunkEntry> chunks = parts.dictionary.at(section).chunks;
    groups_.emplace_back([chunks, coder](uint64_t target) -> Result<LeafBlocks> {
      return cut_leaves(
          chunks.size(), target,
          [chunks](size_t begin, size_t end, std::string& raw) {
            encode_chunk_entries(chunks.subspan(begin, end - begin), raw);
          },
          *coder);
    });
  }
  const auto add_tiles = [&](const std::vector<TileOrder>& orders, auto encode_entries) {
    for (const TileOrder& order : orders) {
      const std::span<const TileSummary> tiles = order.tiles;
      groups_.emplace_back([tiles, coder, encode_entries](uint64_t target) -> Result<LeafBlocks> {
        return cut_leaves(
            tiles.size(), target,
            [tiles, encode_entries](size_t begin, size_t end, std::string& raw) {
              encode_entries(tiles.subspan(begin, end - begin), raw);
            },
            *coder);
      });
    }
  };
  add_tiles(parts.triples, &encode_tile_entries);
  add_tiles(parts.quads, &encode_quad_tile_entries);
  if (parts.text) {
    const TextParts* text = &*parts.text;
    groups_.emplace_back([this, text, coder](uint64_t target) {
      return cut_token_leaves(*text, target, *coder, leaf_tokens_);
    });
  }
}

std::vector<const LeafBlocks*> Directories6::leaves(size_t first, size_t count) const {
  std::vector<const LeafBlocks*> result;
  for (size_t i = first; i < first + count; ++i) {
    result.push_back(&groups_[i].result);
  }
  return result;
}

std::string Directories6::dictionary_root() const {
  std::array<std::string, kDictSectionCount> roots;
  uint64_t data_offset = 0;
  uint64_t leaf_base = 0;
  for (size_t i = 0; i < kDictSectionCount; ++i) {
    const DictionarySection& section = parts_->dictionary.at(kDictStorageOrder6[i]);
    const LeafBlocks& blocks = groups_[i].result;
    const uint64_t bytes = stored_bytes(section.chunks);
    std::string& out = roots[static_cast<size_t>(kDictStorageOrder6[i])];
    append_varint(out, section.term_count);
    append_varint(out, restart_interval_);
    append_varint(out, section.chunks.size());
    append_varint(out, data_offset);
    append_varint(out, bytes);
    append_varint(out, blocks.leaves.size());
    uint64_t chunk_offset = 0;
    size_t chunk = 0;
    for (const Leaf& leaf : blocks.leaves) {
      for (; chunk < leaf.first; ++chunk) {
        chunk_offset += section.chunks[chunk].stored_bytes;
      }
      append_leaf(out, leaf, leaf_base);
      append_varint(out, section.chunks[leaf.first].first_run);
      append_varint(out, chunk_offset);
      codec::append_length_prefixed(out, section.chunks[leaf.first].key);
    }
    data_offset += bytes;
    leaf_base += blocks.blocks.size();
  }
  return roots[0] + roots[1] + roots[2] + roots[3];
}

std::string Directories6::index_root() const {
  std::string out;
  append_varint(out, parts_->triples.size());
  uint64_t data_offset = 0;
  uint64_t leaf_base = 0;
  for (size_t i = 0; i < parts_->triples.size(); ++i) {
    const TileOrder& order = parts_->triples[i];
    const LeafBlocks& blocks = groups_[4 + i].result;
    append_varint(out, static_cast<uint64_t>(order.permutation));
    append_varint(out, order.tiles.size());
    append_varint(out, data_offset);
    append_varint(out, order.data.size());
    append_varint(out, blocks.leaves.size());
    uint64_t tile_offset = 0;
    size_t tile = 0;
    for (const Leaf& leaf : blocks.leaves) {
      for (; tile < leaf.first; ++tile) {
        tile_offset += order.tiles[tile].stored_bytes;
      }
      append_leaf(out, leaf, leaf_base);
      append_varint(out, order.tiles[leaf.first].first_a);
      append_varint(out, order.tiles[leaf.first + leaf.count - 1].last_a);
      append_varint(out, tile_offset);
    }
    data_offset += order.data.size();
    leaf_base += blocks.blocks.size();
  }
  return out;
}

std::string Directories6::quad_root() const {
  std::string out;
  append_varint(out, parts_->graphs.size());
  append_varint(out, parts_->quad_count);
  append_varint(out, kGraphsPerBlock);
  codec::append_length_prefixed(out, graphs_->index);
  append_varint(out, graphs_->blocks.size());
  append_varint(out, parts_->quads.size());
  uint64_t leaf_base = graphs_->blocks.size();
  for (size_t i = 0; i < parts_->quads.size(); ++i) {
    const TileOrder& order = parts_->quads[i];
    const LeafBlocks& blocks = groups_[4 + parts_->triples.size() + i].result;
    append_varint(out, static_cast<uint64_t>(order.permutation));
    append_varint(out, order.tiles.size());
    append_varint(out, blocks.leaves.size());
    for (const Leaf& leaf : blocks.leaves) {
      const TileSummary& first = order.tiles[leaf.first];
      const TileSummary& last = order.tiles[leaf.first + leaf.count - 1];
      append_leaf(out, leaf, leaf_base);
      append_varint(out, first.first_g);
      append_varint(out, first.first_a);
      append_varint(out, last.last_g);
      append_varint(out, last.last_a);
      append_varint(out, first.offset);
    }
    leaf_base += blocks.blocks.size();
  }
  return out;
}

std::string Directories6::label_root(const LabelParts& labels) {
  // Generation 5 has its digest where the zeros stand.
  const std::string head = std::string(kHeadZeros, '\0') + label_head(labels) + labels.root;
  std::string out;
  append_varint(out, labels.blocks.size());
  codec::append_length_prefixed(out, head);
  return out;
}

std::string Directories6::text_root(const TextParts& text) const {
  const LeafBlocks& blocks = groups_.back().result;
  std::string out;
  codec::append_length_prefixed(out, text.scope);
  append_varint(out, text.token_count);
  append_varint(out, blocks.leaves.size());
  for (size_t i = 0; i < blocks.leaves.size(); ++i) {
    append_leaf(out, blocks.leaves[i], 0);
    codec::append_length_prefixed(out, leaf_tokens_[i]);
  }
  return out;
}

std::vector<UnitRoot> Directories6::units() const {
  std::vector<UnitRoot> units;
  const auto add = [&units](UnitTag6 tag, std::string payload) {
    units.push_back({static_cast<uint8_t>(tag), std::move(payload)});
  };
  add(UnitTag6::kDictionary, dictionary_root());
  add(UnitTag6::kIndex, index_root());
  if (!parts_->graphs.empty()) {
    add(UnitTag6::kQuad, quad_root());
  }
  if (parts_->labels) {
    add(UnitTag6::kLabels, label_root(*parts_->labels));
  }
  if (parts_->text) {
    add(UnitTag6::kText, text_root(*parts_->text));
  }
  return units;
}

}  // namespace weft::rete::build

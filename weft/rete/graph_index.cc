#include "weft/rete/graph_index.h"

#include <algorithm>
#include <utility>

#include "weft/codec/varint.h"

namespace weft::rete {
namespace {

using storage::Range;

Error bad(const char* reason) {
  return Error(ErrorKind::kCorrupt, "damaged graph directory").with("reason", reason);
}

bool within(Range section, uint64_t offset, uint64_t size, Range& place) {
  if (offset > section.size || size > section.size - offset) {
    return false;
  }
  place = {section.offset + offset, size};
  return true;
}

}  // namespace

uint64_t GraphIndex::graphs_in(size_t block) const {
  return std::min(block_graphs, graph_count - block * block_graphs);
}

size_t GraphIndex::block_of(uint32_t graph) const {
  const auto behind = std::partition_point(
      blocks.begin(), blocks.end(), [&](const Block& block) { return block.first_graph <= graph; });
  return behind == blocks.begin() ? blocks.size()
                                  : static_cast<size_t>(behind - blocks.begin()) - 1;
}

Status parse_graph_blocks(std::string_view p0, Range blocks, uint32_t graph_limit,
                          GraphIndex& index) {
  codec::ByteReaderView reader(as_bytes(p0));
  constexpr size_t kBlockBytesMin = 2;
  const uint64_t count = reader.count(kBlockBytesMin);
  if (!reader.ok() || index.block_graphs == 0 || index.graph_count > graph_limit ||
      count != index.graph_count / index.block_graphs +
                   (index.graph_count % index.block_graphs == 0 ? 0 : 1)) {
    return bad("count of graph blocks is impossible");
  }
  uint64_t graph = 0;
  uint64_t offset = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t step = reader.varint();
    const uint64_t packed = reader.varint();
    GraphIndex::Block block;
    block.is_raw = (packed & 1U) != 0;
    if (!reader.ok() || step == 0 || step > graph_limit - graph || packed >> 1U == 0 ||
        !within(blocks, offset, packed >> 1U, block.stored)) {
      return bad("graph block is out of its place");
    }
    graph += step;
    block.first_graph = static_cast<uint32_t>(graph);
    offset += block.stored.size;
    index.blocks.push_back(block);
  }
  return reader.remaining() == 0 && offset == blocks.size
             ? ok_status()
             : Status(bad("graph blocks do not fill their region"));
}

Result<std::shared_ptr<const GraphBlock>> GraphBlock::from_raw(std::string_view raw,
                                                               const GraphIndex& index,
                                                               size_t block, uint32_t graph_limit) {
  const uint64_t count = index.graphs_in(block);
  constexpr size_t kEntryBytesMin = 2;
  if (count > raw.size() / kEntryBytesMin) {
    return bad("block is cut short");
  }
  const bool is_last = block + 1 == index.blocks.size();
  const uint64_t end = is_last ? uint64_t{graph_limit} + 1 : index.blocks[block + 1].first_graph;
  auto result = std::make_shared<GraphBlock>();
  result->entries_.reserve(count);
  codec::ByteReaderView reader(as_bytes(raw));
  uint64_t graph = index.blocks[block].first_graph;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t step = reader.varint();
    const uint64_t quads = reader.varint();
    if (!reader.ok() || (step == 0) != (i == 0) || step >= end - graph || quads == 0 ||
        quads > index.quad_count) {
      return bad("graphs do not ascend, or one has no quads");
    }
    graph += step;
    result->entries_.push_back({static_cast<uint32_t>(graph), quads});
  }
  if (reader.remaining() != 0) {
    return bad("bytes behind the last graph");
  }
  return std::shared_ptr<const GraphBlock>(std::move(result));
}

uint64_t GraphBlock::quads_in(uint32_t graph) const {
  const auto at = std::partition_point(entries_.begin(), entries_.end(),
                                       [&](const Entry& entry) { return entry.graph < graph; });
  return at != entries_.end() && at->graph == graph ? at->quad_count : 0;
}

}  // namespace weft::rete

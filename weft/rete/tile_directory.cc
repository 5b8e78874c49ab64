#include "weft/rete/tile_directory.h"

#include <algorithm>
#include <utility>

#include "weft/codec/varint.h"

namespace weft::rete {
namespace {

using storage::Range;

Error bad(const char* reason) {
  return Error(ErrorKind::kCorrupt, "damaged tile directory").with("reason", reason);
}

uint64_t end_of(Range range) {
  return range.offset + range.size;
}

// Minimum and the distance to the maximum, as directories store ranges. False if it is no range of
// ids up to `limit`.
bool read_range(codec::ByteReaderView& reader, uint32_t limit, uint32_t& low, uint32_t& high) {
  const uint64_t first = reader.varint();
  const uint64_t distance = reader.varint();
  if (!reader.ok() || first == 0 || first > limit || distance > limit - first) {
    return false;
  }
  low = static_cast<uint32_t>(first);
  high = static_cast<uint32_t>(first + distance);
  return true;
}

bool read_id(codec::ByteReaderView& reader, uint32_t limit, uint32_t& id) {
  const uint64_t value = reader.varint();
  id = static_cast<uint32_t>(value);
  return reader.ok() && value > 0 && value <= limit;
}

// The rows of a leaf of the default graph: leading ranges and sizes, then the other ranges.
Status read_plain_rows(codec::ByteReaderView& reader, const TileDirectory& directory,
                       const TileLeafRef& ref, std::vector<TileEntry>& entries) {
  uint64_t a = 0;
  uint64_t offset = ref.tile_offset;
  for (TileEntry& entry : entries) {
    a += reader.varint();
    const uint64_t distance = reader.varint();
    entry.stored.size = reader.varint();
    entry.stored.offset = offset;
    const uint32_t limit = directory.limits.a;
    if (!reader.ok() || a == 0 || a > limit || distance > limit - a ||
        entry.stored.size > end_of(directory.tiles) - offset) {
      return bad("tile is out of its place");
    }
    entry.zone.first_a = static_cast<uint32_t>(a);
    entry.zone.last_a = static_cast<uint32_t>(a + distance);
    offset += entry.stored.size;
  }
  for (TileEntry& entry : entries) {
    entry.zone.has_ranges = true;
    if (!read_range(reader, directory.limits.b, entry.zone.b_min, entry.zone.b_max) ||
        !read_range(reader, directory.limits.c, entry.zone.c_min, entry.zone.c_max)) {
      return bad("range of ids is impossible");
    }
  }
  return ok_status();
}

// `has_where`: explicit positions follow (generation 6).
Status read_quad_rows(codec::ByteReaderView& reader, const TileDirectory& directory,
                      uint64_t tile_offset, bool has_where, std::vector<TileEntry>& entries) {
  uint64_t graph = 0;
  uint64_t next = tile_offset;
  for (TileEntry& entry : entries) {
    TileZone& zone = entry.zone;
    graph += reader.varint();
    const uint32_t limit = directory.limits.graph;
    const bool first_ok = read_id(reader, directory.limits.a, zone.first_a);
    const uint64_t distance = reader.varint();
    if (!first_ok || graph == 0 || graph > limit || distance > limit - graph ||
        !read_id(reader, directory.limits.a, zone.last_a)) {
      return bad("range of graphs is impossible");
    }
    zone.first_graph = static_cast<uint32_t>(graph);
    zone.last_graph = static_cast<uint32_t>(graph + distance);
    const uint64_t packed = reader.varint();
    zone.has_ranges = true;
    if (!read_range(reader, directory.limits.b, zone.b_min, zone.b_max) ||
        !read_range(reader, directory.limits.c, zone.c_min, zone.c_max)) {
      return bad("range of ids is impossible");
    }
    const uint64_t where = has_where ? reader.varint() : 0;
    entry.is_raw = (packed & 1U) != 0;
    entry.stored.size = packed >> 1U;
    if (where != 0 && where - 1 > directory.tiles.size) {
      return bad("tile is out of its place");
    }
    entry.stored.offset = where == 0 ? next : directory.tiles.offset + where - 1;
    if (!reader.ok() || entry.stored.offset > end_of(directory.tiles) ||
        entry.stored.size > end_of(directory.tiles) - entry.stored.offset) {
      return bad("tile is out of its place");
    }
    next = end_of(entry.stored);
  }
  return ok_status();
}

Status check_leaf_refs(const TileDirectory& directory) {
  uint64_t tiles = 0;
  const TileLeafRef* previous = nullptr;
  for (const TileLeafRef& leaf : directory.leaves) {
    if (leaf.tile_count == 0 || leaf.tile_count > directory.tile_count - tiles) {
      return bad("leaves do not cover the tiles");
    }
    tiles += leaf.tile_count;
    if (leaf.first > leaf.last || leaf.tile_offset > end_of(directory.tiles) ||
        leaf.tile_offset < directory.tiles.offset) {
      return bad("leaf is impossible");
    }
    if (previous != nullptr &&
        (leaf.first < previous->last || leaf.stored.offset < end_of(previous->stored) ||
         (!directory.is_quads && leaf.tile_offset <= previous->tile_offset))) {
      return bad("leaves do not ascend");
    }
    previous = &leaf;
  }
  if (tiles != directory.tile_count) {
    return bad("leaves do not cover the tiles");
  }
  if (!directory.is_quads && !directory.leaves.empty() &&
      directory.leaves.front().tile_offset != directory.tiles.offset) {
    return bad("first leaf does not begin the section");
  }
  return ok_status();
}

bool within(Range section, uint64_t offset, uint64_t size, Range& place) {
  if (offset > section.size || size > section.size - offset) {
    return false;
  }
  place = {section.offset + offset, size};
  return true;
}

Status check_permutations(const std::vector<TileDirectory>& directories, uint8_t mask) {
  uint8_t found = 0;
  for (const TileDirectory& directory : directories) {
    found |= static_cast<uint8_t>(1U << static_cast<unsigned>(directory.permutation));
  }
  // More than the mask names are allowed.
  return (found & mask) == mask ? ok_status() : Status(bad("a stored permutation is missing"));
}

// The number of a permutation that must ascend over the directories.
bool read_permutation(codec::ByteReaderView& reader, const std::vector<TileDirectory>& before,
                      rdf::Permutation& permutation) {
  const uint64_t value = reader.varint();
  if (!reader.ok() || value >= rdf::kPermutationCount ||
      (!before.empty() && value <= static_cast<uint64_t>(before.back().permutation))) {
    return false;
  }
  permutation = static_cast<rdf::Permutation>(value);
  return true;
}

Status read_index_leaves(codec::ByteReaderView& reader, Range leaves, TileDirectory& directory) {
  constexpr size_t kLeafRefBytesMin = 6;
  const uint64_t leaf_count = reader.count(kLeafRefBytesMin);
  for (uint64_t i = 0; i < leaf_count; ++i) {
    TileLeafRef leaf;
    leaf.tile_count = reader.varint();
    const uint64_t offset = reader.varint();
    const uint64_t size = reader.varint();
    const bool ids_ok = read_id(reader, directory.limits.a, leaf.first.a) &&
                        read_id(reader, directory.limits.a, leaf.last.a);
    const uint64_t tile_offset = reader.varint();
    if (!ids_ok || !reader.ok() || size == 0 || !within(leaves, offset, size, leaf.stored) ||
        tile_offset > directory.tiles.size) {
      return bad("leaf is out of its place");
    }
    leaf.tile_offset = directory.tiles.offset + tile_offset;
    directory.leaves.push_back(std::move(leaf));
  }
  if (!reader.ok() || (directory.tile_count == 0 && directory.tiles.size != 0)) {
    return bad("directory is cut short");
  }
  return check_leaf_refs(directory);
}

Status read_quad_leaves(codec::ByteReaderView& reader, Range leaves, TileDirectory& directory) {
  constexpr size_t kLeafRefBytesMin = 8;
  directory.tile_count = reader.varint();
  const uint64_t leaf_count = reader.count(kLeafRefBytesMin);
  for (uint64_t i = 0; i < leaf_count; ++i) {
    TileLeafRef leaf;
    leaf.tile_count = reader.varint();
    const uint64_t offset = reader.varint();
    const uint64_t size = reader.varint();
    const bool ids_ok = read_id(reader, directory.limits.graph, leaf.first.graph) &&
                        read_id(reader, directory.limits.a, leaf.first.a) &&
                        read_id(reader, directory.limits.graph, leaf.last.graph) &&
                        read_id(reader, directory.limits.a, leaf.last.a);
    const uint64_t tile_offset = reader.varint();
    if (!ids_ok || !reader.ok() || size == 0 || !within(leaves, offset, size, leaf.stored) ||
        tile_offset > directory.tiles.size) {
      return bad("leaf is out of its place");
    }
    leaf.tile_offset = directory.tiles.offset + tile_offset;
    directory.leaves.push_back(std::move(leaf));
  }
  return reader.ok() ? check_leaf_refs(directory) : Status(bad("directory is cut short"));
}

}  // namespace

Result<std::shared_ptr<const TileLeaf>> TileLeaf::from_raw(std::string_view raw,
                                                           const TileDirectory& directory,
                                                           size_t index) {
  const TileLeafRef& ref = directory.leaves[index];
  constexpr size_t kEntryBytesMin = 7;
  if (ref.tile_count > raw.size() / kEntryBytesMin) {
    return bad("leaf is cut short");
  }
  auto leaf = std::make_shared<TileLeaf>();
  leaf->entries_.resize(ref.tile_count);
  codec::ByteReaderView reader(as_bytes(raw));
  WEFT_TRY_STATUS(directory.is_quads
                      ? read_quad_rows(reader, directory, ref.tile_offset, true, leaf->entries_)
                      : read_plain_rows(reader, directory, ref, leaf->entries_));
  if (reader.remaining() != 0) {
    return bad("bytes behind the last entry of a leaf");
  }
  const TileEntry& first = leaf->entries_.front();
  const TileEntry& last = leaf->entries_.back();
  if (first.first() != ref.first || last.last() != ref.last ||
      first.stored.offset != ref.tile_offset) {
    return bad("leaf differs from its reference");
  }
  if (!directory.is_quads) {
    const uint64_t end = index + 1 == directory.leaves.size()
                             ? end_of(directory.tiles)
                             : directory.leaves[index + 1].tile_offset;
    if (end_of(last.stored) != end) {
      return bad("leaf does not cover its tiles");
    }
  }
  WEFT_TRY_STATUS(leaf->check(directory));
  return std::shared_ptr<const TileLeaf>(std::move(leaf));
}

Status TileLeaf::check(const TileDirectory& directory) const {
  const TileEntry* previous = nullptr;
  for (const TileEntry& entry : entries_) {
    if (entry.stored.size == 0 || entry.first() > entry.last() ||
        entry.last() > GroupKey{directory.limits.graph, directory.limits.a} ||
        entry.zone.last_a > directory.limits.a) {
      return bad("tile is impossible");
    }
    if (previous != nullptr && entry.first() < previous->last()) {
      return bad("tiles do not ascend");
    }
    previous = &entry;
  }
  return ok_status();
}

Status TileLeaf::keep(TileDirectory& directory, std::vector<TileEntry>&& entries) {
  directory.tile_count = entries.size();
  if (entries.empty()) {
    return ok_status();
  }
  auto leaf = std::make_shared<TileLeaf>();
  leaf->entries_ = std::move(entries);
  WEFT_TRY_STATUS(leaf->check(directory));
  TileLeafRef ref;
  ref.tile_count = leaf->entries_.size();
  ref.first = leaf->entries_.front().first();
  ref.last = leaf->entries_.back().last();
  ref.tile_offset = leaf->entries_.front().stored.offset;
  ref.kept = std::move(leaf);
  directory.leaves.push_back(std::move(ref));
  return ok_status();
}

Status keep_quad_rows5(std::string_view raw, TileDirectory& directory) {
  codec::ByteReaderView reader(as_bytes(raw));
  constexpr size_t kEntryBytesMin = 9;
  std::vector<TileEntry> entries(reader.count(kEntryBytesMin));
  WEFT_TRY_STATUS(read_quad_rows(reader, directory, directory.tiles.offset, false, entries));
  const uint64_t end = entries.empty() ? directory.tiles.offset : end_of(entries.back().stored);
  if (reader.remaining() != 0 || end != end_of(directory.tiles)) {
    return bad("quad tiles do not fill their region");
  }
  return TileLeaf::keep(directory, std::move(entries));
}

IdLimits permuted_limits(rdf::Permutation permutation, const IdLimits& terms) {
  const auto columns = rdf::positions(permutation);
  const auto limit = [&](rdf::Position position) {
    switch (position) {
      case rdf::Position::kSubject:
        return terms.a;
      case rdf::Position::kPredicate:
        return terms.b;
      case rdf::Position::kObject:
        return terms.c;
    }
    return uint32_t{0};
  };
  return {
      .graph = terms.graph, .a = limit(columns[0]), .b = limit(columns[1]), .c = limit(columns[2])};
}

SubjectColumn subject_column(rdf::Permutation permutation) {
  const auto columns = rdf::positions(permutation);
  const auto at = std::find(columns.begin(), columns.end(), rdf::Position::kSubject);
  return static_cast<SubjectColumn>(at - columns.begin());
}

TileDirectory make_tile_directory(rdf::Permutation permutation, bool is_quads,
                                  const TileDirectoryParameters& parameters) {
  TileDirectory directory;
  directory.permutation = permutation;
  directory.is_quads = is_quads;
  directory.owner = static_cast<uint8_t>(static_cast<uint8_t>(permutation) +
                                         (is_quads ? rdf::kPermutationCount : 0));
  directory.limits = permuted_limits(permutation, parameters.terms);
  if (!is_quads) {
    directory.limits.graph = 0;
  }
  directory.tile_codec = parameters.tile_codec;
  directory.leaf_codec = parameters.leaf_codec;
  directory.tile_raw_bytes_max = parameters.tile_raw_bytes_max;
  directory.leaf_raw_bytes_max = parameters.leaf_raw_bytes_max;
  directory.tile_section = is_quads ? "quad" : "index";
  directory.leaf_section = is_quads ? "quad-leaves" : "index-leaves";
  return directory;
}

Result<std::vector<TileDirectory>> parse_index_unit6(std::string_view payload,
                                                     uint8_t permutation_mask, Range leaves,
                                                     Range tiles,
                                                     const TileDirectoryParameters& parameters) {
  codec::ByteReaderView reader(as_bytes(payload));
  std::vector<TileDirectory> directories;
  const uint64_t count = reader.varint();
  uint64_t next = 0;
  for (uint64_t i = 0; i < count; ++i) {
    rdf::Permutation permutation{};
    if (!read_permutation(reader, directories, permutation)) {
      return bad("permutations do not ascend");
    }
    TileDirectory directory = make_tile_directory(permutation, false, parameters);
    directory.tile_count = reader.varint();
    const uint64_t data_offset = reader.varint();
    const uint64_t data_size = reader.varint();
    if (!reader.ok() || !within(tiles, data_offset, data_size, directory.tiles) ||
        data_offset < next) {
      return bad("permutation is out of its place");
    }
    next = data_offset + data_size;
    WEFT_TRY_STATUS(read_index_leaves(reader, leaves, directory));
    directories.push_back(std::move(directory));
  }
  if (reader.remaining() != 0) {
    return bad("bytes behind the last permutation");
  }
  WEFT_TRY_STATUS(check_permutations(directories, permutation_mask));
  return directories;
}

Result<QuadIndex> parse_quad_unit6(std::string_view payload, uint8_t permutation_mask, Range leaves,
                                   Range tiles, const TileDirectoryParameters& parameters) {
  codec::ByteReaderView reader(as_bytes(payload));
  QuadIndex index;
  index.graphs.codec = parameters.tile_codec;
  index.graphs.raw_bytes_max = parameters.leaf_raw_bytes_max;
  index.graphs.graph_count = reader.varint();
  index.graphs.quad_count = reader.varint();
  index.graphs.block_graphs = reader.varint();
  const std::string_view p0 = as_text(reader.length_prefixed());
  const uint64_t blocks_size = reader.varint();
  const uint64_t order_count = reader.varint();
  Range blocks;
  if (!reader.ok() || !within(leaves, 0, blocks_size, blocks) ||
      index.graphs.quad_count < index.graphs.graph_count) {
    return bad("quad index is cut short");
  }
  WEFT_TRY_STATUS(parse_graph_blocks(p0, blocks, parameters.terms.graph, index.graphs));
  for (uint64_t i = 0; i < order_count; ++i) {
    rdf::Permutation permutation{};
    if (!read_permutation(reader, index.orders, permutation)) {
      return bad("orders do not ascend");
    }
    TileDirectory directory = make_tile_directory(permutation, true, parameters);
    directory.tiles = tiles;
    WEFT_TRY_STATUS(read_quad_leaves(reader, leaves, directory));
    index.orders.push_back(std::move(directory));
  }
  if (reader.remaining() != 0) {
    return bad("bytes behind the last order");
  }
  WEFT_TRY_STATUS(check_permutations(index.orders, permutation_mask));
  return index;
}

}  // namespace weft::rete

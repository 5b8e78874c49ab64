#include "weft/rete/directories5.h"

#include <bit>
#include <utility>

#include "weft/rete/damage.h"

namespace weft::rete {
namespace {

using storage::Range;

// Gives a directory error (fact "reason") the place where `reader` stands.
Status placed(FileReader& reader, Status status) {
  if (!status.ok() && status.error().kind() == ErrorKind::kCorrupt) {
    reader.fail(status.error().fact("reason"));
    return reader.status();
  }
  return status;
}

// Entries, tiles, and the synopsis behind them if the file has it.
Status read_permutation5(FileReader reader, bool has_synopsis, TileDirectory& directory) {
  constexpr uint64_t kEntryBytesMin = 3;
  const uint64_t count = reader.count(kEntryBytesMin);
  std::vector<TileEntry> entries;
  uint64_t a = 0;
  uint64_t offset = 0;
  const uint32_t limit = directory.limits.a;
  for (uint64_t i = 0; i < count; ++i) {
    TileEntry& entry = entries.emplace_back();
    const uint64_t step = reader.varint();
    const uint64_t distance = reader.varint();
    entry.stored.size = reader.varint();
    if (!reader.ok()) {
      return reader.status();
    }
    if (step > limit - a || a + step == 0 || distance > limit - a - step ||
        entry.stored.size > reader.end() - offset) {
      reader.fail("tile is out of its place");
      return reader.status();
    }
    a += step;
    entry.zone.first_a = static_cast<uint32_t>(a);
    entry.zone.last_a = static_cast<uint32_t>(a + distance);
    entry.stored.offset = offset;
    offset += entry.stored.size;
  }
  const uint64_t base = reader.position();
  reader.skip(offset);
  directory.tiles = {base, offset};
  for (TileEntry& entry : entries) {
    entry.stored.offset += base;
    if (!has_synopsis) {
      continue;
    }
    TileZone& zone = entry.zone;
    zone.has_ranges = true;
    for (uint32_t* low : {&zone.b_min, &zone.c_min}) {
      const uint64_t first = reader.varint();
      const uint64_t distance = reader.varint();
      const uint32_t bound = low == &zone.b_min ? directory.limits.b : directory.limits.c;
      if (first == 0 || first > bound || distance > bound - first) {
        reader.fail("range of ids is impossible");
        return reader.status();
      }
      *low = static_cast<uint32_t>(first);
      *(low == &zone.b_min ? &zone.b_max : &zone.c_max) = static_cast<uint32_t>(first + distance);
    }
  }
  if (reader.remaining() != 0) {
    reader.fail("bytes behind the tiles");
  }
  WEFT_TRY_STATUS(reader.status());
  return placed(reader, TileLeaf::keep(directory, std::move(entries)));
}

}  // namespace

Result<std::vector<DictDirectory>> read_dictionary5(CheckedFile& file, const SectionEntry5& entry) {
  FileReader reader(file, {entry.offset, entry.size}, section_name5(entry.kind));
  if (reader.varint() != kDictSectionCount) {
    reader.fail("dictionary does not have four sections");
  }
  WEFT_TRY_STATUS(reader.status());
  std::vector<DictDirectory> directories;
  for (size_t i = 0; i < kDictSectionCount; ++i) {
    WEFT_TRY(DictDirectory directory, read_dict_directory5(reader, static_cast<DictSection>(i)));
    directories.push_back(std::move(directory));
  }
  if (reader.remaining() != 0) {
    reader.fail("bytes behind the last dictionary section");
  }
  WEFT_TRY_STATUS(reader.status());
  return directories;
}

Result<IndexContainer5> read_index_container5(CheckedFile& file, Range container,
                                              std::string_view section, const Header5& header,
                                              bool has_seal,
                                              const TileDirectoryParameters& parameters) {
  FileReader reader(file, container, section);
  const uint8_t mask = header.permutations();
  const auto expected = static_cast<uint64_t>(std::popcount(mask)) + (has_seal ? 1 : 0);
  if (reader.varint() != expected) {
    reader.fail("number of permutations differs from the header");
  }
  WEFT_TRY_STATUS(reader.status());
  IndexContainer5 result;
  for (unsigned i = 0; i < rdf::kPermutationCount; ++i) {
    if ((mask >> i & 1U) == 0) {
      continue;
    }
    TileDirectory directory =
        make_tile_directory(static_cast<rdf::Permutation>(i), false, parameters);
    const Range payload = reader.region();
    WEFT_TRY_STATUS(reader.status());
    WEFT_TRY_STATUS(read_permutation5(reader.sub_reader(payload),
                                      (header.flags & kFlagSynopsis5) != 0, directory));
    result.directories.push_back(std::move(directory));
  }
  if (has_seal) {
    result.seal = reader.length_prefixed();
    if (reader.ok() &&
        (result.seal.size() != kSealBytes5 || !result.seal.starts_with(kQuadIndexMagic5))) {
      reader.fail("seal of the quad index is malformed");
    }
  }
  if (reader.remaining() != 0) {
    reader.fail("bytes behind the last permutation");
  }
  WEFT_TRY_STATUS(reader.status());
  return result;
}

namespace {

struct QuadParts5 {
  Range p0;
  Range blocks;
  std::vector<Range> directories;
  std::vector<Range> tiles;
};

// The parts follow the list of their lengths: P0, a directory per order, the graph blocks, the
// tiles per order.
Result<QuadParts5> read_parts(FileReader& reader, size_t order_count) {
  const uint64_t part_count = reader.count(1);
  if (part_count != 2 + 2 * order_count) {
    reader.fail("number of parts does not fit the orders");
  }
  WEFT_TRY_STATUS(reader.status());
  std::vector<uint64_t> sizes(part_count);
  for (uint64_t& size : sizes) {
    size = reader.varint();
  }
  std::vector<Range> parts;
  for (const uint64_t size : sizes) {
    parts.push_back({reader.position(), size});
    reader.skip(size);
  }
  if (reader.remaining() != 0) {
    reader.fail("bytes behind the last part");
  }
  WEFT_TRY_STATUS(reader.status());
  QuadParts5 result;
  result.p0 = parts[0];
  result.blocks = parts[1 + order_count];
  for (size_t i = 0; i < order_count; ++i) {
    result.directories.push_back(parts[1 + i]);
    result.tiles.push_back(parts[2 + order_count + i]);
  }
  return result;
}

}  // namespace

Result<QuadIndex> read_quad_index5(CheckedFile& file, const SectionEntry5& entry,
                                   const Header5& header,
                                   const TileDirectoryParameters& parameters) {
  FileReader reader(file, {entry.offset, entry.size}, section_name5(entry.kind));
  const std::string head = reader.bytes(kQuadIndexMagic5.size() + 3);
  WEFT_TRY_STATUS(reader.status());
  const auto mask = static_cast<uint8_t>(head[kQuadIndexMagic5.size()]);
  if (!head.starts_with(kQuadIndexMagic5) || mask != header.permutations()) {
    reader.fail("head of the quad index is malformed, or its permutations differ");
    return reader.status().error();
  }
  QuadIndex index;
  index.graphs.codec = parameters.tile_codec;
  index.graphs.raw_bytes_max = parameters.leaf_raw_bytes_max;
  index.graphs.graph_count = reader.varint();
  index.graphs.quad_count = reader.varint();
  index.graphs.block_graphs = reader.varint();
  WEFT_TRY(const QuadParts5 parts, read_parts(reader, static_cast<size_t>(std::popcount(mask))));
  FileReader p0 = reader.sub_reader(parts.p0);
  const std::string p0_bytes = p0.bytes(parts.p0.size);
  WEFT_TRY_STATUS(p0.status());
  WEFT_TRY_STATUS(
      placed(p0, parse_graph_blocks(p0_bytes, parts.blocks, parameters.terms.graph, index.graphs)));
  for (unsigned i = 0, part = 0; i < rdf::kPermutationCount; ++i) {
    if ((mask >> i & 1U) == 0) {
      continue;
    }
    TileDirectory directory =
        make_tile_directory(static_cast<rdf::Permutation>(i), true, parameters);
    directory.tiles = parts.tiles[part];
    FileReader rows = reader.sub_reader(parts.directories[part]);
    const std::string raw = rows.bytes(parts.directories[part].size);
    WEFT_TRY_STATUS(rows.status());
    WEFT_TRY_STATUS(placed(rows, keep_quad_rows5(raw, directory)));
    index.orders.push_back(std::move(directory));
    ++part;
  }
  return index;
}

Result<std::vector<NamedContainer5>> read_named_graphs5(CheckedFile& file,
                                                        const SectionEntry5& entry) {
  FileReader reader(file, {entry.offset, entry.size}, section_name5(entry.kind));
  constexpr uint64_t kGraphBytesMin = 3;
  const uint64_t count = reader.count(kGraphBytesMin);
  std::vector<NamedContainer5> graphs;
  for (uint64_t i = 0; i < count; ++i) {
    std::string name = reader.length_prefixed();
    const Range container = reader.region();
    WEFT_TRY_STATUS(reader.status());
    if (name.empty() || (!graphs.empty() && name <= graphs.back().name)) {
      reader.fail("graph names do not ascend");
      return reader.status().error();
    }
    graphs.push_back({std::move(name), container});
  }
  if (reader.remaining() != 0) {
    reader.fail("bytes behind the last graph");
  }
  WEFT_TRY_STATUS(reader.status());
  return graphs;
}

}  // namespace weft::rete

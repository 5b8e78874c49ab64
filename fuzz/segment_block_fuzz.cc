// The decoders of single blocks of a `.rete` file. The first byte chooses one; the next ones are
// what the directory would say of the block.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/check.h"
#include "weft/rete/chunk.h"
#include "weft/rete/dict_directory.h"
#include "weft/rete/format.h"
#include "weft/rete/graph_index.h"
#include "weft/rete/schema.h"
#include "weft/rete/text_index.h"
#include "weft/rete/tile.h"
#include "weft/rete/tile_directory.h"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program of one file

constexpr rete::IdLimits kLimits = {.graph = 200, .a = 300, .b = 300, .c = 300};
constexpr storage::Range kLeaves = {1000, 4000};
constexpr storage::Range kData = {10'000, 100'000};

// What a tile promised holds: rows ascend, and every one can be sought.
void read_tile(const std::shared_ptr<const rete::Tile>& tile) {
  uint64_t rows = 0;
  for (size_t run = 0; run < tile->runs().size(); ++run) {
    rete::TileCursor cursor(*tile, run);
    rete::TileRow last;
    while (cursor.rows_left() > 0) {
      rete::TileRow row;
      WEFT_CHECK(cursor.decode(1, &row.a, &row.b, &row.c) == 1);
      WEFT_CHECK(row > last && row.a <= kLimits.a && row.b <= kLimits.b && row.c <= kLimits.c);
      last = row;
      ++rows;
    }
    cursor.seek(last);
    WEFT_CHECK(cursor.rows_left() == 1);
  }
  WEFT_CHECK(rows == tile->row_count());
}

void tiles(const std::string& raw, bool quads) {
  rete::TileZone zone;
  if (raw.size() < 8) {
    return;
  }
  const auto octet = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(raw[i])); };
  zone = {.first_graph = quads ? octet(0) : 0,
          .last_graph = quads ? octet(1) : 0,
          .first_a = octet(2),
          .last_a = octet(3),
          .b_min = octet(4),
          .b_max = octet(5),
          .c_min = octet(6),
          .c_max = octet(7),
          .has_ranges = true};
  const auto tile = quads ? rete::Tile::from_quads(raw.substr(8), zone, kLimits,
                                                   static_cast<rete::SubjectColumn>(octet(7) % 3))
                          : rete::Tile::from_plain(raw.substr(8), zone, kLimits);
  if (tile.ok()) {
    read_tile(*tile);
  }
}

void chunk(std::string raw) {
  if (raw.size() < 3) {
    return;
  }
  rete::ChunkPlace place;
  place.first_term = 5;
  place.term_count = static_cast<uint8_t>(raw[0]);
  place.run_terms = 1 + static_cast<uint8_t>(raw[1]) % 17;
  raw.erase(0, 2);
  const auto decoded = rete::Chunk::from_raw(std::move(raw), place);
  if (!decoded.ok()) {
    return;
  }
  rete::ChunkCursor cursor(**decoded);
  std::string last;
  for (uint64_t i = 0; i < (*decoded)->term_count(); ++i) {
    const std::string term(cursor.term(5 + i));
    WEFT_CHECK(term > last);
    WEFT_CHECK((*decoded)->find(term) == 5 + i);
    last = term;
  }
}

void directories(const std::string& raw, uint8_t which) {
  const rete::TileDirectoryParameters parameters = {
      .terms = {.graph = 200, .a = 300, .b = 40, .c = 300}};
  // A length byte parts the unit root from a leaf.
  const size_t split = raw.empty() ? 0 : std::min<size_t>(static_cast<uint8_t>(raw[0]), raw.size());
  const std::string root = raw.substr(std::min<size_t>(1, raw.size()), split);
  const std::string leaf = raw.substr(std::min(raw.size(), split + 1));
  if (which == 0) {
    const auto sections = rete::parse_dict_unit6(root, kLeaves, kData);
    for (size_t i = 0; sections.ok() && i < sections->size(); ++i) {
      for (size_t k = 0; k < (*sections)[i].leaves.size(); ++k) {
        const auto decoded = rete::DictLeaf::from_raw(leaf, (*sections)[i], k);
        if (decoded.ok()) {
          static_cast<void>((*decoded)->place((*sections)[i], (*decoded)->chunk_of("<http://x>")));
        }
      }
    }
    return;
  }
  std::vector<rete::TileDirectory> orders;
  if (which == 1) {
    auto parsed = rete::parse_index_unit6(root, 7, kLeaves, kData, parameters);
    if (parsed.ok()) {
      orders = std::move(*parsed);
    }
  } else {
    auto parsed = rete::parse_quad_unit6(root, 7, kLeaves, kData, parameters);
    if (parsed.ok()) {
      for (size_t i = 0; i < parsed->graphs.blocks.size(); ++i) {
        static_cast<void>(rete::GraphBlock::from_raw(leaf, parsed->graphs, i, 200));
      }
      orders = std::move(parsed->orders);
    }
  }
  for (const rete::TileDirectory& order : orders) {
    for (size_t k = 0; k < order.leaves.size(); ++k) {
      static_cast<void>(rete::TileLeaf::from_raw(leaf, order, k));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string raw(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 9) {
    case 0:
      tiles(raw, false);
      break;
    case 1:
      tiles(raw, true);
      break;
    case 2:
      chunk(raw);
      break;
    case 3:
    case 4:
    case 5:
      directories(raw, static_cast<uint8_t>(data[0] % 9 - 3));
      break;
    case 6: {
      std::string scope;
      static_cast<void>(
          rete::TextLeaf::from_raw(raw, data[0] / 9, 0, 5000, data[0] > 100 ? &scope : nullptr));
      break;
    }
    case 7:
      static_cast<void>(rete::parse_schema(raw, 40));
      break;
    default: {
      const ByteView bytes = as_bytes(raw);
      const uint64_t file_size = raw.size();
      if (rete::generation_of(bytes, file_size).ok()) {
        static_cast<void>(rete::parse_header5(bytes, file_size));
        const auto header = rete::parse_header6(bytes, file_size);
        if (header.ok() && header->root_size + rete::kHeaderBytes6 <= raw.size()) {
          static_cast<void>(
              rete::parse_root6(*header, bytes.subspan(rete::kHeaderBytes6, header->root_size)));
        }
      }
    }
  }
  return 0;
}

// The decoders of single blocks, on bytes written down by hand.
#include <algorithm>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/rete/chunk.h"
#include "weft/rete/format.h"
#include "weft/rete/graph_index.h"
#include "weft/rete/schema.h"
#include "weft/rete/tile.h"

namespace weft::rete {
namespace {

std::string octets(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) {
    text.push_back(static_cast<char>(value));
  }
  return text;
}

std::vector<TileRow> rows_of(const std::shared_ptr<const Tile>& tile, size_t run) {
  TileCursor cursor(*tile, run);
  std::vector<TileRow> rows;
  TileRow row;
  while (cursor.decode(1, &row.a, &row.b, &row.c) == 1) {
    rows.push_back(row);
  }
  return rows;
}

constexpr IdLimits kLimits = {.graph = 9, .a = 9, .b = 9, .c = 9};

TileZone zone_of(uint32_t a1, uint32_t a2, uint32_t b1, uint32_t b2, uint32_t c1, uint32_t c2) {
  return {.first_a = a1,
          .last_a = a2,
          .b_min = b1,
          .b_max = b2,
          .c_min = c1,
          .c_max = c2,
          .has_ranges = true};
}

TEST(Tile, TheVectorsOfTheFormatDecode) {
  const auto one = Tile::from_plain(octets({1, 1, 2, 2, 3, 3, 1, 1, 1, 1, 2, 1, 3}),
                                    zone_of(1, 1, 2, 2, 3, 3), kLimits);
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(rows_of(*one, 0), (std::vector<TileRow>{{1, 2, 3}}));
  const auto four =
      Tile::from_plain(octets({1, 3, 1, 4, 1, 5, 4, 2, 1, 2, 2, 2, 3, 2, 2, 1, 1, 2, 1, 1, 1, 2}),
                       zone_of(1, 3, 1, 4, 1, 5), kLimits);
  ASSERT_TRUE(four.ok());
  EXPECT_EQ(rows_of(*four, 0), (std::vector<TileRow>{{1, 2, 3}, {1, 2, 5}, {1, 4, 1}, {3, 1, 2}}));
}

TEST(Tile, VarintsLongerThanNeededAreRead) {
  const auto tile = Tile::from_plain(
      octets({1, 1, 2, 2, 3, 3, 1, 1, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 1, 2, 1, 3}),
      zone_of(1, 1, 2, 2, 3, 3), kLimits);
  ASSERT_TRUE(tile.ok());
  EXPECT_EQ(rows_of(*tile, 0), (std::vector<TileRow>{{1, 2, 3}}));
}

TEST(Tile, IdsOfFiveBytesAreRead) {
  const IdLimits wide = {.graph = 0, .a = 0xFFFF'FFFE, .b = 0xFFFF'FFFE, .c = 0xFFFF'FFFE};
  const uint32_t big = 0xFFFF'FFFE;
  const auto id = [](std::string& out, uint32_t value) {
    while (value >= 0x80) {
      out.push_back(static_cast<char>(value | 0x80U));
      value >>= 7U;
    }
    out.push_back(static_cast<char>(value));
  };
  std::string raw;
  for (int i = 0; i < 6; ++i) {
    id(raw, big);
  }
  raw += octets({1, 1});
  id(raw, big);
  raw += octets({1});
  id(raw, big);
  raw += octets({1});
  id(raw, big);
  const auto tile = Tile::from_plain(std::move(raw), zone_of(big, big, big, big, big, big), wide);
  ASSERT_TRUE(tile.ok()) << tile.error().to_string();
  EXPECT_EQ(rows_of(*tile, 0), (std::vector<TileRow>{{big, big, big}}));
}

TEST(Tile, WhatIsWrongIsRefusedByName) {
  const TileZone zone = zone_of(1, 1, 2, 2, 3, 3);
  const std::pair<std::string, std::string> cases[] = {
      {octets({1, 1, 2, 2, 3}), "cut short"},
      {octets({1, 1, 2, 2, 3, 3, 1, 0}), "count of leading ids is impossible"},
      {octets({1, 1, 2, 2, 3, 3, 1, 1, 0, 1, 2, 1, 3}),
       "leading ids do not ascend within the dictionary"},
      {octets({1, 1, 2, 2, 3, 3, 1, 1, 1, 0, 2, 1, 3}), "count of second ids is impossible"},
      {octets({1, 1, 2, 2, 3, 3, 1, 1, 1, 1, 0, 1, 3}),
       "second ids do not ascend within the dictionary"},
      {octets({1, 1, 2, 2, 3, 3, 1, 1, 1, 1, 2, 0, 3}), "count of third ids is impossible"},
      {octets({1, 1, 2, 2, 3, 3, 1, 1, 1, 1, 2, 1, 0}),
       "third ids do not ascend within the dictionary"},
      {octets({1, 1, 2, 2, 3, 3, 1, 1, 1, 1, 2, 1, 10}),
       "third ids do not ascend within the dictionary"},
      {octets({1, 1, 2, 2, 3, 3, 1, 1, 1, 1, 2, 1, 3, 0}), "bytes behind the last row"},
      {octets({1, 1, 2, 2, 3, 3, 2, 1, 1, 1, 2, 1, 3}), "zone map differs from the rows"},
      {octets({1, 1, 2, 2, 4, 4, 1, 1, 1, 1, 2, 1, 4}), "zone map differs from the directory"},
  };
  for (const auto& [raw, reason] : cases) {
    const auto tile = Tile::from_plain(std::string(raw), zone, kLimits);
    ASSERT_FALSE(tile.ok()) << reason;
    EXPECT_EQ(tile.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(tile.error().fact("reason"), reason);
  }
}

TEST(Tile, QuadTilesDecodeInEveryOrder) {
  // Graph 3: (1 2 2), graph 5: (1 2 2); the difference of first a is 0 the second time.
  TileZone zone = zone_of(1, 1, 2, 2, 2, 2);
  zone.first_graph = 3;
  zone.last_graph = 5;
  const std::string of_a = octets({2, 0, 2, 5, 1, 1, 2, 1, 2, 2, 0, 5, 1, 1, 2, 1, 2});
  const auto plain = Tile::from_quads(of_a, zone, kLimits, SubjectColumn::kA);
  ASSERT_TRUE(plain.ok()) << plain.error().to_string();
  ASSERT_EQ((*plain)->runs().size(), 2U);
  EXPECT_EQ((*plain)->runs()[1].graph, 5U);
  EXPECT_EQ(rows_of(*plain, 1), (std::vector<TileRow>{{1, 2, 2}}));
  // The subject in b: +4, then -3 for the second a: (1 4 1) (2 1 1).
  TileZone of_b = zone_of(1, 2, 1, 4, 1, 1);
  of_b.first_graph = of_b.last_graph = 3;
  const auto b = Tile::from_quads(octets({1, 0, 2, 10, 2, 1, 8, 1, 1, 1, 1, 5, 1, 1}), of_b,
                                  kLimits, SubjectColumn::kB);
  ASSERT_TRUE(b.ok()) << b.error().to_string();
  EXPECT_EQ(rows_of(*b, 0), (std::vector<TileRow>{{1, 4, 1}, {2, 1, 1}}));
  // The subject in c, running on over a: (1 1 5) (2 1 4).
  TileZone of_c = zone_of(1, 2, 1, 1, 4, 5);
  of_c.first_graph = of_c.last_graph = 3;
  const auto c = Tile::from_quads(octets({1, 0, 2, 10, 2, 1, 1, 1, 10, 1, 1, 1, 1, 1}), of_c,
                                  kLimits, SubjectColumn::kC);
  ASSERT_TRUE(c.ok()) << c.error().to_string();
  EXPECT_EQ(rows_of(*c, 0), (std::vector<TileRow>{{1, 1, 5}, {2, 1, 4}}));
  zone.last_graph = 6;
  EXPECT_FALSE(Tile::from_quads(of_a, zone, kLimits, SubjectColumn::kA).ok());
}

TEST(Tile, SeekingFindsEveryRowAndTheGapsBetween) {
  std::string raw = octets({1, 1, 1, 1});
  const auto id = [&](uint32_t value) {
    while (value >= 0x80) {
      raw.push_back(static_cast<char>(value | 0x80U));
      value >>= 7U;
    }
    raw.push_back(static_cast<char>(value));
  };
  constexpr uint32_t kRows = 1000;
  for (const uint32_t value : {2U, 2 * kRows, kRows, 1U, 1U, 1U, 1U, kRows}) {
    id(value);
  }
  for (uint32_t i = 0; i < kRows; ++i) {
    id(2);
  }
  const IdLimits limits = {.graph = 0, .a = 1, .b = 1, .c = 2 * kRows};
  const auto tile = Tile::from_plain(std::move(raw), zone_of(1, 1, 1, 1, 2, 2 * kRows), limits);
  ASSERT_TRUE(tile.ok()) << tile.error().to_string();
  TileCursor cursor(**tile, 0);
  for (uint32_t c = 0; c <= 2 * kRows + 1; ++c) {
    cursor.seek({1, 1, c});
    EXPECT_EQ(cursor.row_index(), c == 0 ? 0 : (c + 1) / 2 - 1);
  }
  cursor.seek({2, 0, 0});
  EXPECT_EQ(cursor.rows_left(), 0U);
  cursor.seek({});
  EXPECT_EQ(cursor.rows_left(), kRows);
}

// Groups of every size, so that seeks end at, in and behind them.
TEST(Tile, ASeekDoesNotDependOnTheOneBefore) {
  base::Random random(3);
  std::vector<TileRow> rows;
  std::string body;
  const auto byte = [](std::string& text, uint64_t value) {
    text.push_back(static_cast<char>(value));
  };
  TileRow row;
  constexpr int kLeading = 12;
  for (int a = 0; a < kLeading; ++a) {
    const uint64_t a_step = 1 + random.below(2);
    const uint64_t b_count = 1 + random.below(3);
    row = {row.a + static_cast<uint32_t>(a_step), 0, 0};
    byte(body, a_step);
    byte(body, b_count);
    for (uint64_t b = 0; b < b_count; ++b) {
      const uint64_t b_step = 1 + random.below(3);
      const uint64_t c_count = random.chance(1, 2) ? 1 : 1 + random.below(40);
      row = {row.a, row.b + static_cast<uint32_t>(b_step), 0};
      byte(body, b_step);
      byte(body, c_count);
      for (uint64_t c = 0; c < c_count; ++c) {
        const uint64_t c_step = 1 + random.below(3);
        row.c += static_cast<uint32_t>(c_step);
        byte(body, c_step);
        rows.push_back(row);
      }
    }
  }
  ASSERT_GT(rows.size(), 3 * Tile::kCheckpointRows);
  TileZone zone = zone_of(rows.front().a, rows.back().a, UINT32_MAX, 0, UINT32_MAX, 0);
  for (const TileRow& each : rows) {
    zone.b_min = std::min(zone.b_min, each.b);
    zone.b_max = std::max(zone.b_max, each.b);
    zone.c_min = std::min(zone.c_min, each.c);
    zone.c_max = std::max(zone.c_max, each.c);
  }
  std::string raw;
  const auto id = [&](uint64_t value) {
    for (; value >= 0x80; value >>= 7U) {
      byte(raw, value | 0x80U);
    }
    byte(raw, value);
  };
  for (const uint64_t value :
       {uint64_t{zone.first_a}, uint64_t{zone.last_a}, uint64_t{zone.b_min}, uint64_t{zone.b_max},
        uint64_t{zone.c_min}, uint64_t{zone.c_max}, uint64_t{rows.size()}, uint64_t{kLeading}}) {
    id(value);
  }
  const IdLimits limits = {.graph = 0, .a = 100, .b = 100, .c = 1'000};
  const auto tile = Tile::from_plain(raw + body, zone, limits);
  ASSERT_TRUE(tile.ok()) << tile.error().to_string();
  TileCursor used(**tile, 0);
  for (int i = 0; i < 20'000; ++i) {
    const TileRow target = random.chance(1, 2) ? rows[random.below(rows.size())]
                                               : TileRow{static_cast<uint32_t>(random.below(26)),
                                                         static_cast<uint32_t>(random.below(10)),
                                                         static_cast<uint32_t>(random.below(90))};
    const TileRow wanted =
        random.chance(1, 2) ? target : TileRow{target.a, random.chance(1, 2) ? target.b : 0, 0};
    used.seek(wanted);
    const auto at = std::ranges::lower_bound(rows, wanted);
    ASSERT_EQ(used.row_index(), at - rows.begin());
    if (wanted.c == 0) {
      ASSERT_EQ(used.rows_left_in_group(wanted), std::ranges::count_if(rows, [&](const TileRow& r) {
                  return r.a == wanted.a && r.b == wanted.b;
                }));
    }
    TileRow next;
    if (random.chance(1, 2) && used.decode(1, &next.a, &next.b, &next.c) == 1) {
      ASSERT_EQ(next, *at);
    }
  }
}

TEST(Chunk, TermsAreFoundAndGaps) {
  const std::string raw = octets({0, 3}) + "<a>" + octets({1, 2}) + "b>" + octets({0, 3}) + "<c>";
  ChunkPlace place;
  place.first_term = 10;
  place.term_count = 3;
  place.run_terms = 2;
  const auto chunk = Chunk::from_raw(std::string(raw), place);
  ASSERT_TRUE(chunk.ok()) << chunk.error().to_string();
  EXPECT_EQ((*chunk)->find("<a>"), 10U);
  EXPECT_EQ((*chunk)->find("<b>"), 11U);
  EXPECT_EQ((*chunk)->find("<c>"), 12U);
  for (const char* absent : {"", "<", "<aa>", "<b", "<d>", "~"}) {
    EXPECT_FALSE((*chunk)->find(absent).has_value()) << absent;
  }
  place.term_count = 4;
  EXPECT_FALSE(Chunk::from_raw(std::string(raw), place).ok());
  place.term_count = 3;
  place.key = "<b";
  EXPECT_EQ(Chunk::from_raw(std::string(raw), place).error().fact("reason"),
            "first term lies before the routing key");
  place.key = "";
  place.next_key = "<c>";
  EXPECT_EQ(Chunk::from_raw(std::string(raw), place).error().fact("reason"),
            "last term does not lie before the next routing key");
  place.next_key = "<c>~";
  place.run_terms = 1;  // the second term would start a run, and shares a byte
  EXPECT_EQ(Chunk::from_raw(std::string(raw), place).error().fact("reason"),
            "front coding is impossible");
}

TEST(GraphBlock, GraphsAscendAndHaveQuads) {
  GraphIndex index;
  index.graph_count = 2;
  index.quad_count = 9;
  index.block_graphs = 1024;
  index.blocks.push_back({.first_graph = 3, .stored = {}, .is_raw = true});
  const auto block = GraphBlock::from_raw(octets({0, 4, 2, 5}), index, 0, 9);
  ASSERT_TRUE(block.ok());
  EXPECT_EQ((*block)->quads_in(3), 4U);
  EXPECT_EQ((*block)->quads_in(4), 0U);
  EXPECT_EQ((*block)->quads_in(5), 5U);
  EXPECT_FALSE(GraphBlock::from_raw(octets({0, 4, 0, 5}), index, 0, 9).ok());
  EXPECT_FALSE(GraphBlock::from_raw(octets({0, 0, 2, 5}), index, 0, 9).ok());
  EXPECT_FALSE(GraphBlock::from_raw(octets({0, 4, 7, 5}), index, 0, 9).ok());
  EXPECT_FALSE(GraphBlock::from_raw(octets({0, 4, 2, 5, 1}), index, 0, 9).ok());
}

TEST(Schema, StatisticsAndSetsAreRead) {
  const std::string raw = octets({1, 0, 0, 0, 0, 3, 7, 1, 2, 5, 2, 3, 1, 2, 4, 4, 1, 1, 2, 5});
  const auto schema = parse_schema(raw, 2);
  ASSERT_TRUE(schema.ok()) << schema.error().to_string();
  ASSERT_NE(schema->find(2), nullptr);
  EXPECT_EQ(schema->find(2)->triples, 5U);
  EXPECT_EQ(schema->find(1), nullptr);
  ASSERT_EQ(schema->sets.size(), 1U);
  EXPECT_EQ(schema->sets[0].subjects, 5U);
  EXPECT_EQ(parse_schema(raw, 1).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(parse_schema(octets({2, 0, 0, 0, 0}), 1).error().kind(), ErrorKind::kUnsupported);
}

TEST(Format, TheWorkedExampleHasItsHash) {
  // One default-graph triple and one quad, as in the format's description: header bytes.
  Header6 header;
  header.flags = 0x09;
  header.file_size = 1024;
  header.root_size = 431;
  header.card_region_size = 142;
  header.data_offset = 817;
  header.quad_count = 2;
  header.term_count = 6;
  header.graph_count = 1;
  header.dictionary_codec = header.block_codec = header.internal_codec = Codec::kNone;
  header.presence = kPresenceQuads;
  const unsigned char digest[16] = {0x5d, 0xd7, 0xf4, 0xcd, 0x0b, 0xb1, 0x59, 0x47,
                                    0x28, 0xde, 0xb3, 0xd6, 0x58, 0xd3, 0x05, 0xb2};
  for (size_t i = 0; i < sizeof(digest); ++i) {
    header.root_digest[i] = std::byte{digest[i]};
  }
  EXPECT_EQ(codec::to_hex(content_hash(header)), "ae2d9898f842988a940dd5e974c02e03");
  header.content_hash = content_hash(header);
  const auto bytes = encode_header(header);
  const auto parsed = parse_header6(bytes, 1024);
  ASSERT_TRUE(parsed.ok()) << parsed.error().to_string();
  EXPECT_EQ(encode_header(*parsed), bytes);
  header.id_widths = 1;
  header.content_hash = content_hash(header);
  EXPECT_EQ(parse_header6(encode_header(header), 1024).error().kind(), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace weft::rete

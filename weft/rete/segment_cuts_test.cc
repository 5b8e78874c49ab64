// The pieces between the cuts of a scan are the whole scan.
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/rete/segment.h"
#include "weft/rete/testing/segment_maker.h"
#include "weft/rete/testing/segment_probe.h"

namespace weft::rete {
namespace {

BuildOptions small_blocks() {
  BuildOptions options;
  options.tile_bytes = 1024;
  options.chunk_bytes = 1024;
  return options;
}

using Row = std::array<uint32_t, 3>;  // in the order of the permutation

// Rows of the cursor from `low` on and before `high`.
std::vector<Row> rows_between(SegmentCursor& cursor, rdf::Permutation permutation, const Row& low,
                              const Row& high) {
  std::vector<Row> rows;
  LocalBatch batch;
  do {
    EXPECT_TRUE(cursor.next(batch).ok());
    for (size_t i = 0; i < batch.size(); ++i) {
      const Row stored = {batch.subject[i], batch.predicate[i], batch.object[i]};
      const auto columns = rdf::positions(permutation);
      const Row row = {stored[static_cast<size_t>(columns[0])],
                       stored[static_cast<size_t>(columns[1])],
                       stored[static_cast<size_t>(columns[2])]};
      if (row >= low && row < high) {
        rows.push_back(row);
      }
    }
  } while (batch.size() > 0);
  return rows;
}

class CutsTest : public testing::Test {
 protected:
  void open(const std::vector<QuadText>& quads) {
    auto segment = Segment::open(bytes_reader(make_segment(quads, small_blocks())), {});
    ASSERT_TRUE(segment.ok());
    segment_ = *segment;
    LocalBatch batch;
    for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
      LocalPattern all;
      all.scope = scope;
      const auto cursor = segment_->scan(all, rdf::Permutation::kSpo, {}).value();
      do {
        ASSERT_TRUE(cursor->next(batch).ok());
        for (size_t i = 0; i < batch.size(); ++i) {
          quads_.push_back({batch.subject[i], batch.predicate[i], batch.object[i],
                            batch.graph.empty() ? 0 : batch.graph[i]});
        }
      } while (batch.size() > 0);
    }
  }

  LocalPattern random_pattern() {
    const std::array<uint32_t, 4>& quad = quads_[random_.below(quads_.size())];
    LocalPattern pattern;
    pattern.subject = random_.chance(1, 6) ? quad[0] : 0;
    pattern.predicate = random_.chance(1, 2) ? quad[1] : 0;
    pattern.object = random_.chance(1, 4) ? quad[2] : 0;
    pattern.scope = quad[3] == 0 ? rdf::GraphScope::kDefault : rdf::GraphScope::kOne;
    pattern.graph = quad[3];
    return pattern;
  }

  // How many cuts there were.
  size_t check(const LocalPattern& pattern, rdf::Permutation permutation, size_t pieces) {
    const std::vector<RowKey> cuts = segment_->cuts(pattern, permutation, pieces, {}).value();
    EXPECT_LT(cuts.size(), pieces);
    const Row first{};
    const Row last = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const auto row_of = [](const RowKey& key) { return Row{key.a, key.b, key.c}; };
    std::vector<Row> rows;
    for (size_t piece = 0; piece <= cuts.size(); ++piece) {
      const auto cursor = segment_->scan(pattern, permutation, {}).value();
      const Row low = piece == 0 ? first : row_of(cuts[piece - 1]);
      const Row high = piece == cuts.size() ? last : row_of(cuts[piece]);
      EXPECT_LT(low, high);
      if (piece < cuts.size()) {
        cursor->stop_before(cuts[piece]);
      }
      if (piece > 0) {
        EXPECT_TRUE(cursor->seek(cuts[piece - 1]).ok());
      }
      const std::vector<Row> some = rows_between(*cursor, permutation, low, high);
      rows.insert(rows.end(), some.begin(), some.end());
    }
    const auto whole = segment_->scan(pattern, permutation, {}).value();
    EXPECT_EQ(rows, rows_between(*whole, permutation, first, last));
    return cuts.size();
  }

  size_t check_some(size_t rounds) {
    size_t cut_count = 0;
    for (size_t round = 0; round < rounds && !HasFailure(); ++round) {
      cut_count += check(random_pattern(), static_cast<rdf::Permutation>(random_.below(6)),
                         2 + random_.below(8));
    }
    return cut_count;
  }

  std::shared_ptr<Segment> segment_;
  std::vector<std::array<uint32_t, 4>> quads_;
  base::Random random_{5};
};

TEST_F(CutsTest, PiecesOfAnyScanAreItsRows) {
  open(random_quads(24, 5000, 12));
  EXPECT_GT(check_some(600), 600);
}

TEST_F(CutsTest, OneGroupOverManyTilesIsCutInside) {
  std::vector<QuadText> quads;
  for (int i = 0; i < 3000; ++i) {
    quads.push_back({"<http://e/hub>", "<http://e/p>", "\"" + std::to_string(i) + "\"", ""});
    quads.push_back(
        {"<http://e/s" + std::to_string(i) + ">", "<http://e/type>", "<http://e/C>", ""});
  }
  open(quads);
  EXPECT_GT(check_some(200), 400);
  // All of one predicate, and all of one predicate and object.
  const std::vector<std::string_view> type = {"<http://e/type>"};
  std::vector<PredicateId> predicates;
  ASSERT_TRUE(segment_->find_predicates(type, predicates).ok());
  LocalPattern pattern;
  pattern.predicate = predicates[0];
  EXPECT_EQ(check(pattern, rdf::Permutation::kPso, 7), 6);
  const std::vector<std::string_view> kind = {"<http://e/C>"};
  std::vector<NodeId> nodes;
  ASSERT_TRUE(segment_->find_nodes(kind, nodes).ok());
  pattern.object = nodes[0];
  EXPECT_GE(check(pattern, rdf::Permutation::kPos, 7), 1);  // a few tiles are enough for it
}

TEST_F(CutsTest, WhatCannotBeCutHasNoCuts) {
  open(random_quads(25, 2000, 12));
  LocalPattern pattern;
  EXPECT_TRUE(segment_->cuts(pattern, rdf::Permutation::kSpo, 1, {}).value().empty());
  EXPECT_FALSE(segment_->cuts(pattern, rdf::Permutation::kSpo, 2, {}).value().empty());
  pattern.scope = rdf::GraphScope::kAllNamed;
  EXPECT_TRUE(segment_->cuts(pattern, rdf::Permutation::kSpo, 8, {}).value().empty());
}

}  // namespace
}  // namespace weft::rete

#include "weft/gqexec/reach.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace weft::gqexec {
namespace {

// Nodes reached, then edges.
std::string reached(const Adjacency& lists, const ExpandStep& step, RowNumber from) {
  Reach reach(lists, step);
  EXPECT_TRUE(reach.from(from, {}).ok());
  std::string text;
  for (const RowNumber node : reach.nodes()) {
    text += std::to_string(node) + " ";
  }
  if (step.edge_slot.has_value()) {
    text += "|";
    for (const RowNumber edge : reach.edges()) {
      text += " " + std::to_string(edge);
    }
  }
  return text;
}

// 0 -> 1 twice, 1 -> 2, 2 -> 0, 2 -> 2, 3 -> 2
Adjacency example() {
  const std::vector<RowNumber> sources = {0, 0, 1, 2, 2, 3};
  const std::vector<RowNumber> targets = {1, 1, 2, 0, 2, 2};
  auto lists = Adjacency::build(sources, 4, targets, 4, {});
  EXPECT_TRUE(lists.ok());
  return *std::move(lists);
}

TEST(Adjacency, ListsNeighboursBothWays) {
  const Adjacency lists = example();
  EXPECT_EQ(lists.edge_count(), 6U);
  EXPECT_TRUE(lists.out().has_parallels);
  EXPECT_EQ(lists.out().nodes_of(2).size(), 2U);
  EXPECT_EQ(lists.in().nodes_of(2).size(), 3U);
  EXPECT_TRUE(lists.in().nodes_of(3).empty());
}

TEST(Reach, WithoutAnEdgeVariableANodeCountsOnce) {
  const Adjacency lists = example();
  ExpandStep step;
  EXPECT_EQ(reached(lists, step, 0), "1 ");
  EXPECT_EQ(reached(lists, step, 2), "0 2 ");
  step.way = gq::Direction::kIn;
  EXPECT_EQ(reached(lists, step, 2), "1 2 3 ");
  step.way = gq::Direction::kBoth;
  EXPECT_EQ(reached(lists, step, 0), "1 2 ");
  EXPECT_EQ(reached(lists, step, 2), "0 1 2 3 ");
}

TEST(Reach, WithAnEdgeVariableEachEdgeCountsAndALoopOnce) {
  const Adjacency lists = example();
  ExpandStep step;
  step.edge_slot = 1;
  EXPECT_EQ(reached(lists, step, 0), "1 1 | 0 1");
  step.way = gq::Direction::kBoth;
  EXPECT_EQ(reached(lists, step, 2), "0 2 1 3 | 3 4 2 5");
}

TEST(Reach, SeveralHopsGoBreadthFirstAndNeverBackToTheStart) {
  const Adjacency lists = example();
  ExpandStep step;
  step.hops_max = 5;
  EXPECT_EQ(reached(lists, step, 0), "1 2 ");
  EXPECT_EQ(reached(lists, step, 3), "2 0 1 ");
  step.hops_min = 2;
  EXPECT_EQ(reached(lists, step, 0), "2 ");
  // A loop is one hop.
  EXPECT_EQ(reached(lists, step, 2), "1 ");
  step.hops_min = 1;
  EXPECT_EQ(reached(lists, step, 2), "0 1 2 ");
}

TEST(Reach, HopsGoOnOnlyWhereEdgesBegin) {
  const std::vector<RowNumber> sources = {0, 1};
  const std::vector<RowNumber> targets = {1, 0};
  const auto lists = Adjacency::build(sources, 2, targets, 2, {});
  ASSERT_TRUE(lists.ok());
  ExpandStep step;
  step.one_type = false;
  step.hops_max = 3;
  EXPECT_EQ(reached(*lists, step, 0), "1 ");
  step.hops_min = 2;
  EXPECT_EQ(reached(*lists, step, 0), "");
}

TEST(Reach, BetweenFindsWhatFromReaches) {
  const Adjacency lists = example();
  for (const uint32_t hops : {1U, 2U, 3U}) {
    for (const gq::Direction way :
         {gq::Direction::kOut, gq::Direction::kIn, gq::Direction::kBoth}) {
      ExpandStep step;
      step.hops_max = hops;
      step.way = way;
      Reach all(lists, step);
      Reach pairs(lists, step);
      for (RowNumber from = 0; from < 4; ++from) {
        ASSERT_TRUE(all.from(from, {}).ok());
        const std::vector<RowNumber> nodes(all.nodes().begin(), all.nodes().end());
        for (RowNumber to = 0; to < 4; ++to) {
          pairs.between(from, to);
          EXPECT_EQ(pairs.nodes().size(),
                    static_cast<size_t>(std::count(nodes.begin(), nodes.end(), to)))
              << from << " " << to << " " << hops;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::gqexec

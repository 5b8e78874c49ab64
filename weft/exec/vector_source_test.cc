#include "weft/exec/vector_source.h"

#include <algorithm>
#include <array>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/random.h"

namespace weft::exec {
namespace {

using rdf::IdPattern;
using rdf::TermId;
using Row = std::array<TermId, 4>;  // graph, subject, predicate, object

class VectorSourceTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    base::Random random(11);
    VectorSource::Builder builder;
    for (int i = 0; i < 600; ++i) {
      const std::string graph =
          random.chance(1, 2) ? "" : "<g" + std::to_string(random.below(3)) + ">";
      builder.add("<t" + std::to_string(random.below(12)) + ">",
                  "<t" + std::to_string(random.below(12)) + ">",
                  "<t" + std::to_string(random.below(12)) + ">", graph);
    }
    source_ = std::move(builder).build({.six_permutations = GetParam(), .batch_rows = 7});
  }

  std::vector<Row> scan(const IdPattern& pattern, rdf::Permutation permutation) {
    std::vector<Row> rows;
    auto cursor = source_->scan(pattern, permutation, {});
    EXPECT_TRUE(cursor.ok());
    for (rdf::IdBatch batch;;) {
      EXPECT_TRUE((*cursor)->next(batch).ok());
      if (batch.size() == 0) {
        return rows;
      }
      EXPECT_LE(batch.size(), 7);
      for (size_t i = 0; i < batch.size(); ++i) {
        const TermId graph =
            pattern.scope == rdf::GraphScope::kAllNamed ? batch.graph[i] : pattern.graph;
        rows.push_back({graph, batch.subject[i], batch.predicate[i], batch.object[i]});
      }
    }
  }

  std::unique_ptr<VectorSource> source_;
};

// Within one graph: subjects and objects ascend, predicates come in groups.
void expect_order(const std::vector<Row>& rows, rdf::Permutation permutation) {
  std::set<std::array<TermId, 4>> groups;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i - 1][0] != rows[i][0]) {
      continue;
    }
    std::array<TermId, 4> prefix = {rows[i][0], 0, 0, 0};
    for (size_t p = 0; p < 3; ++p) {
      const rdf::Position position = positions(permutation)[p];
      const size_t column = 1 + static_cast<size_t>(position);
      prefix[p + 1] = rows[i][column];
      if (rows[i - 1][column] == rows[i][column]) {
        continue;
      }
      if (position == rdf::Position::kPredicate) {
        EXPECT_TRUE(groups.insert(prefix).second) << "a group of predicates comes twice";
      } else {
        EXPECT_LT(rows[i - 1][column], rows[i][column]);
      }
      break;
    }
  }
}

TEST_P(VectorSourceTest, EveryPatternGivesItsRowsInOrderAndCountsThem) {
  std::vector<Row> all = scan({}, rdf::Permutation::kSpo);
  IdPattern named;
  named.scope = rdf::GraphScope::kAllNamed;
  const std::vector<Row> in_graphs = scan(named, rdf::Permutation::kSpo);
  all.insert(all.end(), in_graphs.begin(), in_graphs.end());
  ASSERT_GT(all.size(), 300);
  base::Random random(5);
  for (int i = 0; i < 2'000; ++i) {
    const Row& like = all[random.below(all.size())];
    IdPattern pattern;
    pattern.scope = static_cast<rdf::GraphScope>(random.below(3));
    pattern.graph = pattern.scope == rdf::GraphScope::kOne ? like[0] : 0;
    if (pattern.scope == rdf::GraphScope::kOne && pattern.graph == 0) {
      continue;
    }
    pattern.subject = random.chance(1, 2) ? like[1] : 0;
    pattern.predicate = random.chance(1, 2) ? like[2] : 0;
    pattern.object = random.chance(1, 2) ? like[3] : 0;
    std::set<Row> wanted;
    for (const Row& row : all) {
      const bool in_scope =
          pattern.scope == rdf::GraphScope::kAllNamed ? row[0] != 0 : row[0] == pattern.graph;
      if (in_scope && (pattern.subject == 0 || pattern.subject == row[1]) &&
          (pattern.predicate == 0 || pattern.predicate == row[2]) &&
          (pattern.object == 0 || pattern.object == row[3])) {
        wanted.insert(row);
      }
    }
    const auto permutation = static_cast<rdf::Permutation>(random.below(GetParam() ? 6 : 3));
    const std::vector<Row> rows = scan(pattern, permutation);
    EXPECT_EQ(rows.size(), wanted.size());
    EXPECT_EQ(std::set<Row>(rows.begin(), rows.end()), wanted);
    expect_order(rows, permutation);
    const auto cardinality = source_->cardinality(pattern);
    EXPECT_TRUE(cardinality->exact);
    EXPECT_EQ(cardinality->rows, static_cast<double>(wanted.size()));
  }
}

TEST_P(VectorSourceTest, SeekSkipsOnlyRowsBeforeTheKey) {
  for (const rdf::Permutation permutation : {rdf::Permutation::kSpo, rdf::Permutation::kOsp}) {
    const std::vector<Row> all = scan({}, permutation);
    const size_t column = 1 + static_cast<size_t>(positions(permutation)[0]);
    for (TermId key = 0; key < 20; ++key) {
      auto cursor = source_->scan({}, permutation, {});
      ASSERT_TRUE((*cursor)->seek(key, 0).ok());
      size_t rows = 0;
      for (rdf::IdBatch batch;;) {
        ASSERT_TRUE((*cursor)->next(batch).ok());
        rows += batch.size();
        if (batch.size() == 0) {
          break;
        }
      }
      EXPECT_EQ(rows, std::count_if(all.begin(), all.end(),
                                    [&](const Row& row) { return row[column] >= key; }));
    }
  }
}

TEST_P(VectorSourceTest, TokensAndIdsAreInverse) {
  const std::vector<std::string_view> wanted = {"<t3>", "<nowhere>", "<g1>"};
  std::vector<TermId> ids;
  ASSERT_TRUE(source_->find(wanted, ids).ok());
  ASSERT_EQ(ids.size(), 3);
  EXPECT_EQ(ids[1], rdf::kNoTerm);
  std::vector<std::string> tokens;
  const std::vector<TermId> known = {ids[2], ids[0]};
  ASSERT_TRUE(source_->tokens(known, tokens).ok());
  EXPECT_THAT(tokens, testing::ElementsAre("<g1>", "<t3>"));
  EXPECT_EQ(source_->graphs()->size(), 3);
}

INSTANTIATE_TEST_SUITE_P(Orders, VectorSourceTest, testing::Bool());

}  // namespace
}  // namespace weft::exec

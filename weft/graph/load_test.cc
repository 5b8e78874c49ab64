#include "weft/graph/load.h"

#include <gmock/gmock.h>

#include "weft/graph/create.h"
#include "weft/graph/testing/graph_place.h"

namespace weft::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kAdaAndBen =
    R"({"type":"Person","data":{"name":"Ada","age":36,"tags":["x"]}}
{"edge":"Knows","from":"Ada","to":"Ben","data":{"id":"k1","since":"1840-01-02"}}
{"type":"Person","data":{"name":"Ben","age":9}}
{"type":"City","data":{"name":"Oslo"}}
{"edge":"LivesIn","from":"Ada","to":"Oslo"}
)";

class LoadTest : public testing::Test, public GraphPlace {
 protected:
  void SetUp() override {
    ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kPeople}).ok());
  }
  Result<LoadResult> run(std::string_view lines, LoadRequest request = {}) {
    codec::MemoryInputView input(lines);
    return load(place(), ana(), request, input, {});
  }
  // "id|column|…" of each row.
  std::vector<std::string> rows(std::string_view type) {
    const auto graph = open_snapshot(place()).value();
    const TypeTable* table = graph->find_node(type);
    table = table != nullptr ? table : graph->find_edge(type);
    auto reader = table->reader();
    EXPECT_TRUE(reader.ok()) << reader.error().to_string();
    const auto scan = (*reader)->scan().value();
    std::vector<std::string> found;
    while (const auto next = scan->next().value()) {
      for (size_t row = 0; row < next->batch.row_count(); ++row) {
        std::string text;
        for (const columns::ArrayPtr& column : next->batch.columns()) {
          text += (text.empty() ? "" : "|") + columns::element_text(*column, row);
        }
        found.push_back(text);
      }
    }
    std::ranges::sort(found);
    return found;
  }
  static std::vector<std::string> violations(const Result<LoadResult>& result) {
    std::vector<std::string> found;
    if (!result.ok()) {
      for (const Error::Fact& fact : result.error().facts()) {
        found.push_back(fact.value);
      }
    }
    return found;
  }
};

TEST_F(LoadTest, OneCommitHasAllRows) {
  const auto done = run(kAdaAndBen, {.message = "first"});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_EQ(done->receipt->commit.catalog_version, 2U);
  EXPECT_EQ(done->receipt->commit.kind, "load");
  EXPECT_EQ(done->receipt->commit.message, "first");
  EXPECT_TRUE(done->receipt->has_followed);
  EXPECT_EQ(done->nodes, (std::map<std::string, uint64_t>{{"City", 1}, {"Person", 2}}));
  EXPECT_EQ(done->edges, (std::map<std::string, uint64_t>{{"Knows", 1}, {"LivesIn", 1}}));
  EXPECT_THAT(rows("Person"), ElementsAre(R"("Ada"|"Ada"|36|["x"])", R"("Ben"|"Ben"|9|null)"));
  EXPECT_THAT(rows("Knows"), ElementsAre(R"("k1"|"Ada"|"Ben"|1840-01-02)"));
}

TEST_F(LoadTest, AppendRefusesIdsThatAreThere) {
  ASSERT_TRUE(run(kAdaAndBen).ok());
  const auto again = run(R"({"type":"Person","data":{"name":"Cy"}}
{"type":"Person","data":{"name":"Ada"}}
{"edge":"Knows","from":"Cy","to":"Ada","data":{"id":"k1"}}
)");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_THAT(violations(again),
              ElementsAre(R"(line 2: key_conflict: Person "Ada" is there already)",
                          R"(line 3: key_conflict: Knows "k1" is there already)"));
  EXPECT_EQ((*open_snapshot(place()))->commit().catalog_version, 2U);
}

TEST_F(LoadTest, MergeReplacesWholeRowsAndAddsOthers) {
  ASSERT_TRUE(run(kAdaAndBen).ok());
  const auto done = run(R"({"type":"Person","data":{"name":"Cy","age":1}}
{"type":"Person","data":{"name":"Ada"}}
{"edge":"Knows","from":"Ben","to":"Cy","data":{"id":"k1"}}
)",
                        {.mode = LoadMode::kMerge});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_THAT(rows("Person"), ElementsAre(R"("Ada"|"Ada"|null|null)", R"("Ben"|"Ben"|9|null)",
                                          R"("Cy"|"Cy"|1|null)"));
  EXPECT_THAT(rows("Knows"), ElementsAre(R"("k1"|"Ben"|"Cy"|null)"));
  EXPECT_THAT(rows("LivesIn").size(), 1U);
}

TEST_F(LoadTest, OverwriteReplacesTheTypesOfTheLoadOnly) {
  ASSERT_TRUE(run(kAdaAndBen).ok());
  const auto refused =
      run(R"({"type":"Person","data":{"name":"Cy"}})", {.mode = LoadMode::kOverwrite});
  // Edges that stay would lose their ends.
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("dangling_endpoint"));
  const auto done = run(R"({"edge":"Knows","from":"Ben","to":"Ada","data":{"id":"k9"}})",
                        {.mode = LoadMode::kOverwrite});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_THAT(rows("Knows"), ElementsAre(R"("k9"|"Ben"|"Ada"|null)"));
  EXPECT_THAT(rows("Person").size(), 2U);
}

TEST_F(LoadTest, AllViolationsAreToldTogether) {
  const auto refused = run(R"({"type":"Person","data":{"name":"Ada","age":200}}
{"edge":"Knows","from":"Ada","to":"Nobody"}
{"type":"Persn","data":{}}
)");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  const auto found = violations(refused);
  ASSERT_EQ(found.size(), 3U) << refused.error().to_string();
  EXPECT_THAT(found[0], HasSubstr("line 1: range"));
  EXPECT_THAT(found[1], HasSubstr("line 2: dangling_endpoint"));
  EXPECT_THAT(found[2], HasSubstr("line 3: unknown_type"));
  EXPECT_THAT(rows("Person"), IsEmpty());
}

TEST_F(LoadTest, CardinalityCountsStoredAndLoadedEdges) {
  ASSERT_TRUE(run(kAdaAndBen).ok());
  const auto refused = run(R"({"type":"City","data":{"name":"Bern"}}
{"edge":"LivesIn","from":"Ada","to":"Bern"}
{"edge":"LivesIn","from":"Ben","to":"Bern"}
)");
  EXPECT_THAT(
      violations(refused),
      ElementsAre(R"(line 2: cardinality: @card of LivesIn: Person "Ada" has 2 edges, not 0..1)"));
}

TEST_F(LoadTest, ADryRunChecksAndWritesNothing) {
  const auto done = run(kAdaAndBen, {.dry_run = true});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_FALSE(done->receipt.has_value());
  EXPECT_EQ(done->nodes.at("Person"), 2U);
  EXPECT_THAT(rows("Person"), IsEmpty());
}

TEST_F(LoadTest, AnOperationIsLoadedOnce) {
  const LoadRequest request{.operation = ulid()};
  const auto first = run(kAdaAndBen, request);
  const auto second = run(kAdaAndBen, request);
  ASSERT_TRUE(second.ok()) << second.error().to_string();
  EXPECT_TRUE(second->receipt->is_repeated);
  EXPECT_EQ(second->receipt->commit, first->receipt->commit);
}

TEST_F(LoadTest, AnotherHeadThanExpectedIsTold) {
  ASSERT_TRUE(run("").ok());
  const auto refused = run(kAdaAndBen, {.expected_head = ulid()});
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(refused.error().fact("reason"), "precondition");
}

TEST_F(LoadTest, ManyRowsAreWrittenAsTheyComeAndMerged) {
  constexpr size_t kRows = 70'000;
  std::string lines;
  for (size_t i = 0; i < kRows; ++i) {
    lines += R"({"type":"Person","data":{"name":"p)" + std::to_string(i) + R"(","age":1}})" + "\n";
  }
  ASSERT_TRUE(run(lines).ok());
  EXPECT_EQ(run(lines).error().kind(), ErrorKind::kAlreadyExists);
  lines.resize(lines.find(R"("name":"p69999")"));
  lines.resize(lines.rfind('\n') + 1);
  for (size_t at = lines.find(R"("age":1)"); at != std::string::npos;
       at = lines.find(R"("age":1)", at)) {
    lines[at + 6] = '2';
  }
  lines = R"({"type":"Person","data":{"name":"first"}})" + ("\n" + lines);
  const auto done = run(lines, {.mode = LoadMode::kMerge});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  const auto found = rows("Person");
  EXPECT_EQ(found.size(), kRows + 1);
  EXPECT_EQ(std::ranges::count(found, R"("p69999"|"p69999"|1|null)"), 1);
  EXPECT_EQ(std::ranges::count(found, R"("p12345"|"p12345"|2|null)"), 1);
}

}  // namespace
}  // namespace weft::graph

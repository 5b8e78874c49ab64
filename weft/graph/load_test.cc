#include "weft/graph/load.h"

#include <functional>
#include <utility>

#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/graph/create.h"
#include "weft/graph/stage_load.h"
#include "weft/graph/testing/graph_place.h"
#include "weft/lance/table/key_filter.h"

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

TEST_F(LoadTest, AnIdempotencyKeyStandsForOneLoad) {
  const LoadRequest request{.idempotency_key = "monday"};
  const auto first = run(kAdaAndBen, request);
  const auto second = run(kAdaAndBen, request);
  ASSERT_TRUE(second.ok()) << second.error().to_string();
  EXPECT_TRUE(second->receipt->is_repeated);
  EXPECT_EQ(second->receipt->commit.id, first->receipt->commit.id);
  const auto other = run(R"({"type":"Person","data":{"name":"Cy"}})", request);
  EXPECT_EQ(other.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(other.error().fact("reason"), "idempotency-key");
}

TEST_F(LoadTest, ABranchGetsRowsOfItsOwn) {
  ASSERT_TRUE(run(kAdaAndBen).ok());
  const auto main = catalog::open_latest(place());
  const auto branch = catalog::create_branch(place(), *main, "review", {.actor = "ana"});
  ASSERT_TRUE(branch.ok()) << branch.error().to_string();
  const std::string cy = R"({"type":"Person","data":{"name":"Cy","age":1}})";
  const std::string dee = R"({"type":"Person","data":{"name":"Dee"}}
{"type":"Person","data":{"name":"Ada"}})";
  const auto small = run(cy, {.branch = "review"});
  ASSERT_TRUE(small.ok()) << small.error().to_string();
  const auto large =
      run(dee, {.mode = LoadMode::kMerge, .branch = "review", .waiting_rows_max = 0});
  ASSERT_TRUE(large.ok()) << large.error().to_string();
  EXPECT_EQ((*open_snapshot(place()))->find_node("Person")->row_count(), 2U);
  const auto review = open_snapshot(place(), {.branch = "review"});
  ASSERT_TRUE(review.ok()) << review.error().to_string();
  const auto reader = (*review)->find_node("Person")->reader();
  ASSERT_TRUE(reader.ok()) << reader.error().to_string();
  const auto rows = (*reader)->take({"id"}, std::vector<uint64_t>{0, 1, 2, 3});
  ASSERT_TRUE(rows.ok()) << rows.error().to_string();
  EXPECT_EQ((*reader)->row_count(), 4U);
  // A commit is found by its id on whatever branch it is.
  const auto by_id = open_snapshot(place(), {.at = small->receipt->commit.id});
  ASSERT_TRUE(by_id.ok()) << by_id.error().to_string();
  EXPECT_EQ((*by_id)->find_node("Person")->row_count(), 3U);
  EXPECT_EQ(run(cy, {.branch = "review"}).error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(run(cy, {.branch = "other"}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(LoadTest, AnotherHeadThanExpectedIsTold) {
  ASSERT_TRUE(run("").ok());
  const auto refused = run(kAdaAndBen, {.expected_head = ulid()});
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(refused.error().fact("reason"), "precondition");
}

// Lines whose reader meets what somebody else loads meanwhile.
class Interrupted final : public codec::InputStream {
 public:
  Interrupted(std::string_view lines, std::function<void()> meanwhile)
      : lines_(lines), meanwhile_(std::move(meanwhile)) {}
  Result<size_t> read(std::span<std::byte> out) override {
    if (meanwhile_) {
      std::exchange(meanwhile_, nullptr)();
    }
    return lines_.read(out);
  }

 private:
  codec::MemoryInputView lines_;
  std::function<void()> meanwhile_;
};

TEST_F(LoadTest, WhatOthersPublishMeanwhileIsLookedAt) {
  ASSERT_TRUE(run(kAdaAndBen).ok());
  const auto against = [&](std::string_view theirs, std::string_view ours, LoadMode mode) {
    Interrupted input(ours, [&] { ASSERT_TRUE(run(theirs, {.mode = LoadMode::kMerge}).ok()); });
    return load(place(), ana(), {.mode = mode}, input, {});
  };
  constexpr std::string_view kCy = R"({"type":"Person","data":{"name":"Cy","age":1}})";
  constexpr std::string_view kDee = R"({"type":"Person","data":{"name":"Dee","age":2}})";
  constexpr std::string_view kKnowsDee = R"({"edge":"Knows","from":"Ada","to":"Dee"})";
  EXPECT_TRUE(against(kDee, kCy, LoadMode::kAppend).ok());
  EXPECT_EQ(against(kDee, kDee, LoadMode::kAppend).error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_TRUE(against(kDee, kKnowsDee, LoadMode::kAppend).ok());
  EXPECT_TRUE(against(kDee, R"({"type":"Person","data":{"name":"Dee"}})", LoadMode::kMerge).ok());
  EXPECT_THAT(rows("Person"), testing::Contains(R"("Dee"|"Dee"|null|null)"));
  const auto refused = against(kDee, kKnowsDee, LoadMode::kOverwrite);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(refused.error().fact("reason"), "read-set-changed");
}

TEST_F(LoadTest, CommitsOfNewKeysCarryTheirFilterAndTheCertificate) {
  ASSERT_TRUE(run(kAdaAndBen).ok());
  const auto transaction = [&] {
    const auto graph = open_snapshot(place()).value();
    return **(*graph->find_node("Person")->reader())->snapshot().transaction();
  };
  const lance::Transaction inserted = transaction();
  const auto& update = std::get<lance::UpdateOperation>(inserted.operation);
  ASSERT_TRUE(update.inserted_keys.has_value());
  const auto filter = lance::KeyFilter::parse(as_bytes(*update.inserted_keys)).value();
  EXPECT_TRUE(filter.may_contain("Ada"));
  EXPECT_FALSE(filter.may_contain("Nobody"));
  EXPECT_EQ(*lance::find_entry(inserted.properties, kInsertAbsence), "v1");
  EXPECT_EQ(update.fields_for_preserving_bitmap.size(), 5U);  // with the item of the list
  ASSERT_TRUE(run(R"({"type":"Person","data":{"name":"Ada"}})", {.mode = LoadMode::kMerge}).ok());
  EXPECT_EQ(lance::find_entry(transaction().properties, kInsertAbsence), nullptr);
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

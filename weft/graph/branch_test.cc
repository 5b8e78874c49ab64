// Branches of property graphs, and how they differ.
#include "weft/graph/branch.h"

#include <gmock/gmock.h>

#include "weft/codec/stream.h"
#include "weft/graph/create.h"
#include "weft/graph/diff.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/graph/testing/graph_place.h"

namespace weft::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kBegin = R"({"type":"Person","data":{"name":"Ada","age":36}}
{"type":"Person","data":{"name":"Ben","age":9}}
{"type":"Person","data":{"name":"Cem","age":20}}
{"type":"City","data":{"name":"Oslo"}}
{"edge":"LivesIn","from":"Ada","to":"Oslo","data":{"id":"l1"}}
)";

class GraphBranch : public testing::Test, public GraphPlace {
 protected:
  void SetUp() override {
    ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kPeople}).ok());
    load_into("main", kBegin);
  }
  void load_into(const std::string& branch, std::string_view lines,
                 LoadMode mode = LoadMode::kAppend) {
    codec::MemoryInputView input(lines);
    const auto loaded = load(place(), ana(), {.mode = mode, .branch = branch}, input, {});
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  }
  std::shared_ptr<const GraphSnapshot> open(const std::string& branch) {
    const auto graph = open_snapshot(place(), {.branch = branch, .at = Newest()});
    EXPECT_TRUE(graph.ok()) << branch;
    return graph.ok() ? *graph : nullptr;
  }
  uint64_t people(const std::string& branch) {
    return open(branch)->find_node("Person")->row_count();
  }
  // "added Person Dee", "changed Person Ada age", …
  std::vector<std::string> diff(const std::string& from, const std::string& to) {
    std::vector<std::string> found;
    const auto take = [&](const RowDifference& difference) {
      std::string text = std::string(row_difference_name(difference.kind)) + " " +
                         difference.table->name() + " " + std::string(difference.id);
      for (const size_t column : difference.cells) {
        text += " " + difference.table->columns()->fields[column].name;
      }
      found.push_back(text);
      return ok_status();
    };
    const Status done = diff_graphs(*open(from), *open(to), take, {});
    EXPECT_TRUE(done.ok()) << done.error().to_string();
    return found;
  }
};

TEST_F(GraphBranch, LoadsGoToTheirBranchAlone) {
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  load_into("review", R"({"type":"Person","data":{"name":"Dee"}})");
  load_into("review", R"({"edge":"Knows","from":"Dee","to":"Ada","data":{"id":"k1"}})");
  EXPECT_EQ(people("review"), 4U);
  EXPECT_EQ(people("main"), 3U);
  EXPECT_EQ(open("review")->find_edge("Knows")->row_count(), 1U);
  EXPECT_EQ(open("main")->find_edge("Knows")->row_count(), 0U);
  load_into("main", R"({"type":"Person","data":{"name":"Eve"}})");
  EXPECT_EQ(people("review"), 4U);
  EXPECT_EQ(people("main"), 4U);
  // All rows are there: inherited ones, and those in the branch's own files.
  const auto review = open("review");
  const auto reader = review->find_node("Person")->reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->verify()->rows, 4U);
}

TEST_F(GraphBranch, AKeyOfTheParentIsThereInTheBranch) {
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  codec::MemoryInputView input(R"({"type":"Person","data":{"name":"Ada"}})");
  const auto refused = load(place(), ana(), {.branch = "review"}, input, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kAlreadyExists);
}

TEST_F(GraphBranch, ABranchFromAnEarlierCommitAndOfABranch) {
  const base::Ulid before = open("main")->commit().id;
  load_into("main", R"({"type":"Person","data":{"name":"Dee"}})");
  ASSERT_TRUE(create_branch(place(), ana(), "old", {.branch = "main", .at = before}).ok());
  EXPECT_EQ(people("old"), 3U);
  load_into("old", R"({"type":"Person","data":{"name":"Fay"}})");
  ASSERT_TRUE(create_branch(place(), ana(), "older", {.branch = "old", .at = Newest()}).ok());
  EXPECT_EQ(people("older"), 4U);
  EXPECT_EQ(create_branch(place(), ana(), "x", {.branch = "none", .at = Newest()}).error().kind(),
            ErrorKind::kNotFound);
  EXPECT_EQ(open_snapshot(place(), {.branch = "none", .at = Newest()}).error().kind(),
            ErrorKind::kNotFound);
}

TEST_F(GraphBranch, ACommitWhoseVersionIsGoneIsCorruptAndNamed) {
  const base::Ulid before = open("main")->commit().id;
  const uint64_t version = open("main")->view().version();
  load_into("main", R"({"type":"Person","data":{"name":"Dee"}})");
  ASSERT_TRUE(store_.remove(place().location().object(lance::manifest_name(version))).ok());
  const auto gone = open_snapshot(place(), {.at = before});
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().kind(), ErrorKind::kCorrupt) << gone.error().to_string();
  EXPECT_EQ(gone.error().fact("commit"), before.text());
  EXPECT_EQ(gone.error().fact("version"), std::to_string(version));
  const auto never = open_snapshot(place(), {.at = ulid()});
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(people("main"), 4U);
}

TEST_F(GraphBranch, ADeletedBranchIsNotOpened) {
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  load_into("review", R"({"type":"Person","data":{"name":"Dee"}})");
  ASSERT_TRUE(delete_branch(place(), ana(), "review", "done with it").ok());
  EXPECT_EQ(open_snapshot(place(), {.branch = "review", .at = Newest()}).error().kind(),
            ErrorKind::kNotFound);
  codec::MemoryInputView input(R"({"type":"Person","data":{"name":"Late"}})");
  EXPECT_EQ(load(place(), ana(), {.branch = "review"}, input, {}).error().kind(),
            ErrorKind::kNotFound);
  EXPECT_EQ(delete_branch(place(), ana(), "main").error().kind(), ErrorKind::kInvalid);
}

TEST_F(GraphBranch, TheDifferenceIsRowsAndCells) {
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  EXPECT_THAT(diff("main", "review"), IsEmpty());
  load_into("review",
            R"({"type":"Person","data":{"name":"Ada","age":37}}
{"type":"Person","data":{"name":"Ben","age":9}}
{"type":"Person","data":{"name":"Dee","age":1}}
{"edge":"Knows","from":"Dee","to":"Ada","data":{"id":"k1"}}
)",
            LoadMode::kMerge);
  EXPECT_THAT(diff("main", "review"),
              ElementsAre("changed Person Ada age", "added Person Dee", "added Knows k1"));
  EXPECT_THAT(diff("review", "main"),
              ElementsAre("changed Person Ada age", "removed Person Dee", "removed Knows k1"));
  load_into("main", R"({"type":"Person","data":{"name":"Cem","age":21}})", LoadMode::kMerge);
  load_into("main", R"({"type":"City","data":{"name":"Oslo"}}
{"type":"City","data":{"name":"Rome"}}
)",
            LoadMode::kOverwrite);
  // Oslo was written anew and is the same.
  EXPECT_THAT(diff("main", "review"),
              ElementsAre("removed City Rome", "changed Person Ada age", "changed Person Cem age",
                          "added Person Dee", "added Knows k1"));
}

TEST_F(GraphBranch, ADifferenceOfTooManyRowsIsRefused) {
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  load_into("review", R"({"type":"City","data":{"name":"Bern"}}
{"type":"City","data":{"name":"Rome"}}
)");
  const auto ignore = [](const RowDifference&) { return ok_status(); };
  EXPECT_TRUE(diff_graphs(*open("main"), *open("review"), ignore, {}, 3).ok());
  EXPECT_EQ(diff_graphs(*open("main"), *open("review"), ignore, {}, 1).error().kind(),
            ErrorKind::kLimit);
}

}  // namespace
}  // namespace weft::graph

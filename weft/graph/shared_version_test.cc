// Commits that share a version of the catalog (weft/txn/write_queue.h), for those who come after.
#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/codec/stream.h"
#include "weft/graph/branch.h"
#include "weft/graph/cleanup.h"
#include "weft/graph/create.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/graph/open_graph.h"
#include "weft/graph/testing/graph_place.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/storage/testing/ends_before_sync.h"
#include "weft/txn/group_write.h"

namespace weft::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SharedVersionTest : public testing::Test, public GraphPlace {
 protected:
  void SetUp() override {
    ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kPeople}).ok());
    codec::MemoryInputView input(R"({"type":"Person","data":{"name":"Ada","age":1}}
{"type":"Person","data":{"name":"Ben","age":2}}
{"type":"Person","data":{"name":"Cem","age":3}})");
    ASSERT_TRUE(load(place(), ana(), {}, input, {}).ok());
    share();
  }
  static txn::WriteRequest request(std::string key) {
    return {.kind = "mutate", .actor = "ana", .idempotency_key = std::move(key)};
  }
  // The first row that is there, of the first three.
  static Result<txn::Change> remove(txn::Capture& capture) {
    WEFT_TRY(const lance::Snapshot base, capture.table("node:Person"));
    txn::Change change;
    txn::TableChange& table = change.tables.emplace_back();
    table.key = "node:Person";
    table.identity = capture.view()->state().find("node:Person")->identity;
    const uint32_t row = base.manifest().fragments.front().deletion_file ? 1 : 0;
    WEFT_TRY(table.staged,
             lance::stage_delete(base, {lance::row_address(0, row)}, capture.row_options()));
    return change;
  }
  // One version with two commits, each of which removes the first row that it finds.
  void share() {
    OpenGraph open(store_, clock_, executor_);
    const txn::WriteRequest one = request("one");
    const txn::WriteRequest two = request("two");
    const txn::Prepare remove = &SharedVersionTest::remove;
    txn::GroupMember first{&one, &remove, {}};
    txn::GroupMember second{&two, &remove, {}};
    txn::write_group(open.place(random_), {&first, &second});
    ASSERT_TRUE(first.result->ok()) << first.result->error().to_string();
    ASSERT_TRUE(second.result->ok()) << second.result->error().to_string();
    first_ = (*first.result)->commit;
    second_ = (*second.result)->commit;
    ASSERT_EQ(first_.catalog_version, second_.catalog_version);
  }
  std::string exported(const GraphPoint& point = {}) {
    const auto graph = open_snapshot(place(), point);
    EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().to_string());
    codec::StringOutput out;
    const Status done = graph.ok() ? export_graph(**graph, {}, out, {}) : ok_status();
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().to_string());
    return std::move(out).text();
  }

  catalog::CommitRecord first_;
  catalog::CommitRecord second_;
};

// The detached version of the first is named by nothing but its earlier_pins.
TEST_F(SharedVersionTest, ACleanupKeepsWhatAnEarlierCommitOfAVersionNeeds) {
  ASSERT_FALSE(first_.earlier_pins.empty());
  const std::string then = exported({.at = first_.id});
  EXPECT_THAT(then, Not(HasSubstr("Ada")));
  EXPECT_THAT(then, HasSubstr("Ben"));
  const auto cleaned = clean_graph(place(), ana(), {.keep_us = 0, .grace_us = 0}, {});
  ASSERT_TRUE(cleaned.ok()) << cleaned.error().to_string();
  EXPECT_EQ(exported({.at = first_.id}), then);
  EXPECT_THAT(exported({.at = second_.id}), Not(HasSubstr("Ben")));
  const auto again = clean_graph(place(), ana(), {.keep_us = 0, .grace_us = 0}, {});
  EXPECT_THAT(again->removed, IsEmpty());
}

TEST_F(SharedVersionTest, ABranchOfAnEarlierCommitHasWhatThatCommitHad) {
  const std::string then = exported({.at = first_.id});
  const auto life = create_branch(place(), ana(), "review", {.at = first_.id});
  ASSERT_TRUE(life.ok()) << life.error().to_string();
  EXPECT_EQ(exported({.branch = "review", .at = Newest()}), then);
  // It goes on from there, beside the commits that came later in main.
  codec::MemoryInputView input(R"({"type":"Person","data":{"name":"Dee","age":4}})");
  const auto loaded = load(place(), ana(), {.branch = "review"}, input, {});
  ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  EXPECT_EQ(loaded->receipt->commit.parent, first_.id);
  const GraphPoint newest{.branch = "review", .at = Newest()};
  EXPECT_THAT(exported(newest), HasSubstr("Dee"));
  EXPECT_THAT(exported(newest), HasSubstr("Ben"));
  EXPECT_THAT(exported(newest), Not(HasSubstr("Ada")));
  EXPECT_THAT(exported(), Not(HasSubstr("Ben")));
  const auto commits = (*open_snapshot(place(), newest))->view().commits(10);
  ASSERT_THAT(*commits, testing::SizeIs(4));
  EXPECT_EQ((*commits)[1].id, first_.id);
}

// What is left of its chain is the whole version that the branch comes from, not the commit.
TEST_F(SharedVersionTest, AFirstWriteThatEndsBeforeItsPublicationChangesNothing) {
  const std::string then = exported({.at = first_.id});
  const auto life = create_branch(place(), ana(), "review", {.at = first_.id});
  ASSERT_TRUE(life.ok()) << life.error().to_string();
  const std::string chain = catalog::place_of(place(), *life).location().object("_versions/");
  storage::EndsBeforeSync ends(chain);
  storage::MemoryStore dying(disk_, &ends);
  catalog::CatalogPlace at = place();
  codec::MemoryInputView lost(R"({"type":"Person","data":{"name":"Fay","age":3}})");
  EXPECT_FALSE(load({.store = dying,
                     .clock = at.clock,
                     .random = at.random,
                     .executor = at.executor,
                     .life = {}},
                    ana(), {.branch = "review"}, lost, {})
                   .ok());
  ASSERT_TRUE(ends.has_ended());
  ASSERT_FALSE(store_.list(chain, false)->empty());
  EXPECT_EQ(exported({.branch = "review", .at = Newest()}), then);
  codec::MemoryInputView input(R"({"type":"Person","data":{"name":"Dee","age":4}})");
  const auto loaded = load(place(), ana(), {.branch = "review"}, input, {});
  ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  EXPECT_EQ(loaded->receipt->commit.parent, first_.id);
  const std::string now = exported({.branch = "review", .at = Newest()});
  EXPECT_THAT(now, AllOf(HasSubstr("Dee"), HasSubstr("Ben"), Not(HasSubstr("Ada"))));
}

// Else it would be told to have been done where its rows are not.
TEST_F(SharedVersionTest, WhatALaterCommitDidIsNotDoneInABranchOfAnEarlierOne) {
  for (const bool is_by_key : {true, false}) {
    for (const bool is_written : {false, true}) {
      const std::string name = std::string(is_by_key ? "k" : "o") + (is_written ? "w" : "");
      ASSERT_TRUE(create_branch(place(), ana(), name, {.at = first_.id}).ok());
      if (is_written) {
        codec::MemoryInputView input(R"({"type":"Person","data":{"name":"Dee","age":4}})");
        ASSERT_TRUE(load(place(), ana(), {.branch = name}, input, {}).ok());
      }
      const catalog::CatalogPlace branch = *catalog::open_branch(place(), name);
      const auto again = [&](const catalog::CommitRecord& commit) {
        txn::WriteRequest repeated = request(is_by_key ? commit.idempotency_key : "");
        repeated.operation = is_by_key ? base::Ulid() : commit.operation;
        return txn::write(branch, repeated, remove);
      };
      const auto first = again(first_);
      ASSERT_TRUE(first.ok()) << first.error().to_string();
      EXPECT_TRUE(first->is_repeated) << name;
      EXPECT_EQ(first->commit.id, first_.id);
      const auto second = again(second_);
      ASSERT_TRUE(second.ok()) << second.error().to_string();
      EXPECT_FALSE(second->is_repeated) << name;
      EXPECT_THAT(exported({.branch = name, .at = Newest()}), Not(HasSubstr("Ben")));
      EXPECT_TRUE(again(second_)->is_repeated);
      EXPECT_EQ(again(second_)->commit.id, second->commit.id);
    }
  }
}

}  // namespace
}  // namespace weft::graph

// What a writer does with a publication that it sees and that is not durable yet, because whoever
// made it came to his end before his sync. The simulation found these first.
#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/testing/ends_before_sync.h"
#include "weft/txn/testing/graph_fixture.h"

namespace weft::txn {
namespace {

using Ids = std::multiset<int64_t>;

class UnsyncedTest : public testing::Test {
 protected:
  catalog::CatalogPlace place(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  catalog::CatalogPlace place() { return place(store_); }
  // Rows that everybody sees and that nothing has synced.
  void publish_and_end(const std::vector<Insert>& rows) {
    storage::EndsBeforeSync ends("__manifest/_versions/");
    storage::MemoryStore dying(disk_, &ends);
    EXPECT_FALSE(insert(place(dying), rows).ok());
    ASSERT_TRUE(ends.has_ended());
  }

  base::SystemClock clock_;
  base::Random random_{17};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
};

// A head that outlives what published it would be taken for rows of another program.
TEST_F(UnsyncedTest, AHeadIsBroughtOnlyOnceItsPublicationIsDurable) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  publish_and_end({{"node:A", {2}}});
  ASSERT_EQ(published(place(), "node:A"), (Ids{1, 2}));
  // The next writer brings the head, and comes to his end before he publishes anything.
  const auto next =
      write(place(), {.kind = "mutate", .actor = "ben"}, [](Capture& capture) -> Result<Change> {
        WEFT_TRY_STATUS(capture.table("node:A"));
        return Error(ErrorKind::kInvalid, "no");
      });
  ASSERT_EQ(next.error().kind(), ErrorKind::kInvalid) << next.error().to_string();
  ASSERT_EQ(head_of(place(), "node:A")->version(), 2U);
  disk_.lose_unsynced();
  EXPECT_EQ(published(place(), "node:A"), ids_of(*head_of(place(), "node:A")));
  const auto after = insert(place(), {{"node:A", {3}}});
  ASSERT_TRUE(after.ok()) << after.error().to_string();
  EXPECT_EQ(published(place(), "node:A"), (Ids{1, 2, 3}));
}

// Else the chain would have a gap below a commit that was acknowledged: the commit that stood there
// could be found, by its id or operation, and never be read. A write that needs no head brought is
// the one that shows it.
TEST_F(UnsyncedTest, WhatIsBuiltUponIsDurableBeforeItHasASuccessor) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}, {"node:B", {1}}}).ok());
  publish_and_end({{"node:A", {2}}});
  const auto next = insert(place(), {{"node:B", {2}}});
  ASSERT_TRUE(next.ok()) << next.error().to_string();
  ASSERT_EQ(next->commit.catalog_version, 3U);
  disk_.lose_unsynced();
  const auto newest = catalog::open_latest(place());
  ASSERT_EQ(newest->version(), 3U);
  const auto commits = newest->commits(10);
  ASSERT_EQ(commits->size(), 3U);
  const catalog::CommitRecord& lost = (*commits)[1];
  const auto then = catalog::open_commit(place(), lost);
  ASSERT_TRUE(then.ok()) << then.error().to_string();
  EXPECT_EQ(ids_of(*catalog::open_pinned(place(), *then->state().find("node:A"))), (Ids{1, 2}));
  // Whoever made it asks for its operation, and gets a commit that is there.
  WriteRequest again;
  again.operation = lost.operation;
  const auto receipt = insert(place(), {{"node:A", {2}}}, again);
  ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
  EXPECT_TRUE(receipt->is_repeated);
  EXPECT_TRUE(catalog::open_commit(place(), receipt->commit).ok());
}

TEST_F(UnsyncedTest, ABranchBeginsAtWhatIsDurable) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  publish_and_end({{"node:A", {2}}});
  const auto seen = catalog::open_latest(place());
  ASSERT_EQ(seen->version(), 2U);
  const auto life = catalog::create_branch(place(), *seen, "review", {.actor = "ben"});
  ASSERT_TRUE(life.ok()) << life.error().to_string();
  disk_.lose_unsynced();
  const auto branch = catalog::open_branch(place(), "review");
  ASSERT_TRUE(branch.ok()) << branch.error().to_string();
  EXPECT_EQ(published(*branch, "node:A"), (Ids{1, 2}));
  EXPECT_TRUE(insert(*branch, {{"node:A", {3}}}).ok());
}

// Else the branch would be lost with what was acknowledged to have been written to it.
TEST_F(UnsyncedTest, TheFirstWriteOfABranchMakesItsRefDurable) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  storage::EndsBeforeSync ends(std::string(catalog::kBranchRefsFolder));
  storage::MemoryStore dying(disk_, &ends);
  const auto from = catalog::open_latest(place(dying));
  EXPECT_FALSE(catalog::create_branch(place(dying), *from, "review", {.actor = "ana"}).ok());
  ASSERT_TRUE(ends.has_ended());
  const auto seen = catalog::open_branch(place(), "review");
  ASSERT_TRUE(seen.ok()) << seen.error().to_string();
  ASSERT_TRUE(insert(*seen, {{"node:A", {2}}}).ok());
  disk_.lose_unsynced();
  const auto branch = catalog::open_branch(place(), "review");
  ASSERT_TRUE(branch.ok()) << branch.error().to_string();
  EXPECT_EQ(published(*branch, "node:A"), (Ids{1, 2}));
}

TEST_F(UnsyncedTest, AnAnswerFromAVersionThatWasSeenMakesItDurable) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  WriteRequest request;
  request.operation = base::Ulid::make(clock_.now(), random_);
  storage::EndsBeforeSync ends("__manifest/_versions/");
  storage::MemoryStore dying(disk_, &ends);
  EXPECT_FALSE(insert(place(dying), {{"node:A", {2}}}, request).ok());
  const auto again = insert(place(), {{"node:A", {2}}}, request);
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_TRUE(again->is_repeated);
  disk_.lose_unsynced();
  EXPECT_EQ(published(place(), "node:A"), (Ids{1, 2}));
}

}  // namespace
}  // namespace weft::txn

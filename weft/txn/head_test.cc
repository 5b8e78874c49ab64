// Other programs at work on the tables of a graph: what they only move is built upon, what they
// change stops writes to that table.
#include "weft/txn/head.h"

#include <gmock/gmock.h>

#include "weft/base/baton.h"
#include "weft/lance/table/refs.h"
#include "weft/storage/baton_store.h"
#include "weft/storage/memory_store.h"
#include "weft/txn/testing/graph_fixture.h"

namespace weft::txn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

class HeadTest : public testing::Test {
 protected:
  catalog::CatalogPlace place() {
    return {.store = store_, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  lance::RowOptions foreign() {
    lance::RowOptions options;
    options.stage.operation = "foreign";
    options.stage.clock = &clock_;
    options.stage.random = &random_;
    options.write.executor = &executor_;
    return options;
  }
  lance::Snapshot commit(Result<lance::StagedTransaction> staged) {
    EXPECT_TRUE(staged.ok()) << staged.error().to_string();
    const auto result = lance::commit(*staged, {foreign().stage, 10, true});
    EXPECT_TRUE(result.ok() && result->outcome == lance::CommitOutcome::kCommitted);
    return *result->snapshot;
  }
  // Somebody without weft rewrites fragments into larger ones.
  lance::Snapshot compact(const lance::Snapshot& head) {
    auto staged = lance::stage_compaction(head, {}, foreign());
    EXPECT_TRUE(staged.ok() && staged->has_value());
    return staged.ok() && staged->has_value() ? commit(std::move(**staged)) : head;
  }
  // Another version with the same rows.
  lance::Snapshot touch(const lance::Snapshot& head) {
    lance::UpdateConfigOperation operation;
    operation.config = lance::MapUpdate{{{"touched", "yes"}}, false};
    return commit(lance::Stage(head, foreign().stage).finish(std::move(operation)));
  }
  lance::Snapshot append(const lance::Snapshot& head, int64_t id) {
    return commit(lance::stage_append(head, {id_rows({id})}, foreign()));
  }
  std::string head_name(uint64_t version) {
    return head_of(place(), "node:A")->location().object(lance::manifest_name(version));
  }
  void expect_rows(const std::multiset<int64_t>& rows) {
    EXPECT_EQ(published(place(), "node:A"), rows);
    EXPECT_EQ(ids_of(*head_of(place(), "node:A")), rows);
  }
  std::vector<std::string> kinds() {
    std::vector<std::string> kinds;
    const std::vector<catalog::CommitRecord> commits = *catalog::open_latest(place())->commits(100);
    for (const catalog::CommitRecord& commit : commits) {
      kinds.push_back(commit.kind);
    }
    return kinds;
  }
  // Three commits, the last of which nobody followed: its number is free.
  void three_commits_without_the_last_head() {
    ASSERT_TRUE(insert(place(), {{"node:A", {1, 2}}}).ok());
    ASSERT_TRUE(insert(place(), {{"node:A", {3}}}).ok());
    ASSERT_TRUE(insert(place(), {{"node:A", {4}}}).ok());
    ASSERT_TRUE(store_.remove(head_name(3)).ok());
  }

  base::SystemClock clock_;
  base::Random random_{23};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
};

TEST_F(HeadTest, ACompactionIsBuiltUpon) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1, 2}}}).ok());
  ASSERT_TRUE(insert(place(), {{"node:A", {3}}}).ok());
  const lance::Snapshot compacted = compact(*head_of(place(), "node:A"));
  EXPECT_EQ(compacted.version(), 3U);
  const auto receipt = insert(place(), {{"node:A", {4}}});
  ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
  EXPECT_TRUE(receipt->has_followed);
  EXPECT_EQ(receipt->attempts, 1U);
  expect_rows({1, 2, 3, 4});
  EXPECT_EQ(head_of(place(), "node:A")->version(), 4U);
  // What the other program wrote is kept from its own cleanup.
  const auto branches = lance::list_branches(compacted.location());
  ASSERT_EQ(branches->size(), 1U);
  EXPECT_THAT(branches->front().name, StartsWith("weft-keep.3."));
  EXPECT_EQ(branches->front().parent_version, 3U);
  ASSERT_TRUE(insert(place(), {{"node:A", {5}}}).ok());
  expect_rows({1, 2, 3, 4, 5});
  EXPECT_THAT(kinds(), ElementsAre("mutate", "mutate", "mutate", "mutate"));
}

// Whoever comes while another one makes it takes nothing away from him.
TEST_F(HeadTest, SeveralMayGuardOneVersionAtOnce) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    storage::MemoryDisk disk(&clock_);
    storage::MemoryStore store(disk);
    const catalog::CatalogPlace at{
        .store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
    ASSERT_TRUE(insert(at, {{"node:A", {1, 2}}}).ok());
    ASSERT_TRUE(insert(at, {{"node:A", {3}}}).ok());
    const lance::Snapshot pinned = *head_of(at, "node:A");
    const lance::Snapshot theirs = compact(pinned);
    base::Baton baton(seed);
    storage::BatonSteps turns(baton, nullptr);
    storage::MemoryStore shared(disk, &turns);
    std::string name;
    for (const char* const actor : {"first", "second", "third"}) {
      baton.add(actor, [&, chance = random_.next()] {
        base::InlineExecutor executor;
        base::Random random(chance);
        const catalog::CatalogPlace there{.store = shared,
                                          .clock = baton.clock(),
                                          .random = random,
                                          .executor = executor,
                                          .life = {}};
        lance::TableLocation location = theirs.location();
        location.store = &shared;
        const auto version = lance::Snapshot::from_bytes(location, theirs.file(), theirs.naming());
        const auto made = guard_version(there, *version, pinned, kKeepPrefix);
        EXPECT_TRUE(made.ok()) << made.error().to_string();
        name = made.ok() ? *made : name;
      });
    }
    ASSERT_TRUE(baton.run().ok());
    lance::TableLocation guard = theirs.location();
    ASSERT_TRUE(lance::find_branch(guard, name).ok());
    guard.branch = name;
    const auto guarded = lance::open_latest(guard);
    ASSERT_TRUE(guarded.ok()) << guarded.error().to_string();
    EXPECT_TRUE(
        store.open(guard.object("_transactions/" + guarded->manifest().transaction_file)).ok());
    EXPECT_EQ(ids_of(*guarded), (std::multiset<int64_t>{1, 2, 3}));
  }
}

TEST_F(HeadTest, SeveralVersionsWithoutOtherRowsAreBuiltUponThoughTheyWereCleanedAway) {
  for (const int64_t id : {1, 2, 3}) {
    ASSERT_TRUE(insert(place(), {{"node:A", {id}}}).ok());
  }
  compact(touch(*head_of(place(), "node:A")));
  for (const uint64_t version : {1, 2, 3, 4}) {
    ASSERT_TRUE(store_.remove(head_name(version)).ok());
  }
  const auto receipt = insert(place(), {{"node:A", {4}}});
  ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
  expect_rows({1, 2, 3, 4});
  EXPECT_EQ(head_of(place(), "node:A")->version(), 6U);
}

TEST_F(HeadTest, APinWhoseNumberACompactionTookIsRebased) {
  three_commits_without_the_last_head();
  EXPECT_EQ(compact(*head_of(place(), "node:A")).version(), 3U);
  EXPECT_EQ(published(place(), "node:A"), (std::multiset<int64_t>{1, 2, 3, 4}));
  const auto receipt = insert(place(), {{"node:A", {5}}});
  ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
  expect_rows({1, 2, 3, 4, 5});
  EXPECT_THAT(kinds(), ElementsAre("mutate", "rebase", "mutate", "mutate", "mutate"));
}

// The update keeps the ids of rows, so that by ids alone the head would seem to have it.
TEST_F(HeadTest, AnUpdateWhoseNumberWasTakenIsNotLost) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1, 2}}}).ok());
  const auto updated =
      write(place(), {.kind = "mutate", .actor = "ana"}, [&](Capture& capture) -> Result<Change> {
        WEFT_TRY(const lance::Snapshot base, capture.table("node:A"));
        TableChange change{.key = "node:A",
                           .identity = capture.view()->state().find("node:A")->identity,
                           .staged = {}};
        WEFT_TRY(change.staged,
                 lance::stage_upsert(base, id_rows({2}), {.keys = {"id"}}, capture.row_options()));
        return Change{.tables = {std::move(change)}, .schema = {}};
      });
  ASSERT_TRUE(updated.ok()) << updated.error().to_string();
  ASSERT_TRUE(store_.remove(head_name(2)).ok());
  EXPECT_EQ(touch(*head_of(place(), "node:A")).version(), 2U);
  ASSERT_TRUE(insert(place(), {{"node:A", {3}}}).ok());
  expect_rows({1, 2, 3});
  EXPECT_THAT(kinds(), ElementsAre("mutate", "rebase", "mutate", "mutate"));
}

// The trace that the model of the protocol found (decision 9): two compactions, so that the newest
// version stands above the pin's number and has not its rows.
TEST_F(HeadTest, APinThatTwoCompactionsOvertookIsRebased) {
  for (const bool is_cleaned : {false, true}) {
    storage::MemoryDisk disk(&clock_);
    storage::MemoryStore store(disk);
    const catalog::CatalogPlace at{
        .store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
    ASSERT_TRUE(insert(at, {{"node:A", {1}}}).ok());
    ASSERT_TRUE(insert(at, {{"node:A", {2}}}).ok());
    ASSERT_TRUE(insert(at, {{"node:A", {3}}}).ok());
    const lance::TableLocation table = head_of(at, "node:A")->location();
    ASSERT_TRUE(insert(at, {{"node:A", {4}}}).ok());
    ASSERT_TRUE(store.remove(table.object(lance::manifest_name(4))).ok());
    compact(touch(*head_of(at, "node:A")));
    ASSERT_EQ(head_of(at, "node:A")->version(), 5U);
    if (is_cleaned) {
      ASSERT_TRUE(store.remove(table.object(lance::manifest_name(4))).ok());
    }
    const auto receipt = insert(at, {{"node:A", {5}}});
    ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
    EXPECT_EQ(published(at, "node:A"), (std::multiset<int64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(ids_of(*head_of(at, "node:A")), published(at, "node:A"));
  }
}

// A row of others may have the id and the number of one that weft has published, if both went on
// from the same version. Where the version that says so was cleaned away, only the values tell.
TEST_F(HeadTest, RowsOfOthersUnderTheIdsOfAPinAreNotTakenForItsOwn) {
  for (const bool lands_late : {false, true}) {
    SCOPED_TRACE(lands_late);
    storage::MemoryDisk disk(&clock_);
    storage::MemoryStore store(disk);
    const catalog::CatalogPlace at{
        .store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
    ASSERT_TRUE(insert(at, {{"node:A", {1, 2}}}).ok());
    const lance::Snapshot first = *head_of(at, "node:A");
    ASSERT_TRUE(insert(at, {{"node:A", {3}}}).ok());
    const lance::Snapshot pinned = *head_of(at, "node:A");
    const std::string second = pinned.location().object(lance::manifest_name(2));
    ASSERT_TRUE(store.remove(second).ok());
    compact(append(first, 666));
    ASSERT_TRUE(store.remove(second).ok());
    if (lands_late) {
      // Sent before the others took the number.
      ASSERT_TRUE(store.put_if_absent(second, pinned.file().view()).ok());
    }
    const auto refused = insert(at, {{"node:A", {4}}});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().fact("reason"), "foreign-version") << refused.error().to_string();
    EXPECT_EQ(published(at, "node:A"), (std::multiset<int64_t>{1, 2, 3}));
  }
}

TEST_F(HeadTest, StrictWorkAndAnExpectedHeadStandARebase) {
  three_commits_without_the_last_head();
  const base::Ulid head = catalog::open_latest(place())->state().head.id;
  compact(*head_of(place(), "node:A"));
  WriteRequest strict;
  strict.is_strict = true;
  strict.expected_head = head;
  const auto receipt = insert(place(), {{"node:A", {5}}}, strict);
  ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
  expect_rows({1, 2, 3, 4, 5});
  const auto view = catalog::open_latest(place());
  EXPECT_TRUE(check_expected_head(&*view, receipt->commit.id).ok());
  // What was before a commit that changed rows is not the head any more.
  EXPECT_EQ(check_expected_head(&*view, head).error().fact("reason"), "precondition");
  const auto rebased = catalog::open_version(place(), view->version() - 1);
  ASSERT_EQ(rebased->state().head.kind, kRebaseKind);
  EXPECT_TRUE(check_expected_head(&*rebased, head).ok());
  EXPECT_FALSE(check_expected_head(nullptr, head).ok());
}

TEST_F(HeadTest, ChangedRowsStopWritesToThatTableAndTheirVersionIsNamed) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1, 2}}, {"node:B", {1}}}).ok());
  append(*head_of(place(), "node:A"), 666);
  compact(*head_of(place(), "node:A"));
  const auto refused = insert(place(), {{"node:A", {3}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(refused.error().fact("reason"), "foreign-version");
  EXPECT_EQ(refused.error().fact("version"), "2");
  EXPECT_EQ(refused.error().fact("operation"), "Append");
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1, 2));
  EXPECT_TRUE(insert(place(), {{"node:B", {2}}}).ok());
}

TEST_F(HeadTest, ChangedRowsThatTookANumberAreNotTakenForTheBase) {
  three_commits_without_the_last_head();
  append(*head_of(place(), "node:A"), 666);
  const auto refused = insert(place(), {{"node:A", {5}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().fact("reason"), "foreign-version");
  EXPECT_EQ(refused.error().fact("version"), "3");
  EXPECT_EQ(published(place(), "node:A"), (std::multiset<int64_t>{1, 2, 3, 4}));
}

// Time moves when a test says so, and a little with each look at it.
class SteppedClock final : public base::Clock {
 public:
  base::WallTime now() const override { return {++microseconds}; }
  int64_t monotonic_microseconds() const override { return ++microseconds; }
  void sleep_microseconds(int64_t duration) const override { microseconds += duration; }
  mutable int64_t microseconds = 1'800'000'000'000'000;
};

// A cleanup keeps the tagged head and the newest version, and takes what is between them.
TEST_F(HeadTest, ChangedRowsAboveAHeadThatACleanupKeptAreFound) {
  for (const bool is_branch : {false, true}) {
    SCOPED_TRACE(is_branch);
    SteppedClock clock;
    storage::MemoryDisk disk(&clock);
    storage::MemoryStore store(disk);
    const catalog::CatalogPlace at{
        .store = store, .clock = clock, .random = random_, .executor = executor_, .life = {}};
    lance::RowOptions theirs = foreign();
    theirs.stage.clock = &clock;
    ASSERT_TRUE(insert(at, {{"node:A", {1}}}).ok());
    const lance::Snapshot pinned = *head_of(at, "node:A");
    if (is_branch) {
      ASSERT_TRUE(lance::create_branch(pinned, "theirs", theirs.stage).ok());
    } else {
      ASSERT_TRUE(lance::create_tag(pinned, "theirs", theirs.stage).ok());
    }
    lance::Snapshot head = pinned;
    for (const int64_t id : {666, 667}) {
      const auto staged = lance::stage_append(head, {id_rows({id})}, theirs);
      head = *lance::commit(*staged, {theirs.stage, 10, true})->snapshot;
    }
    ASSERT_TRUE(
        store.remove(pinned.location().object(lance::manifest_name(pinned.version() + 1))).ok());
    clock.microseconds += kFreshHeadUs;
    const auto refused = insert(at, {{"node:A", {3}}});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().fact("reason"), "foreign-version");
    EXPECT_EQ(refused.error().fact("version"), "3");
    EXPECT_THAT(published(at, "node:A"), ElementsAre(1));
  }
}

// Where nobody looked behind the gap, ours come to stand in it: what is above them never saw them.
TEST_F(HeadTest, VersionsAboveAGapAreNotTakenForDescendantsOfThoseThatFilledIt) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  const lance::Snapshot first = *head_of(place(), "node:A");
  append(first, 666);
  const lance::Snapshot theirs = append(*head_of(place(), "node:A"), 667);
  ASSERT_TRUE(store_.remove(head_name(2)).ok());
  ASSERT_TRUE(insert(place(), {{"node:A", {2}}}).ok());
  const auto view = catalog::open_latest(place());
  Capture capture(place(), *view, base::Ulid::make(clock_.now(), random_), 1);
  const auto standing = capture.examine("node:A");
  ASSERT_TRUE(standing.ok()) << standing.error().to_string();
  EXPECT_EQ(standing->report.state, HeadState::kOtherRows);
  EXPECT_EQ(standing->report.head->version(), theirs.version());
  EXPECT_FALSE(standing->report.base.has_value());
}

TEST_F(HeadTest, ChangedRowsAreFoundThoughTheirTransactionIsGone) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1, 2}}}).ok());
  append(*head_of(place(), "node:A"), 666);
  const lance::Snapshot last = compact(*head_of(place(), "node:A"));
  ASSERT_TRUE(store_.remove(head_name(1)).ok());
  ASSERT_TRUE(store_.remove(head_name(2)).ok());
  const auto refused = insert(place(), {{"node:A", {3}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().fact("reason"), "foreign-version");
  EXPECT_EQ(refused.error().fact("version"), std::to_string(last.version()));
  EXPECT_THAT(refused.error().fact("operation"), IsEmpty());
}

}  // namespace
}  // namespace weft::txn

#include "weft/txn/write_queue.h"

#include <chrono>
#include <latch>
#include <thread>

#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/catalog/known_state.h"
#include "weft/storage/counting_store.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/testing/slow_store.h"
#include "weft/txn/group_write.h"
#include "weft/txn/testing/graph_fixture.h"

namespace weft::txn {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr size_t kWriters = 8;

class WriteQueueTest : public testing::Test {
 protected:
  void open(storage::ObjectStore& store) {
    known_ = std::make_unique<catalog::KnownState>(uint64_t{16} << 20U, clock_);
    remembering_ =
        storage::remembering_store(store, known_->objects(), catalog::is_worth_remembering);
  }
  void SetUp() override { open(store_); }

  // Of one thread.
  catalog::CatalogPlace place(base::Random& random, bool shares = true) {
    return {.store = *remembering_,
            .clock = clock_,
            .random = random,
            .executor = executor_,
            .life = {},
            .known = known_.get(),
            .queue = shares ? &queue_ : nullptr};
  }
  // Of another process.
  catalog::CatalogPlace elsewhere() {
    return {.store = store_, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }

  // One write of a group: rows for one table.
  struct Write {
    explicit Write(std::vector<Insert> of_rows) : rows(std::move(of_rows)) {
      request.kind = "mutate";
      request.actor = "ana";
      for (const Insert& insert : rows) {
        request.tables.push_back(insert.key);
      }
      prepare = [this](Capture& capture) { return stage_inserts(capture, rows); };
    }
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;

    std::vector<Insert> rows;
    WriteRequest request;
    Prepare prepare;
    GroupMember member;
  };
  void run(const std::vector<Write*>& writes) {
    std::vector<GroupMember*> members;
    for (Write* const write : writes) {
      write->member = {&write->request, &write->prepare, {}};
      members.push_back(&write->member);
    }
    write_group(place(random_), members);
    for (const Write* const write : writes) {
      ASSERT_TRUE(write->member.result.has_value());
    }
  }
  static const Receipt& receipt(const Write& write) {
    EXPECT_TRUE(write.member.result->ok()) << write.member.result->error().to_string();
    return **write.member.result;
  }
  // What a table had at a commit, for a process that knows nothing.
  std::multiset<int64_t> at_commit(base::Ulid id, std::string_view key) {
    const auto view = catalog::open_latest(elsewhere());
    const auto commits = view->commits(UINT64_MAX);
    const auto found = std::ranges::find(*commits, id, &catalog::CommitRecord::id);
    EXPECT_NE(found, commits->end());
    const auto then = catalog::open_commit(elsewhere(), *found);
    EXPECT_TRUE(then.ok()) << then.error().to_string();
    const auto pinned = catalog::open_pinned(elsewhere(), *then->state().find(key));
    EXPECT_TRUE(pinned.ok()) << pinned.error().to_string();
    return ids_of(*pinned);
  }

  base::SystemClock clock_;
  base::Random random_{17};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
  WriteQueue queue_;
  std::unique_ptr<catalog::KnownState> known_;
  std::unique_ptr<storage::ObjectStore> remembering_;
};

TEST_F(WriteQueueTest, EachHasACommitOfItsOwnInOneVersion) {
  ASSERT_TRUE(insert(place(random_), {{"node:A", {1}}, {"node:B", {1}}}).ok());
  Write first({{"node:A", {2}}});
  Write second({{"node:B", {2}}});
  Write third({{"node:A", {3, 4}}, {"node:B", {3}}});
  third.request.actor = "ben";
  run({&first, &second, &third});
  const auto view = catalog::open_latest(elsewhere());
  EXPECT_EQ(view->version(), 2U);
  const auto commits = view->commits(10);
  ASSERT_THAT(*commits, SizeIs(4));
  EXPECT_EQ((*commits)[0].id, receipt(third).commit.id);
  EXPECT_EQ((*commits)[1].id, receipt(second).commit.id);
  EXPECT_EQ((*commits)[2].id, receipt(first).commit.id);
  EXPECT_EQ((*commits)[0].parent, (*commits)[1].id);
  EXPECT_EQ((*commits)[1].parent, (*commits)[2].id);
  EXPECT_EQ((*commits)[2].parent, (*commits)[3].id);
  EXPECT_EQ((*commits)[0].actor, "ben");
  EXPECT_THAT(view->commits_since(1).value(), SizeIs(3));
  for (const Write* const write : {&first, &second, &third}) {
    EXPECT_TRUE(receipt(*write).has_followed);
    EXPECT_EQ(receipt(*write).commit.catalog_version, 2U);
  }
  // Each can be read by its id.
  EXPECT_THAT(at_commit(receipt(first).commit.id, "node:A"), ElementsAre(1, 2));
  EXPECT_THAT(at_commit(receipt(first).commit.id, "node:B"), ElementsAre(1));
  EXPECT_THAT(at_commit(receipt(second).commit.id, "node:A"), ElementsAre(1, 2));
  EXPECT_THAT(at_commit(receipt(second).commit.id, "node:B"), ElementsAre(1, 2));
  EXPECT_THAT(at_commit(receipt(third).commit.id, "node:A"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(at_commit(receipt(third).commit.id, "node:B"), ElementsAre(1, 2, 3));
}

// Whoever changes a table last in a group need not be the last of the group.
TEST_F(WriteQueueTest, ACommitCanBeReadWhoseTableNoLaterOneChanged) {
  ASSERT_TRUE(insert(place(random_), {{"node:A", {1}}, {"node:B", {1}}}).ok());
  Write first({{"node:A", {2}}});
  Write second({{"node:A", {3}}});
  Write third({{"node:B", {2}}});
  run({&first, &second, &third});
  EXPECT_THAT(at_commit(receipt(first).commit.id, "node:A"), ElementsAre(1, 2));
  EXPECT_THAT(at_commit(receipt(second).commit.id, "node:A"), ElementsAre(1, 2, 3));
  EXPECT_THAT(at_commit(receipt(second).commit.id, "node:B"), ElementsAre(1));
  EXPECT_THAT(at_commit(receipt(third).commit.id, "node:A"), ElementsAre(1, 2, 3));
  EXPECT_THAT(receipt(second).commit.earlier_pins, SizeIs(1));
}

TEST_F(WriteQueueTest, ATableGetsOneVersionWithOneTransaction) {
  ASSERT_TRUE(insert(place(random_), {{"node:A", {1}}}).ok());
  Write first({{"node:A", {2}}});
  Write second({{"node:A", {3}}});
  run({&first, &second});
  const auto head = head_of(elsewhere(), "node:A");
  EXPECT_EQ(head->version(), 2U);
  EXPECT_THAT(ids_of(*head), ElementsAre(1, 2, 3));
  const auto transaction = head->transaction();
  ASSERT_TRUE(transaction.ok() && transaction->has_value());
  EXPECT_EQ((*transaction)->read_version, 1U);
  EXPECT_EQ(lance::operation_name((*transaction)->operation), "Update");
  // Row ids go on, and another process goes on from there.
  ASSERT_TRUE(insert(elsewhere(), {{"node:A", {4}}}).ok());
  EXPECT_EQ(head_of(elsewhere(), "node:A")->manifest().next_row_id, 4U);
  ASSERT_TRUE(insert(place(random_), {{"node:A", {5}}}).ok());
  EXPECT_THAT(published(elsewhere(), "node:A"), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(WriteQueueTest, WhoeverFailsDoesNotTouchTheOthers) {
  ASSERT_TRUE(insert(place(random_), {{"node:A", {1}}}).ok());
  Write first({{"node:A", {2}}});
  Write bad({{"node:A", {666}}});
  bad.prepare = [&](Capture& capture) -> Result<Change> {
    EXPECT_TRUE(stage_inserts(capture, bad.rows).ok());
    return Error(ErrorKind::kInvalid, "no");
  };
  Write late({{"node:A", {667}}});
  late.request.expected_head = catalog::open_latest(elsewhere())->state().head.id;
  Write last({{"node:A", {3}}});
  run({&first, &bad, &late, &last});
  EXPECT_EQ(bad.member.result->error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(late.member.result->error().fact("reason"), "precondition");
  EXPECT_TRUE(receipt(first).has_followed);
  EXPECT_EQ(receipt(last).commit.parent, receipt(first).commit.id);
  EXPECT_THAT(published(elsewhere(), "node:A"), ElementsAre(1, 2, 3));
}

// What a member has seen of others that were not published in the end never was.
TEST_F(WriteQueueTest, WhoeverFailsUponWhatWasLostStartsOver) {
  ASSERT_TRUE(insert(place(random_), {{"node:A", {1}}}).ok());
  Write strict({{"node:A", {2}}});
  strict.request.is_strict = true;
  int tries = 0;
  strict.prepare = [&](Capture& capture) {
    if (tries++ == 0) {
      EXPECT_TRUE(insert(elsewhere(), {{"node:A", {100}}}).ok());
    }
    return stage_inserts(capture, strict.rows);
  };
  Write picky({{"node:A", {3}}});
  picky.prepare = [&](Capture& capture) -> Result<Change> {
    WEFT_TRY(const lance::Snapshot base, capture.table("node:A"));
    if (ids_of(base).contains(2)) {
      return Error(ErrorKind::kInvalid, "2 is there already");
    }
    return stage_inserts(capture, picky.rows);
  };
  run({&strict, &picky});
  EXPECT_EQ(strict.member.result->error().fact("reason"), "read-set-changed");
  EXPECT_EQ(receipt(picky).attempts, 2U);
  EXPECT_THAT(published(elsewhere(), "node:A"), ElementsAre(1, 3, 100));
}

TEST_F(WriteQueueTest, AKeyHappensOnceWithinAGroupToo) {
  ASSERT_TRUE(insert(place(random_), {{"node:A", {1}}}).ok());
  Write first({{"node:A", {2}}});
  first.request.idempotency_key = "k";
  first.request.request_hash = "aa";
  Write same({{"node:A", {2}}});
  same.request.idempotency_key = "k";
  same.request.request_hash = "aa";
  Write other({{"node:A", {9}}});
  other.request.idempotency_key = "k";
  other.request.request_hash = "bb";
  run({&first, &same, &other});
  EXPECT_TRUE(receipt(same).is_repeated);
  EXPECT_EQ(receipt(same).commit.id, receipt(first).commit.id);
  EXPECT_EQ(other.member.result->error().fact("reason"), "idempotency-key");
  EXPECT_THAT(published(elsewhere(), "node:A"), ElementsAre(1, 2));
}

TEST_F(WriteQueueTest, WhoLosesStartsOverAndStrictWorkIsTold) {
  ASSERT_TRUE(insert(place(random_), {{"node:A", {1}}}).ok());
  Write first({{"node:A", {2}}});
  int tries = 0;
  first.prepare = [&](Capture& capture) {
    if (tries++ == 0) {
      EXPECT_TRUE(insert(elsewhere(), {{"node:A", {100}}}).ok());
    }
    return stage_inserts(capture, first.rows);
  };
  Write strict({{"node:A", {3}}});
  strict.request.is_strict = true;
  Write last({{"node:A", {4}}});
  run({&first, &strict, &last});
  EXPECT_EQ(receipt(first).attempts, 2U);
  EXPECT_EQ(strict.member.result->error().fact("reason"), "read-set-changed");
  EXPECT_EQ(receipt(last).attempts, 2U);
  EXPECT_THAT(published(elsewhere(), "node:A"), ElementsAre(1, 2, 4, 100));
  EXPECT_EQ(ids_of(*head_of(elsewhere(), "node:A")), published(elsewhere(), "node:A"));
}

TEST_F(WriteQueueTest, AGroupCostsNoMoreStepsThanOne) {
  storage::StoreCounter counter;
  const auto counted = storage::counting_store(store_, counter);
  open(*counted);
  ASSERT_TRUE(insert(place(random_), {{"node:A", {1}}}).ok());
  ASSERT_TRUE(insert(place(random_), {{"node:A", {2}}}).ok());
  counter.reset();
  Write first({{"node:A", {3}}});
  Write second({{"node:A", {4}}});
  Write third({{"node:A", {5}}});
  run({&first, &second, &third});
  EXPECT_EQ(counter.counts().rounds, 4U);
  EXPECT_EQ(counter.counts()[storage::Operation::kRead].bytes, 0U);
  EXPECT_THAT(published(elsewhere(), "node:A"), ElementsAre(1, 2, 3, 4, 5));
}

class WriteQueueThreads : public WriteQueueTest {
 protected:
  // Seconds until all writers have written; each has rows of its own.
  double run_writers(bool shares, int writes) {
    std::latch ready(kWriters);
    std::vector<std::jthread> threads;
    const auto begin = std::chrono::steady_clock::now();
    for (size_t writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([&, writer] {
        base::Random random(writer + 100 * static_cast<uint64_t>(next_));
        ready.arrive_and_wait();
        for (int i = 0; i < writes; ++i) {
          const auto done = insert(place(random, shares),
                                   {{"node:A", {static_cast<int64_t>(writer) * 1'000 + next_ + i}}},
                                   {.attempts_max = 10'000, .tables = {"node:A"}});
          EXPECT_TRUE(done.ok()) << done.error().to_string();
        }
      });
    }
    threads.clear();
    next_ += writes;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  int64_t next_ = 1;
};

TEST_F(WriteQueueThreads, ManyWritersLoseNothing) {
  ASSERT_TRUE(insert(place(random_), {{"node:A", {0}}}).ok());
  run_writers(true, 20);
  const auto rows = published(elsewhere(), "node:A");
  EXPECT_THAT(rows, SizeIs(1 + kWriters * 20));
  EXPECT_EQ(std::set<int64_t>(rows.begin(), rows.end()).size(), rows.size());
  EXPECT_EQ(ids_of(*head_of(elsewhere(), "node:A")), rows);
  EXPECT_THAT(*catalog::open_latest(elsewhere())->commits(UINT64_MAX), SizeIs(1 + kWriters * 20));
  EXPECT_EQ(queue_.counts().writers, 1 + kWriters * 20);
}

// Must-show 3: at least four times as many writes in the same time at a storage of 30 ms.
TEST_F(WriteQueueThreads, SharingIsFourTimesAsFastOnASlowStore) {
  storage::SlowStore slow(store_, 30);
  open(slow);
  ASSERT_TRUE(insert(place(random_), {{"node:A", {0}}}).ok());
  constexpr int kShared = 12;
  constexpr int kAlone = 3;
  const double shared = run_writers(true, kShared) / kShared;
  const double alone = run_writers(false, kAlone) / kAlone;
  std::printf(
      "%zu writers, 30 ms: %.1f writes/s together, %.1f each for itself: %.1fx; %.1f writers "
      "a publication\n",
      kWriters, static_cast<double>(kWriters) / shared, static_cast<double>(kWriters) / alone,
      alone / shared,
      static_cast<double>(queue_.counts().writers) /
          static_cast<double>(queue_.counts().publications));
  EXPECT_GE(alone / shared, 4.0);
  EXPECT_THAT(published(elsewhere(), "node:A"), SizeIs(1 + kWriters * (kShared + kAlone)));
}

}  // namespace
}  // namespace weft::txn

#include "weft/txn/write.h"

#include <thread>

#include <gmock/gmock.h>

#include "weft/storage/counting_store.h"
#include "weft/storage/memory_store.h"
#include "weft/txn/testing/graph_fixture.h"

namespace weft::txn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class WriteTest : public testing::Test {
 protected:
  catalog::CatalogPlace place() {
    return {.store = store_, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  base::Ulid head() { return catalog::open_latest(place())->state().head.id; }

  base::SystemClock clock_;
  base::Random random_{17};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
};

TEST_F(WriteTest, OneCommitChangesSeveralTables) {
  const auto first = insert(place(), {{"node:A", {1, 2}}, {"edge:B", {7}}}, {.message = "begin"});
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  EXPECT_TRUE(first->has_followed);
  EXPECT_EQ(first->commit.message, "begin");
  EXPECT_EQ(first->commit.catalog_version, 1U);
  const auto second = insert(place(), {{"node:A", {3}}, {"node:C", {5}}});
  ASSERT_TRUE(second.ok()) << second.error().to_string();
  EXPECT_EQ(second->commit.parent, first->commit.id);
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1, 2, 3));
  EXPECT_THAT(published(place(), "edge:B"), ElementsAre(7));
  EXPECT_THAT(published(place(), "node:C"), ElementsAre(5));
  // Other readers of Lance tables see the same under the heads' numbers.
  EXPECT_EQ(head_of(place(), "node:A")->version(), 2U);
  EXPECT_THAT(ids_of(*head_of(place(), "node:A")), ElementsAre(1, 2, 3));
  // What was before is still there.
  const auto before = catalog::open_version(place(), 1);
  const auto pinned = catalog::open_pinned(place(), *before->state().find("node:A"));
  EXPECT_THAT(ids_of(*pinned), ElementsAre(1, 2));
}

TEST_F(WriteTest, WhoeverLosesStartsOverAndLosesNothing) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  int tries = 0;
  const auto ours = write(place(), {.kind = "mutate", .actor = "ben"}, [&](Capture& capture) {
    if (tries++ == 0) {
      EXPECT_TRUE(insert(place(), {{"node:A", {2}}}).ok());
    }
    return stage_inserts(capture, {{"node:A", {3}}});
  });
  ASSERT_TRUE(ours.ok()) << ours.error().to_string();
  EXPECT_EQ(ours->attempts, 2U);
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1, 2, 3));
  EXPECT_THAT(ids_of(*head_of(place(), "node:A")), ElementsAre(1, 2, 3));
  EXPECT_EQ(head_of(place(), "node:A")->version(), 3U);
}

TEST_F(WriteTest, StrictWorkIsToldThatItsReadsHaveChanged) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  const WriteRequest strict{.kind = "mutate", .actor = "ben", .is_strict = true};
  const auto ours = write(place(), strict, [&](Capture& capture) {
    EXPECT_TRUE(insert(place(), {{"node:B", {2}}}).ok());
    return stage_inserts(capture, {{"node:A", {3}}});
  });
  ASSERT_FALSE(ours.ok());
  EXPECT_EQ(ours.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(ours.error().fact("reason"), "read-set-changed");
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1));
  EXPECT_THAT(ids_of(*head_of(place(), "node:A")), ElementsAre(1));
}

TEST_F(WriteTest, AnEndlessRaceEndsWithAnError) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  const WriteRequest request{.kind = "mutate", .actor = "ben", .attempts_max = 3};
  const auto ours = write(place(), request, [&](Capture& capture) {
    EXPECT_TRUE(insert(place(), {{"node:B", {2}}}).ok());
    return stage_inserts(capture, {{"node:A", {3}}});
  });
  ASSERT_FALSE(ours.ok());
  EXPECT_EQ(ours.error().fact("reason"), "contention");
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1));
  EXPECT_THAT(published(place(), "node:B"), SizeIs(3));
}

TEST_F(WriteTest, AnOperationHappensOnce) {
  WriteRequest request;
  request.operation = base::Ulid::make(clock_.now(), random_);
  const auto first = insert(place(), {{"node:A", {1}}}, request);
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  EXPECT_FALSE(first->is_repeated);
  ASSERT_TRUE(insert(place(), {{"node:A", {2}}}).ok());
  const auto again = insert(place(), {{"node:A", {1}}}, request);
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_TRUE(again->is_repeated);
  EXPECT_EQ(again->commit, first->commit);
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1, 2));
}

TEST_F(WriteTest, ARequestWithAKeyHappensOnceWithinTheRetention) {
  WriteRequest request{.kind = "mutate", .actor = "ana"};
  request.idempotency_key = "order-17";
  request.request_hash = "aa";
  const auto first = insert(place(), {{"node:A", {1}}}, request);
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  for (int64_t id = 100; id < 120; ++id) {
    ASSERT_TRUE(insert(place(), {{"node:A", {id}}}).ok());
  }
  const auto again = insert(place(), {{"node:A", {1}}}, request);
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_TRUE(again->is_repeated);
  EXPECT_EQ(again->commit, first->commit);
  request.request_hash = "bb";
  const auto another = insert(place(), {{"node:A", {2}}}, request);
  ASSERT_FALSE(another.ok());
  EXPECT_EQ(another.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(another.error().fact("reason"), "idempotency-key");
  EXPECT_EQ(published(place(), "node:A").count(1), 1U);
  // Older than the retention counts no more.
  const auto view = catalog::open_latest(place());
  const base::WallTime after{first->commit.created_at.microseconds + 1};
  EXPECT_TRUE(view->find_idempotency_key("order-17", first->commit.created_at)->has_value());
  EXPECT_FALSE(view->find_idempotency_key("order-17", after)->has_value());
  request.idempotency_key = std::string(kIdempotencyKeyBytesMax + 1, 'k');
  EXPECT_EQ(insert(place(), {{"node:A", {3}}}, request).error().kind(), ErrorKind::kLimit);
  request.idempotency_key.pop_back();
  EXPECT_TRUE(insert(place(), {{"node:A", {3}}}, request).ok());
}

TEST_F(WriteTest, AKeyThatSomebodyElseUsesMeanwhileHappensOnce) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  WriteRequest request{.kind = "mutate", .actor = "ana"};
  request.idempotency_key = "k";
  const auto ours = write(place(), request, [&](Capture& capture) {
    EXPECT_TRUE(insert(place(), {{"node:A", {2}}}, request).ok());
    return stage_inserts(capture, {{"node:A", {2}}});
  });
  ASSERT_TRUE(ours.ok()) << ours.error().to_string();
  EXPECT_TRUE(ours->is_repeated);
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1, 2));
}

TEST_F(WriteTest, AnOperationThatSomebodyElseFinishesMeanwhileHappensOnce) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  WriteRequest request{.kind = "mutate", .actor = "ana", .is_strict = true};
  request.operation = base::Ulid::make(clock_.now(), random_);
  const auto ours = write(place(), request, [&](Capture& capture) {
    EXPECT_TRUE(insert(place(), {{"node:A", {2}}}, request).ok());
    return stage_inserts(capture, {{"node:A", {2}}});
  });
  ASSERT_TRUE(ours.ok()) << ours.error().to_string();
  EXPECT_TRUE(ours->is_repeated);
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1, 2));
}

TEST_F(WriteTest, AnotherHeadThanTheExpectedOneIsRefused) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  const base::Ulid before = head();
  ASSERT_TRUE(insert(place(), {{"node:A", {2}}}, {.expected_head = before}).ok());
  const auto refused = insert(place(), {{"node:A", {3}}}, {.expected_head = before});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().fact("reason"), "precondition");
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1, 2));
}

TEST_F(WriteTest, AFailingPreparationChangesNothing) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  const base::Ulid before = head();
  const auto failed =
      write(place(), {.kind = "mutate", .actor = "ben"}, [&](Capture& capture) -> Result<Change> {
        WEFT_TRY_STATUS(stage_inserts(capture, {{"node:A", {2}}}));
        return Error(ErrorKind::kInvalid, "an endpoint is missing");
      });
  EXPECT_EQ(failed.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(head(), before);
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1));
}

TEST_F(WriteTest, AMissingHeadIsBroughtByWhoeverWritesNext) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}}).ok());
  ASSERT_TRUE(insert(place(), {{"node:A", {2}}}).ok());
  const auto last = head_of(place(), "node:A");
  ASSERT_TRUE(store_.remove(last->location().object(lance::manifest_name(last->version()))).ok());
  // Readers of the graph do not look at heads.
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1, 2));
  ASSERT_TRUE(insert(place(), {{"node:A", {3}}}).ok());
  EXPECT_TRUE(lance::open_version(last->location(), 2).ok());
  EXPECT_THAT(ids_of(*head_of(place(), "node:A")), ElementsAre(1, 2, 3));
}

TEST_F(WriteTest, ATableThatAnotherProgramHasWrittenIsNotBuiltUpon) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}, {"node:B", {1}}}).ok());
  lance::RowOptions options;
  options.stage.clock = &clock_;
  options.stage.random = &random_;
  options.write.executor = &executor_;
  const auto foreign = lance::stage_append(*head_of(place(), "node:A"), {id_rows({666})}, options);
  ASSERT_TRUE(lance::commit(*foreign, {options.stage, 10, true}).ok());
  const auto refused = insert(place(), {{"node:A", {2}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(refused.error().fact("reason"), "foreign-version");
  EXPECT_EQ(refused.error().fact("version"), "2");
  EXPECT_THAT(published(place(), "node:A"), ElementsAre(1));
  EXPECT_TRUE(insert(place(), {{"node:B", {2}}}).ok());
}

TEST_F(WriteTest, APublishedVersionThatIsGoneOrReplacedIsNamed) {
  ASSERT_TRUE(insert(place(), {{"node:A", {1}}, {"node:B", {1}}}).ok());
  const auto view = catalog::open_latest(place());
  const catalog::TableEntry& a = *view->state().find("node:A");
  const catalog::TableEntry& b = *view->state().find("node:B");
  const auto name = [&](const catalog::TableEntry& table, uint64_t version) {
    return catalog::location_of(place(), table).object(lance::manifest_name(version));
  };
  const auto detached = [&](const catalog::TableEntry& table) {
    return name(table, table.pin.detached_version);
  };
  const auto other = store_.get(detached(b), 1U << 20U);
  // Either of the two is enough to read it.
  ASSERT_TRUE(store_.remove(detached(b)).ok());
  EXPECT_TRUE(catalog::open_pinned(place(), b).ok());
  ASSERT_TRUE(store_.remove(name(a, a.pin.head_version)).ok());
  EXPECT_TRUE(catalog::open_pinned(place(), a).ok());
  ASSERT_TRUE(
      store_.put_if_absent(name(a, a.pin.head_version), as_bytes("another program's")).ok());
  EXPECT_TRUE(catalog::open_pinned(place(), a).ok());
  ASSERT_TRUE(store_.remove(detached(a)).ok());
  EXPECT_EQ(catalog::open_pinned(place(), a).error().fact("reason"), "gone");
  ASSERT_TRUE(store_.put_if_absent(detached(a), other->bytes.view()).ok());
  EXPECT_EQ(catalog::open_pinned(place(), a).error().fact("reason"), "another content");
  EXPECT_EQ(insert(place(), {{"node:A", {2}}}).error().kind(), ErrorKind::kCorrupt);
}

// What a small write costs once the graph is open elsewhere: everything staged goes under one
// barrier, whatever the number of tables and the length of the history.
TEST_F(WriteTest, ASmallWriteCostsTheSameAtAnyLengthOfTheHistory) {
  storage::StoreCounter counter;
  const auto counted = storage::counting_store(store_, counter);
  const catalog::CatalogPlace at{
      .store = *counted, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  ASSERT_TRUE(insert(at, {{"node:A", {1}}, {"node:B", {1}}}).ok());
  uint64_t most = 0;
  for (int64_t i = 0; i < 200; ++i) {
    counter.reset();
    ASSERT_TRUE(insert(at, {{"node:A", {i}}, {"node:B", {i}}}).ok());
    const storage::StoreCounts counts = counter.counts();
    using storage::Operation;
    EXPECT_EQ(counts[Operation::kCreate].calls, 0U);
    // All that was staged; the publication; the heads.
    EXPECT_EQ(counts[Operation::kPutIfAbsent].calls, 3U) << i;
    EXPECT_EQ(counts[Operation::kList].calls, 1U) << i;
    most = std::max(most, counts.calls());
  }
  RecordProperty("calls", static_cast<int>(most));
}

class WriteThreads : public WriteTest {};

TEST_F(WriteThreads, ManyWritersLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kWrites = 15;
  std::vector<std::jthread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      base::Random random(static_cast<uint64_t>(writer));
      catalog::CatalogPlace own{
          .store = store_, .clock = clock_, .random = random, .executor = executor_, .life = {}};
      for (int i = 0; i < kWrites; ++i) {
        const auto receipt =
            insert(own, {{"node:A", {writer * 1'000 + i}}, {"node:B", {writer * 1'000 + i}}});
        EXPECT_TRUE(receipt.ok()) << (receipt.ok() ? "" : receipt.error().to_string());
      }
    });
  }
  threads.clear();
  EXPECT_THAT(published(place(), "node:A"), SizeIs(kWriters * kWrites));
  EXPECT_EQ(published(place(), "node:A"), published(place(), "node:B"));
  EXPECT_EQ(catalog::open_latest(place())->version(), kWriters * kWrites);
  EXPECT_EQ(ids_of(*head_of(place(), "node:A")), published(place(), "node:A"));
}

}  // namespace
}  // namespace weft::txn

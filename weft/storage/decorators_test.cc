// Counting, faults and the cache of blocks, over a memory store.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "weft/storage/block_cache.h"
#include "weft/storage/counting_store.h"
#include "weft/storage/fault_store.h"
#include "weft/storage/memory_store.h"

namespace weft::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(ObjectStore& store, const std::string& name) {
  const auto got = store.get(name, 1'000'000);
  return got.ok() ? to_text(got->bytes.view()) : got.error().to_string();
}

TEST(CountingStore, CountsCallsItemsBytesAndRounds) {
  MemoryDisk disk;
  MemoryStore memory(disk);
  StoreCounter counter;
  const auto store = counting_store(memory, counter);
  ASSERT_TRUE(store->put_if_absent("a", as_bytes("12345")).ok());
  ASSERT_TRUE(store->put_many_if_absent({{"b", as_bytes("1")}, {"c", as_bytes("22")}}).ok());
  const auto reader = store->open("a").value();
  ASSERT_TRUE(reader->read_many({{0, 2}, {3, 1}}).ok());
  ASSERT_TRUE(store->get("a", 10).ok());
  auto writer = store->create("d").value();
  ASSERT_TRUE(writer->append(as_bytes("123")).ok());
  ASSERT_TRUE(writer->overwrite(0, as_bytes("9")).ok());
  ASSERT_TRUE(writer->publish().ok());
  EXPECT_FALSE(store->get("none", 10).ok());
  const StoreCounts counts = counter.counts();
  EXPECT_EQ(counts[Operation::kPutIfAbsent].calls, 2U);
  EXPECT_EQ(counts[Operation::kPutIfAbsent].items, 3U);
  EXPECT_EQ(counts[Operation::kPutIfAbsent].bytes, 8U);
  EXPECT_EQ(counts[Operation::kRead].items, 2U);
  EXPECT_EQ(counts[Operation::kRead].bytes, 3U);
  EXPECT_EQ(counts[Operation::kGet].calls, 2U);
  EXPECT_EQ(counts[Operation::kGet].bytes, 5U);
  EXPECT_EQ(counts[Operation::kAppend].bytes, 4U);
  EXPECT_EQ(counts[Operation::kPublish].bytes, 3U);
  EXPECT_EQ(counts.rounds, 8U);
  EXPECT_EQ(counts.calls(), 10U);
  counter.reset();
  EXPECT_EQ(counter.counts().calls(), 0U);
}

class FaultStoreTest : public testing::Test {
 protected:
  MemoryDisk disk_;
  MemoryStore memory_{disk_};
  base::SystemClock clock_;
};

TEST_F(FaultStoreTest, FailsTheOperationThatThePlanNames) {
  FaultPlan plan;
  plan.at(1, Fault::kFail);
  const auto store = fault_store(memory_, plan, clock_);
  EXPECT_TRUE(store->put_if_absent("a", {}).ok());
  const Error error = store->put_if_absent("b", {}).error();
  EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
  EXPECT_TRUE(store->put_if_absent("c", {}).ok());
  EXPECT_EQ(memory_.list("", false).value().size(), 2U);
  EXPECT_THAT(plan.log(),
              ElementsAre("put-if-absent a", "put-if-absent b !fail", "put-if-absent c"));
}

TEST_F(FaultStoreTest, WithoutAnAnswerItMayHaveHappenedOrNot) {
  FaultPlan plan;
  plan.at_action("put-if-absent", Fault::kDoneUnanswered);
  plan.at_action("put-if-absent", Fault::kUndoneUnanswered, 1);
  const auto store = fault_store(memory_, plan, clock_);
  EXPECT_EQ(store->put_if_absent("a", {}).error().kind(), ErrorKind::kRecoveryRequired);
  EXPECT_TRUE(store->put_if_absent("b", {}).ok());
  EXPECT_EQ(store->put_if_absent("c", {}).error().kind(), ErrorKind::kRecoveryRequired);
  EXPECT_TRUE(memory_.open("a").ok());
  EXPECT_FALSE(memory_.open("c").ok());
}

TEST_F(FaultStoreTest, TearsWrites) {
  FaultPlan plan;
  plan.at_action("put-if-absent", Fault::kTear);
  const auto store = fault_store(memory_, plan, clock_);
  EXPECT_EQ(store->put_if_absent("a", as_bytes("123456")).error().kind(),
            ErrorKind::kRecoveryRequired);
  EXPECT_EQ(text_of(memory_, "a"), "123");
}

TEST_F(FaultStoreTest, TheDiskFillsUp) {
  FaultPlan plan;
  plan.space(8);
  const auto store = fault_store(memory_, plan, clock_);
  EXPECT_TRUE(store->put_if_absent("a", as_bytes("12345")).ok());
  auto writer = store->create("b").value();
  EXPECT_TRUE(writer->append(as_bytes("123")).ok());
  const Error error = writer->append(as_bytes("4")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(error.fact("reason"), "no-space");
  EXPECT_EQ(writer->publish().error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(store->put_if_absent("c", {}).ok());
}

TEST_F(FaultStoreTest, AfterAStopNothingHappensAnyMore) {
  FaultPlan plan;
  MemoryStore memory(disk_, &plan);
  plan.at_action("publish", Fault::kStop);
  const auto store = fault_store(memory, plan, clock_);
  {
    auto writer = store->create("a").value();
    ASSERT_TRUE(writer->append(as_bytes("123")).ok());
    EXPECT_EQ(writer->publish().error().fact("reason"), "stopped");
  }
  EXPECT_TRUE(plan.is_stopped());
  EXPECT_FALSE(store->put_if_absent("b", {}).ok());
  EXPECT_FALSE(store->get("a", 10).ok());
  // The temporary stays, as after kill -9.
  EXPECT_EQ(memory_.list("", false).value().size(), 0U);
  EXPECT_EQ(memory_.list("", true).value().size(), 1U);
}

TEST_F(FaultStoreTest, LateAnswersAreLate) {
  class Watched final : public base::Clock {
   public:
    base::WallTime now() const override { return {}; }
    int64_t monotonic_microseconds() const override { return slept; }
    void sleep_microseconds(int64_t duration) const override { slept += duration; }
    mutable int64_t slept = 0;
  };
  const Watched clock;
  FaultPlan plan;
  plan.at(0, Fault::kActLate);
  plan.at(1, Fault::kAnswerLate);
  const auto store = fault_store(memory_, plan, const_cast<Watched&>(clock));
  EXPECT_TRUE(store->put_if_absent("a", {}).ok());
  EXPECT_TRUE(store->get("a", 1).ok());
  EXPECT_EQ(clock.slept, 2 * kLateMicroseconds);
}

TEST_F(FaultStoreTest, TheSameSeedDecidesTheSame) {
  const auto run = [](uint64_t seed) {
    FaultPlan plan(seed, {.fail = 100, .done_unanswered = 50, .undone_unanswered = 50});
    MemoryDisk disk;
    MemoryStore memory(disk);
    base::SystemClock clock;
    const auto store = fault_store(memory, plan, clock);
    for (int i = 0; i < 200; ++i) {
      static_cast<void>(store->put_if_absent(std::to_string(i), {}));
    }
    return plan.log();
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  EXPECT_THAT(run(1), testing::Contains(HasSubstr("!fail")));
  EXPECT_THAT(run(1), testing::Contains(HasSubstr("!done-unanswered")));
}

TEST(MemoryDisk, ACrashLosesWhatWasSeenButNotSynced) {
  MemoryDisk disk;
  MemoryStore plain(disk);
  ASSERT_TRUE(plain.put_if_absent("m", as_bytes("old")).ok());
  FaultPlan plan;
  plan.at_action("sync", Fault::kStop);
  MemoryStore store(disk, &plan);
  EXPECT_EQ(store.put_if_match("m", as_bytes("new"), plain.get("m", 9)->etag).error().kind(),
            ErrorKind::kRecoveryRequired);
  EXPECT_EQ(text_of(plain, "m"), "new");
  EXPECT_EQ(disk.unsynced_count(), 1U);
  disk.lose_unsynced();
  EXPECT_EQ(text_of(plain, "m"), "old");
}

TEST(MemoryDisk, WhoeverSyncsWhatItFoundKeepsIt) {
  MemoryDisk disk;
  MemoryStore plain(disk);
  FaultPlan plan;
  plan.at_action("sync", Fault::kStop);
  MemoryStore store(disk, &plan);
  EXPECT_FALSE(store.put_if_absent("a", as_bytes("x")).ok());
  ASSERT_TRUE(plain.sync_existing({"a"}).ok());
  disk.lose_unsynced();
  EXPECT_EQ(text_of(plain, "a"), "x");
}

TEST(MemoryDisk, ACrashByChanceKeepsSomeState) {
  bool kept = false;
  bool lost = false;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    MemoryDisk disk;
    MemoryStore plain(disk);
    FaultPlan plan;
    plan.at_action("sync", Fault::kStop);
    MemoryStore store(disk, &plan);
    EXPECT_FALSE(store.put_if_absent("a", as_bytes("x")).ok());
    base::Random random(seed);
    disk.crash(random);
    EXPECT_EQ(disk.unsynced_count(), 0U);
    (plain.open("a").ok() ? kept : lost) = true;
  }
  EXPECT_TRUE(kept && lost);
}

TEST(MemoryDisk, ARemovalMayComeBack) {
  MemoryDisk disk;
  MemoryStore store(disk);
  ASSERT_TRUE(store.put_if_absent("a", as_bytes("x")).ok());
  ASSERT_TRUE(store.remove("a").ok());
  EXPECT_FALSE(store.open("a").ok());
  disk.lose_unsynced();
  EXPECT_TRUE(store.open("a").ok());
}

class CachedReaderTest : public testing::Test {
 protected:
  CachedReaderTest() {
    for (int i = 0; i < 1000; ++i) {
      content_ += static_cast<char>('a' + i % 26);
    }
  }
  std::unique_ptr<ObjectReader> reader(ByteView head = {}) {
    return cached_reader(
        counting_reader(read_buffer("x", Buffer::copy_of(as_bytes(content_))), counter_), cache_,
        {.block_size_bytes = 10, .gap_bytes_max = 10}, head);
  }
  OperationCounts reads() const { return counter_.counts()[Operation::kRead]; }

  std::string content_;
  StoreCounter counter_;
  BlockCache cache_{400};
};

TEST_F(CachedReaderTest, ReadsWholeBlocksOnceAndJoinsNeighbours) {
  const auto cached = reader();
  const auto answers = cached->read_many({{5, 10}, {35, 3}, {100, 1}, {7, 0}}).value();
  EXPECT_EQ(to_text(answers[0].view()), content_.substr(5, 10));
  EXPECT_EQ(to_text(answers[1].view()), content_.substr(35, 3));
  EXPECT_EQ(to_text(answers[2].view()), content_.substr(100, 1));
  EXPECT_EQ(answers[3].size(), 0U);
  EXPECT_EQ(reads().calls, 1U);
  EXPECT_EQ(reads().items, 2U);  // blocks 0 to 3 with a gap, and 10
  EXPECT_EQ(reads().bytes, 50U);
  ASSERT_TRUE(cached->read({0, 40}).ok());
  EXPECT_EQ(reads().calls, 1U);
}

TEST_F(CachedReaderTest, TheHeadIsKnown) {
  const auto cached = reader(as_bytes(std::string_view(content_).substr(0, 25)));
  EXPECT_EQ(to_text(cached->read({0, 20}).value().view()), content_.substr(0, 20));
  EXPECT_EQ(reads().calls, 0U);
  ASSERT_TRUE(cached->read({20, 1}).ok());  // a part of a block is not kept
  EXPECT_EQ(reads().calls, 1U);
}

TEST_F(CachedReaderTest, LongRangesPassByAndTheBudgetHolds) {
  const auto cached = reader();
  EXPECT_EQ(to_text(cached->read({0, 101}).value().view()), content_.substr(0, 101));
  EXPECT_EQ(cache_.used_bytes(), 0U);
  for (uint64_t at = 0; at < 900; at += 90) {
    EXPECT_EQ(to_text(cached->read({at, 100}).value().view()), content_.substr(at, 100));
    EXPECT_LE(cache_.used_bytes(), 400U);
  }
}

TEST_F(CachedReaderTest, ObjectsDoNotMix) {
  const auto first = reader();
  content_[0] = 'Z';
  const auto second = reader();
  EXPECT_EQ(to_text(first->read({0, 1}).value().view()), "a");
  EXPECT_EQ(to_text(second->read({0, 1}).value().view()), "Z");
}

TEST_F(CachedReaderTest, AnErrorIsNotKept) {
  MemoryDisk disk;
  MemoryStore memory(disk);
  ASSERT_TRUE(memory.put_if_absent("a", as_bytes(content_)).ok());
  FaultPlan plan;
  plan.at_action("read", Fault::kFail);
  base::SystemClock clock;
  const auto store = fault_store(memory, plan, clock);
  const auto cached = cached_reader(store->open("a").value(), cache_);
  EXPECT_EQ(cached->read({0, 10}).error().kind(), ErrorKind::kUnavailable);
  EXPECT_TRUE(cached->read({0, 10}).ok());
}

TEST(CachedReaderThreads, EachBlockIsReadByOneThreadAtATime) {
  std::string content(100'000, 'x');
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 7 % 251);
  }
  BlockCache cache(1'000'000);
  StoreCounter counter;
  const auto cached =
      cached_reader(counting_reader(read_buffer("x", Buffer::copy_of(as_bytes(content))), counter),
                    cache, {.block_size_bytes = 100, .gap_bytes_max = 0});
  {
    std::vector<std::jthread> threads;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      threads.emplace_back([&, seed] {
        base::Random random(seed);
        for (int i = 0; i < 500; ++i) {
          const uint64_t at = random.below(99'000);
          const Range range{at, random.below(1'000)};
          if (random.chance(1, 4)) {
            cached->prefetch({range});
          }
          ASSERT_EQ(to_text(cached->read(range).value().view()),
                    content.substr(range.offset, range.size));
        }
      });
    }
  }
  EXPECT_LE(counter.counts()[Operation::kRead].bytes, content.size());
}

}  // namespace
}  // namespace weft::storage

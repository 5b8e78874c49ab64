#include "weft/base/baton.h"

#include <set>

#include <gmock/gmock.h>

#include "weft/base/mutex.h"

namespace weft::base {
namespace {

using testing::HasSubstr;

struct Trace {
  uint64_t hash = 0;
  std::string order;
  std::vector<std::string> entries;
};

Trace run_three(uint64_t seed) {
  Baton baton(seed);
  Trace trace;
  for (const char name : {'a', 'b', 'c'}) {
    baton.add(std::string(1, name), [&, name] {
      for (int i = 0; i < 5; ++i) {
        trace.order += name;  // unguarded: only one runs
        baton.yield("step");
      }
    });
  }
  EXPECT_TRUE(baton.run().ok());
  trace.hash = baton.trace_hash();
  trace.entries = baton.trace();
  return trace;
}

TEST(BatonThreads, TheSameSeedGivesTheSameTrace) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Trace first = run_three(seed);
    const Trace second = run_three(seed);
    EXPECT_EQ(first.hash, second.hash);
    EXPECT_EQ(first.order, second.order);
    EXPECT_EQ(first.entries, second.entries);
    EXPECT_EQ(first.order.size(), 15U);
    orders.insert(first.order);
  }
  EXPECT_GT(orders.size(), 15U);
}

TEST(BatonThreads, ALockIsHeldByOneActorAcrossPoints) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Baton baton(seed);
    Mutex mutex;
    int inside = 0;
    int rounds = 0;
    for (int i = 0; i < 4; ++i) {
      baton.add("actor" + std::to_string(i), [&] {
        for (int round = 0; round < 3; ++round) {
          const MutexLock lock(mutex);
          EXPECT_EQ(++inside, 1);
          baton.yield("inside");
          --inside;
          ++rounds;
        }
      });
    }
    ASSERT_TRUE(baton.run().ok());
    EXPECT_EQ(rounds, 12);
  }
}

TEST(BatonThreads, ConditionsWakeTheirWaiters) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Baton baton(seed);
    Mutex mutex;
    Condition changed;
    int items = 0;
    int taken = 0;
    for (int i = 0; i < 2; ++i) {
      baton.add("consumer", [&] {
        for (int n = 0; n < 3; ++n) {
          const MutexLock lock(mutex);
          while (items == 0) {
            changed.wait(mutex);
          }
          --items;
          ++taken;
        }
      });
    }
    baton.add("producer", [&] {
      for (int n = 0; n < 6; ++n) {
        const MutexLock lock(mutex);
        ++items;
        changed.notify_one();
      }
    });
    ASSERT_TRUE(baton.run().ok());
    EXPECT_EQ(taken, 6);
  }
}

TEST(BatonThreads, TimeIsVirtualAndNobodyWakesTooEarly) {
  Baton baton(7);
  int woken = 0;
  for (const int64_t hours : {3, 1, 2}) {
    baton.add("sleeper", [&, hours] {
      const int64_t begin = baton.clock().monotonic_microseconds();
      baton.clock().sleep_microseconds(hours * 3'600'000'000);
      EXPECT_GE(baton.clock().monotonic_microseconds() - begin, hours * 3'600'000'000);
      ++woken;
    });
  }
  ASSERT_TRUE(baton.run().ok());
  EXPECT_EQ(woken, 3);
  EXPECT_GE(baton.clock().monotonic_microseconds(), int64_t{3} * 3'600'000'000);
  EXPECT_LT(baton.clock().monotonic_microseconds(), int64_t{7} * 3'600'000'000);
}

TEST(BatonThreads, ADeadlockIsFoundAndNamed) {
  int found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    // The stuck actors' threads stay, and so must what they hold.
    auto* first = new Mutex;
    auto* second = new Mutex;
    Baton baton(seed);
    baton.add("ab", [first, second] {
      const MutexLock one(*first);
      const MutexLock two(*second);
    });
    baton.add("ba", [first, second] {
      const MutexLock one(*second);
      const MutexLock two(*first);
    });
    const Status status = baton.run();
    if (status.ok()) {
      delete first;
      delete second;
      continue;
    }
    ++found;
    EXPECT_EQ(status.error().message(), "deadlock");
    EXPECT_THAT(status.error().to_string(), HasSubstr("ab=waits for a lock"));
    EXPECT_THAT(status.error().to_string(), HasSubstr("ba=waits for a lock"));
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 20);
}

TEST(BatonThreads, WhoGoesRoundInCirclesIsStopped) {
  BatonOptions options;
  options.steps_max = 1'000;
  Baton baton(1, options);
  baton.add("spinner", [&baton] {
    while (true) {
      baton.yield("again");
    }
  });
  const Status status = baton.run();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(status.error().fact("steps_max"), "1000");
}

TEST(BatonThreads, TheExecutorInterleavesTasks) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Baton baton(seed);
    std::string order;
    baton.add("main", [&] {
      const Status status = baton.executor().for_each(4, [&](size_t i) -> Status {
        order += std::to_string(i);
        baton.yield("in task");
        order += std::to_string(i);
        return baton.executor().for_each(2, [&](size_t) -> Status { return ok_status(); });
      });
      EXPECT_TRUE(status.ok());
    });
    ASSERT_TRUE(baton.run().ok());
    EXPECT_EQ(order.size(), 8U);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 10U);
}

TEST(BatonThreads, TheExecutorReturnsTheErrorOfTheLowestIndexAndStops) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Baton baton(seed);
    size_t started = 0;
    baton.add("main", [&] {
      const Status status = baton.executor().for_each(100, [&](size_t i) -> Status {
        ++started;
        if (i >= 3) {
          return Error(ErrorKind::kInvalid, "bad").with("index", i);
        }
        return ok_status();
      });
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().kind(), ErrorKind::kInvalid);
    });
    ASSERT_TRUE(baton.run().ok());
    EXPECT_LT(started, 10U);
  }
}

TEST(BatonThreads, OutsideOfActorsItDoesNothing) {
  Baton baton(1);
  baton.yield("nobody");
  EXPECT_EQ(baton.actor(), "");
  EXPECT_TRUE(baton.run().ok());
  EXPECT_EQ(baton.step_count(), 0U);
}

}  // namespace
}  // namespace weft::base

#include "weft/base/executor.h"

#include <atomic>
#include <vector>

#include <gmock/gmock.h>

namespace weft::base {
namespace {

TEST(ExecutorThreads, RunsEveryIndexOnce) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> runs(1000);
  ASSERT_TRUE(pool.for_each(runs.size(),
                            [&](size_t i) -> Status {
                              ++runs[i];
                              return ok_status();
                            })
                  .ok());
  for (const std::atomic<int>& count : runs) {
    EXPECT_EQ(count.load(), 1);
  }
}

TEST(ExecutorThreads, NestedCallsDoNotDeadlock) {
  ThreadPool pool(2);
  std::atomic<int> leaves = 0;
  const Status status = pool.for_each(8, [&](size_t) {
    return pool.for_each(8, [&](size_t) -> Status {
      ++leaves;
      return ok_status();
    });
  });
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(leaves.load(), 64);
}

TEST(ExecutorThreads, ReturnsTheErrorOfTheLowestFailedIndexAndStartsNoMore) {
  ThreadPool pool(3);
  std::atomic<size_t> started = 0;
  const Status status = pool.for_each(100'000, [&](size_t i) -> Status {
    ++started;
    if (i >= 5) {
      return Error(ErrorKind::kInvalid, "bad").with("index", i);
    }
    return ok_status();
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().fact("index"), "5");
  EXPECT_LT(started.load(), 100U);
}

TEST(ExecutorThreads, StopsBetweenTasks) {
  ThreadPool pool(2);
  std::stop_source stop;
  std::atomic<size_t> started = 0;
  const Status status = pool.for_each(
      100'000,
      [&](size_t) -> Status {
        if (++started == 10) {
          stop.request_stop();
        }
        return ok_status();
      },
      stop.get_token());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kCancelled);
  EXPECT_LT(started.load(), 100U);
}

TEST(Executor, InlineRunsInOrder) {
  InlineExecutor executor;
  std::vector<size_t> order;
  ASSERT_TRUE(executor
                  .for_each(4,
                            [&](size_t i) -> Status {
                              order.push_back(i);
                              return ok_status();
                            })
                  .ok());
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace weft::base

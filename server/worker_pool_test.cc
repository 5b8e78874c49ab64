#include "server/worker_pool.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace weft::server {
namespace {

using namespace std::chrono_literals;

void wait_for(const std::atomic<bool>& flag) {
  while (!flag) {
    std::this_thread::sleep_for(1ms);
  }
}

TEST(WorkerPoolThreads, AllThatWasTakenIsDoneBeforeItDrains) {
  std::atomic<int> done = 0;
  int taken = 0;
  {
    WorkerPool pool(4, 1'000);
    for (int i = 0; i < 500; ++i) {
      taken += pool.submit([&] { done.fetch_add(1); }) ? 1 : 0;
    }
  }
  EXPECT_EQ(taken, 500);
  EXPECT_EQ(done, 500);
}

TEST(WorkerPoolThreads, TheQueueHasALimit) {
  std::atomic<bool> open = false;
  WorkerPool pool(1, 2);
  ASSERT_TRUE(pool.submit([&] { wait_for(open); }));
  while (pool.running() != 1 || pool.waiting() != 0) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(pool.submit([] {}));
  EXPECT_TRUE(pool.submit([] {}));
  EXPECT_FALSE(pool.submit([] {}));
  EXPECT_EQ(pool.waiting(), 2U);
  open = true;
  pool.drain();
  EXPECT_EQ(pool.running(), 0U);
  EXPECT_FALSE(pool.submit([] {}));
}

TEST(WorkerPoolThreads, OneTaskAfterAnotherStaysOnOneThread) {
  WorkerPool pool(8, 8);
  std::set<std::thread::id> threads;
  std::this_thread::sleep_for(50ms);  // until all wait
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> done = false;
    ASSERT_TRUE(pool.submit([&] {
      threads.insert(std::this_thread::get_id());
      done = true;
    }));
    wait_for(done);
    while (pool.running() != 0) {
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(3ms);  // until it waits again
  }
  EXPECT_LE(threads.size(), 4U);  // taking turns it would be all eight
}

}  // namespace
}  // namespace weft::server

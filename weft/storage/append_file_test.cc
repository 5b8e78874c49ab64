#include "weft/storage/append_file.h"

#include <cerrno>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/storage/file_lock.h"
#include "weft/storage/local_store.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/testing/scripted_calls.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::storage {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(ObjectStore& store, const std::string& name) {
  return to_text(store.get(name, 1'000'000).value().bytes.view());
}

class AppendFileTest : public testing::TestWithParam<bool> {
 protected:
  AppendFileTest() {
    if (GetParam()) {
      store_ = open_local_store(folder_.path()).value();
    } else {
      store_ = std::make_unique<MemoryStore>(disk_);
    }
    EXPECT_TRUE(store_->put_if_absent("j", as_bytes("one\n")).ok());
  }
  TestFolder folder_;
  MemoryDisk disk_;
  std::unique_ptr<ObjectStore> store_;
};

TEST_P(AppendFileTest, WhatIsAppendedStandsBehindWhatWasThere) {
  const auto file = store_->open_append("j").value();
  EXPECT_EQ(file->size(), 4U);
  ASSERT_TRUE(file->append(as_bytes("two\n")).ok());
  ASSERT_TRUE(file->sync().ok());
  EXPECT_EQ(file->size(), 8U);
  EXPECT_EQ(text_of(*store_, "j"), "one\ntwo\n");
}

TEST_P(AppendFileTest, ItIsCutAndGrowsAgain) {
  const auto file = store_->open_append("j").value();
  ASSERT_TRUE(file->append(as_bytes("two\n")).ok());
  ASSERT_TRUE(file->truncate(2).ok());
  ASSERT_TRUE(file->append(as_bytes("x")).ok());
  EXPECT_EQ(text_of(*store_, "j"), "onx");
  EXPECT_EQ(file->truncate(9).error().kind(), ErrorKind::kInvalid);
}

TEST_P(AppendFileTest, AnotherWriterIsNoticed) {
  const auto file = store_->open_append("j").value();
  ASSERT_TRUE(file->append(as_bytes("two\n")).ok());
  EXPECT_TRUE(file->is_ours().value());
  const auto other = store_->open_append("j").value();
  ASSERT_TRUE(other->append(as_bytes("+\n")).ok());
  EXPECT_FALSE(file->is_ours().value());
  ASSERT_TRUE(other->truncate(8).ok());
  EXPECT_TRUE(file->is_ours().value());
  const Etag etag = store_->get("j", 100)->etag;
  ASSERT_EQ(store_->put_if_match("j", as_bytes("elsewhr\n"), etag).value(), PutOutcome::kDone);
  EXPECT_FALSE(file->is_ours().value());
}

TEST_P(AppendFileTest, WhatIsNotThereCannotGrow) {
  EXPECT_EQ(store_->open_append("k").error().kind(), ErrorKind::kNotFound);
}

TEST_P(AppendFileTest, TheSecondHolderIsToldOfTheFirst) {
  auto first = store_->hold("j", {.holder = "pid 1 serve"}).value();
  const auto second = store_->hold("j", {.holder = "pid 2"});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(second.error().fact("reason"), "locked");
  EXPECT_EQ(second.error().fact("holder"), "pid 1 serve");
  EXPECT_TRUE(store_->hold("other", {.holder = "pid 2"}).ok());
  first.reset();
  EXPECT_TRUE(store_->hold("j", {.holder = "pid 2"}).ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, AppendFileTest, testing::Bool(), [](const auto& each) {
  return std::string(each.param ? "Local" : "Memory");
});

TEST(MemoryAppend, ACrashLeavesAnyPartOfWhatWasNotSynced) {
  std::set<std::string> left;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    MemoryDisk disk;
    MemoryStore store(disk);
    ASSERT_TRUE(store.put_if_absent("j", as_bytes("a")).ok());
    const auto file = store.open_append("j").value();
    ASSERT_TRUE(file->append(as_bytes("bc")).ok());
    ASSERT_TRUE(file->sync().ok());
    ASSERT_TRUE(file->append(as_bytes("de")).ok());
    base::Random random(seed);
    disk.crash(random);
    left.insert(text_of(store, "j"));
  }
  EXPECT_THAT(left, ElementsAre("abc", std::string("abc\0\0", 5), "abcd", "abcde"));
}

TEST(LocalAppend, WhatWasFoundIsSyncedFirst) {
  const TestFolder folder;
  ScriptedCalls calls(folder.path());
  const auto store = open_local_store(folder.path(), {.calls = &calls}).value();
  ASSERT_TRUE(store->put_if_absent("j", as_bytes("a")).ok());
  calls.forget();
  const auto file = store->open_append("j").value();
  ASSERT_TRUE(file->append(as_bytes("b")).ok());
  ASSERT_TRUE(file->sync().ok());
  EXPECT_THAT(calls.trace(), ElementsAre("sync j", "sync .", "write j", "sync j"));
}

TEST(LocalAppend, AFullDiskIsNamed) {
  const TestFolder folder;
  ScriptedCalls calls(folder.path());
  const auto store = open_local_store(folder.path(), {.calls = &calls}).value();
  ASSERT_TRUE(store->put_if_absent("j", as_bytes("a")).ok());
  const auto file = store->open_append("j").value();
  calls.deny_always("write j", -ENOSPC);
  const Error error = file->append(as_bytes("b")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(error.fact("reason"), "no-space");
  EXPECT_EQ(file->size(), 1U);
}

Folder folder_at(const std::string& path) {
  return {open_path(system_file_calls(), AT_FDCWD, path, O_RDONLY | O_DIRECTORY, "open").value(),
          path};
}

TEST(FileLockThreads, AWaiterIsWokenWhenTheLockIsGivenBack) {
  const TestFolder place;
  const Folder folder = folder_at(place.path());
  const base::SystemClock clock;
  auto first = std::make_unique<FileLock>(
      FileLock::acquire(system_file_calls(), folder, "m", clock, 0).value());
  std::thread other([&] {
    EXPECT_TRUE(FileLock::acquire(system_file_calls(), folder, "m", clock, 60'000).ok());
  });
  clock.sleep_microseconds(20'000);
  const int64_t begin = clock.monotonic_microseconds();
  first.reset();
  other.join();
  EXPECT_LT(clock.monotonic_microseconds() - begin, 1'000'000);
}

TEST(FileLockThreads, WaitingEndsOnRequestAndGivesBackWhatComesTooLate) {
  const TestFolder place;
  const Folder folder = folder_at(place.path());
  const base::SystemClock clock;
  auto first = std::make_unique<FileLock>(
      FileLock::acquire(system_file_calls(), folder, "m", clock, 0).value());
  std::stop_source stop;
  std::thread stopper([&] {
    clock.sleep_microseconds(5'000);
    stop.request_stop();
  });
  const auto stopped =
      FileLock::acquire(system_file_calls(), folder, "m", clock, 60'000, stop.get_token());
  stopper.join();
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kCancelled);
  first.reset();
  EXPECT_TRUE(FileLock::acquire(system_file_calls(), folder, "m", clock, 60'000).ok());
}

// With polling and growing pauses the busiest thread had nearly all of them.
TEST(FileLockThreads, NobodyIsStarved) {
  const TestFolder place;
  const base::SystemClock clock;
  constexpr size_t kThreads = 4;
  std::atomic<size_t> total = 0;
  std::array<size_t, kThreads> had{};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const Folder folder = folder_at(place.path());
      while (total < 200) {
        const auto lock = FileLock::acquire(system_file_calls(), folder, "m", clock, 60'000);
        ASSERT_TRUE(lock.ok());
        clock.sleep_microseconds(200);
        ++had[i];
        ++total;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const size_t count : had) {
    EXPECT_GT(count, 10U);
  }
}

}  // namespace
}  // namespace weft::storage

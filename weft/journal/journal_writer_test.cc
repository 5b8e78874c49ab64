#include "weft/journal/journal_writer.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/storage/fault_store.h"
#include "weft/storage/local_store.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/testing/scripted_calls.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::journal {
namespace {

using storage::Fault;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Taken : ChangeSink {
  std::vector<std::string> objects;
  Status change(bool insert, const rdf::QuadView& quad) override {
    objects.push_back((insert ? "+" : "-") + std::string(quad.object));
    return ok_status();
  }
};

std::string line(std::string_view object) {
  std::string text;
  append_line(text, true, {.subject = "<s>", .predicate = "<p>", .object = object, .graph = {}});
  return text;
}

class JournalWriterTest : public testing::Test {
 protected:
  Result<std::unique_ptr<JournalWriter>> try_open(
      storage::ObjectStore& store, const std::optional<JournalPosition>& sealed = {}) {
    taken_.objects.clear();
    return JournalWriter::open(store, "j", sealed, random_, taken_);
  }
  std::unique_ptr<JournalWriter> open(const std::optional<JournalPosition>& sealed = {}) {
    return try_open(store_, sealed).value();
  }
  std::vector<std::string> replayed(const std::optional<JournalPosition>& sealed = {}) {
    static_cast<void>(open(sealed));
    return taken_.objects;
  }
  void put(std::string_view text) {
    ASSERT_EQ(store_.put_if_absent("j", as_bytes(text)).value(), storage::PutOutcome::kDone);
  }
  std::string content() { return to_text(store_.get("j", 1'000'000).value().bytes.view()); }

  storage::MemoryDisk disk_;
  storage::FaultPlan plan_;
  base::SystemClock clock_;
  storage::MemoryStore store_{disk_};
  std::unique_ptr<storage::ObjectStore> faulty_ = storage::fault_store(store_, plan_, clock_);
  base::Random random_{7};
  Taken taken_;
};

TEST_F(JournalWriterTest, WhatIsSyncedSurvivesAndIsReadBackInOrder) {
  const auto writer = open();
  EXPECT_EQ(writer->size_bytes(), 0U);
  const auto first = writer->append(line("<1>")).value();
  const auto second = writer->append(line("<2>") + line("<3>")).value();
  ASSERT_TRUE(writer->sync(second).ok());
  ASSERT_TRUE(writer->sync(first).ok());
  EXPECT_EQ(writer->sync_count(), 1U);
  ASSERT_TRUE(writer->append(line("<4>")).ok());
  disk_.lose_unsynced();
  EXPECT_THAT(replayed(), ElementsAre("+<1>", "+<2>", "+<3>"));
}

TEST_F(JournalWriterTest, SequencesGoOnAfterOpening) {
  auto writer = open();
  ASSERT_TRUE(writer->append(line("<1>")).ok());
  const JournalPosition before = writer->position();
  writer = open();
  EXPECT_EQ(writer->position(), before);
  EXPECT_EQ(writer->append(line("<2>"))->sequence, 2U);
  EXPECT_THAT(replayed(), ElementsAre("+<1>", "+<2>"));
}

TEST_F(JournalWriterTest, ATornTailIsCutAndWrittenOver) {
  auto writer = open();
  ASSERT_TRUE(writer->append(line("<1>")).ok());
  const std::string whole = content();
  ASSERT_TRUE(writer->append(line("<2>")).ok());
  const std::string both = content();
  for (size_t size = whole.size() + 1; size < both.size(); ++size) {
    ASSERT_TRUE(store_.remove("j").ok());
    put(both.substr(0, size));
    writer = open();
    EXPECT_GT(writer->found().cut_bytes, 0U);
    EXPECT_EQ(content(), whole);
    ASSERT_TRUE(writer->append(line("<3>")).ok());
    EXPECT_THAT(replayed(), ElementsAre("+<1>", "+<3>"));
  }
}

TEST_F(JournalWriterTest, ADamagedLastCommitIsKeptBesideBeforeItIsCut) {
  auto writer = open();
  ASSERT_TRUE(writer->append(line("<1>")).ok());
  ASSERT_TRUE(writer->append(line("<2>")).ok());
  std::string text = content();
  text[text.find("<2>") + 1] = '9';
  ASSERT_TRUE(store_.remove("j").ok());
  put(text);
  EXPECT_THAT(replayed(), ElementsAre("+<1>"));
  const auto left = store_.list("j.cut-", false).value();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_THAT(to_text(store_.get(left[0].name, 1000)->bytes.view()), HasSubstr("<9>"));
}

TEST_F(JournalWriterTest, AJournalOfReteIsTakenOver) {
  put(line("<1>") + line("<2>") + "+ <s> <p> <3> .");
  auto writer = open();
  EXPECT_THAT(taken_.objects, ElementsAre("+<1>", "+<2>", "+<3>"));
  EXPECT_EQ(writer->position().sequence, 1U);
  ASSERT_TRUE(writer->append(line("<4>")).ok());
  Taken all;
  const auto report = read_journal(content(), "j", all);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->unmarked_changes, 0U);
  EXPECT_EQ(all.objects.size(), 4U);
}

TEST_F(JournalWriterTest, WhatIsSealedIsDroppedByOpening) {
  auto writer = open();
  ASSERT_TRUE(writer->append(line("<1>")).ok());
  ASSERT_TRUE(writer->append(line("<2>")).ok());
  const std::string id = writer->position().journal_id;
  writer = open(JournalPosition{id, 1});
  EXPECT_THAT(taken_.objects, ElementsAre("+<2>"));
  EXPECT_NE(writer->position().journal_id, id);
  // So a manifest that forgets what was sealed changes nothing.
  EXPECT_THAT(replayed(), ElementsAre("+<2>"));
}

TEST_F(JournalWriterTest, SealingDropsTheFrontAndGoesOn) {
  const auto writer = open();
  ASSERT_TRUE(writer->append(line("<1>")).ok());
  ASSERT_TRUE(writer->append(line("<2>")).ok());
  const JournalPosition sealed = writer->position();
  const auto last = writer->append(line("<3>")).value();
  ASSERT_TRUE(writer->sync(last).ok());
  Taken tail;
  ASSERT_TRUE(writer->read_after(sealed, tail).ok());
  EXPECT_THAT(tail.objects, ElementsAre("+<3>"));
  ASSERT_TRUE(writer->drop_sealed(sealed).ok());
  EXPECT_EQ(writer->append(line("<4>"))->sequence, 4U);
  EXPECT_THAT(replayed(sealed), ElementsAre("+<3>", "+<4>"));
}

TEST_F(JournalWriterTest, SealingEverythingLeavesAnEmptyFile) {
  const auto writer = open();
  ASSERT_TRUE(writer->sync(writer->append(line("<1>")).value()).ok());
  ASSERT_TRUE(writer->drop_sealed(writer->position()).ok());
  EXPECT_EQ(content(), "");
  EXPECT_EQ(writer->append(line("<2>"))->sequence, 2U);
}

TEST_F(JournalWriterTest, AFullDiskChangesNothing) {
  const auto writer = try_open(*faulty_).value();
  ASSERT_TRUE(writer->sync(writer->append(line("<1>")).value()).ok());
  plan_.space(0);
  const auto full = writer->append(line("<2>"));
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(full.error().fact("reason"), "no-space");
  plan_.space(UINT64_MAX);
  ASSERT_TRUE(writer->sync(writer->append(line("<3>")).value()).ok());
  EXPECT_THAT(replayed(), ElementsAre("+<1>", "+<3>"));
}

TEST_F(JournalWriterTest, ATornAppendIsCutAtOnce) {
  const auto writer = try_open(*faulty_).value();
  ASSERT_TRUE(writer->sync(writer->append(line("<1>")).value()).ok());
  plan_.at_action("append", Fault::kTear);
  EXPECT_FALSE(writer->append(line("<2>")).ok());
  ASSERT_TRUE(writer->sync(writer->append(line("<3>")).value()).ok());
  EXPECT_THAT(replayed(), ElementsAre("+<1>", "+<3>"));
}

TEST_F(JournalWriterTest, AfterAFailedSyncNothingIsAcknowledgedBeforeRecovery) {
  for (const Fault fault : {Fault::kFail, Fault::kDoneUnanswered, Fault::kUndoneUnanswered}) {
    ASSERT_TRUE(store_.remove("j").ok());
    const auto writer = try_open(*faulty_).value();
    ASSERT_TRUE(writer->sync(writer->append(line("<1>")).value()).ok());
    plan_.at_action("sync", fault);
    const auto second = writer->append(line("<2>")).value();
    EXPECT_EQ(writer->sync(second).error().kind(), ErrorKind::kRecoveryRequired);
    EXPECT_EQ(writer->sync(second).error().kind(), ErrorKind::kRecoveryRequired);
    EXPECT_FALSE(writer->append(line("<3>")).ok());
    ASSERT_TRUE(writer->recover().ok());
    EXPECT_EQ(writer->sync(second).error().kind(), ErrorKind::kRecoveryRequired);
    ASSERT_TRUE(writer->sync(writer->append(line("<4>")).value()).ok());
    EXPECT_THAT(replayed(), ElementsAre("+<1>", "+<4>"));
  }
}

TEST_F(JournalWriterTest, RecoveryFindsWhatWasLostAfterAll) {
  const auto writer = try_open(*faulty_).value();
  ASSERT_TRUE(writer->sync(writer->append(line("<1>")).value()).ok());
  plan_.at_action("sync", Fault::kFail);
  EXPECT_FALSE(writer->sync(writer->append(line("<2>")).value()).ok());
  ASSERT_TRUE(store_.remove("j").ok());
  put("");
  EXPECT_EQ(writer->recover().error().kind(), ErrorKind::kCorrupt);
}

TEST_F(JournalWriterTest, AnotherProgramsLinesAreNotWrittenOver) {
  const auto writer = open();
  ASSERT_TRUE(writer->append(line("<1>")).ok());
  const auto other = store_.open_append("j").value();
  ASSERT_TRUE(other->append(as_bytes(line("<rete>"))).ok());
  EXPECT_EQ(writer->append(line("<2>")).error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(replayed(), ElementsAre("+<1>", "+<rete>"));
}

// A sync that takes a millisecond: those that come meanwhile share the next one.
TEST(JournalWriterThreads, SyncsAreSharedByAllThatWait) {
  class SlowCalls final : public storage::FileCalls {
   public:
    int sync_data(int file) const override {
      base::SystemClock().sleep_microseconds(1'000);
      return FileCalls::sync_data(file);
    }
  } calls;
  const storage::TestFolder folder;
  const auto store = storage::open_local_store(folder.path(), {.calls = &calls}).value();
  base::Random random(1);
  Taken taken;
  const auto writer = JournalWriter::open(*store, "j", {}, random, taken).value();
  base::Mutex order;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 25; ++k) {
        AppendedCommit commit;
        {
          const base::MutexLock lock(order);
          commit = writer->append(line("<x>")).value();
        }
        ASSERT_TRUE(writer->sync(commit).ok());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(writer->durable_position().sequence, 200U);
  EXPECT_LT(writer->sync_count(), 100U);
  const auto again = JournalWriter::open(*store, "j", {}, random, taken).value();
  EXPECT_EQ(taken.objects.size(), 200U);
}

}  // namespace
}  // namespace weft::journal

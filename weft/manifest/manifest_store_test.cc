#include "weft/manifest/manifest_store.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/storage/fault_store.h"
#include "weft/storage/local_store.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::manifest {
namespace {

using storage::Fault;
using testing::HasSubstr;

SegmentPin pin(const std::string& url) {
  return {.url = url, .size_bytes = 1'024, .hash = {}};
}

class ManifestStoreTest : public testing::Test {
 protected:
  ManifestStoreTest() {
    EXPECT_TRUE(manifests_.create(Manifest::create("g", pin("base.rete"))).ok());
  }
  static Status add(Manifest& manifest) { return manifest.append({.adds = pin("a"), .dels = {}}); }
  std::string text() { return to_text(store_.get("m", 100'000)->bytes.view()); }

  storage::MemoryDisk disk_;
  storage::FaultPlan plan_;
  base::SystemClock clock_;
  storage::MemoryStore store_{disk_};
  std::unique_ptr<storage::ObjectStore> faulty_ = storage::fault_store(store_, plan_, clock_);
  ManifestStore manifests_{store_, "m", clock_};
  base::Random random_{1};
};

TEST_F(ManifestStoreTest, CreatingTwiceIsRefusedAndChangesNothing) {
  const std::string before = text();
  const Status second = manifests_.create(Manifest::create("other", {}));
  EXPECT_EQ(second.error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(text(), before);
}

TEST_F(ManifestStoreTest, LostRaceChangesNothing) {
  const LoadedManifest mine = manifests_.load().value();
  ASSERT_TRUE(manifests_.update(add, random_).ok());
  const std::string before = text();
  Manifest next = mine.manifest;
  ASSERT_TRUE(add(next).ok());
  EXPECT_EQ(manifests_.publish(mine, next).value(), storage::PutOutcome::kLost);
  EXPECT_EQ(text(), before);
}

TEST_F(ManifestStoreTest, AChangeOfAnotherProgramInBetweenIsNoticed) {
  // Somebody who takes no turn and no lock, once.
  bool first = true;
  const auto change = [&](Manifest& current) -> Status {
    if (std::exchange(first, false)) {
      const LoadedManifest now = manifests_.load().value();
      Manifest theirs = now.manifest;
      EXPECT_TRUE(theirs.append({.adds = {}, .dels = pin("theirs")}).ok());
      EXPECT_EQ(manifests_.publish(now, theirs).value(), storage::PutOutcome::kDone);
    }
    return add(current);
  };
  const Manifest result = manifests_.update(change, random_).value();
  EXPECT_EQ(result.generation(), 3U);
  EXPECT_EQ(result.log()[1].dels->url, "theirs");
  EXPECT_EQ(result.log()[2].adds->url, "a");
}

TEST_F(ManifestStoreTest, WhoLosesForEverIsToldSo) {
  const auto change = [&](Manifest& current) -> Status {
    const LoadedManifest now = manifests_.load().value();
    Manifest theirs = now.manifest;
    EXPECT_TRUE(add(theirs).ok());
    EXPECT_EQ(manifests_.publish(now, theirs).value(), storage::PutOutcome::kDone);
    return add(current);
  };
  const auto result =
      manifests_.update(change, random_, {.attempts_max = 3, .wait_max_ms = 1'000, .pause_ms = 1});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(result.error().fact("attempts_max"), "3");
}

TEST_F(ManifestStoreTest, ARefusalOfTheChangeIsHandedOn) {
  const std::string before = text();
  const auto refuse = [](Manifest&) -> Status { return Error(ErrorKind::kInvalid, "no"); };
  EXPECT_EQ(manifests_.update(refuse, random_).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(text(), before);
}

TEST_F(ManifestStoreTest, AnUnknownOutcomeIsNotRepeated) {
  ManifestStore faulty(*faulty_, "m", clock_);
  plan_.at_action("put-if-match", Fault::kDoneUnanswered);
  EXPECT_EQ(faulty.update(add, random_).error().kind(), ErrorKind::kRecoveryRequired);
  EXPECT_EQ(manifests_.load()->manifest.generation(), 2U);
}

TEST_F(ManifestStoreTest, WhatReteLeftBehindIsNamed) {
  ASSERT_TRUE(store_.put_if_absent("n.tmp", as_bytes(text())).ok());
  const Error error = ManifestStore(store_, "n", clock_).load().error();
  EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
  EXPECT_EQ(error.fact("found_instead"), "n.tmp");
  EXPECT_EQ(ManifestStore(store_, "o", clock_).load().error().fact("found_instead"), "");
}

TEST_F(ManifestStoreTest, DamageIsNamed) {
  ASSERT_TRUE(store_.put_if_absent("n", as_bytes("{\"rete_manifest\": 1}")).ok());
  const Error error = ManifestStore(store_, "n", clock_).load().error();
  EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(error.fact("manifest"), "n");
}

TEST(ManifestStoreThreads, AllChangesArriveOneAfterTheOther) {
  const storage::TestFolder folder;
  const base::SystemClock clock;
  const auto store = storage::open_local_store(folder.path()).value();
  ASSERT_TRUE(ManifestStore(*store, "m", clock).create(Manifest::create("g", {})).ok());
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const auto own = storage::open_local_store(folder.path()).value();
      ManifestStore manifests(*own, "m", clock);
      base::Random random(i);
      for (int k = 0; k < 10; ++k) {
        const auto result = manifests.update(
            [](Manifest& current) { return current.append({.adds = pin("a"), .dels = {}}); },
            random);
        ASSERT_TRUE(result.ok()) << result.error().to_string();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(ManifestStore(*store, "m", clock).load()->manifest.log().size(), 40U);
}

TEST(ManifestState, SealsAndCompactionsKeepItAndEntriesChangeIt) {
  Manifest manifest = Manifest::create("g", pin("base.rete"));
  EXPECT_EQ(manifest.state_generation(), 1U);
  EXPECT_EQ(manifest.sealed(), std::nullopt);
  const SealMark mark{.journal_id = "j1", .sequence = 7};
  const LogEntry sealed{.adds = pin("s"), .dels = {}};
  ASSERT_TRUE(manifest.append_sealed(sealed, mark, true).ok());
  EXPECT_EQ(manifest.generation(), 2U);
  EXPECT_EQ(manifest.state_generation(), 1U);
  ASSERT_TRUE(manifest.compact(2, pin("c")).ok());
  EXPECT_EQ(manifest.state_generation(), 1U);
  EXPECT_EQ(Manifest::parse(manifest.text())->sealed(), mark);
  ASSERT_TRUE(manifest.append({.adds = {}, .dels = pin("d")}).ok());
  EXPECT_EQ(manifest.state_generation(), 4U);
  EXPECT_EQ(manifest.sealed(), mark);
  ASSERT_TRUE(manifest.append_sealed(sealed, mark, false).ok());
  EXPECT_EQ(manifest.state_generation(), 5U);
}

TEST(ManifestState, ARewriteShowsSomethingElseAndForgetsWhatWas) {
  const SealMark mark{.journal_id = "j1", .sequence = 7};
  Manifest manifest = Manifest::create("g", pin("base.rete"));
  ASSERT_TRUE(manifest.append({.adds = pin("a"), .dels = {}}).ok());
  ASSERT_TRUE(manifest.rewrite({pin("all"), pin("more")}, mark).ok());
  EXPECT_EQ(manifest.generation(), 3U);
  EXPECT_EQ(manifest.state_generation(), 3U);
  EXPECT_EQ(manifest.sealed(), mark);
  ASSERT_EQ(manifest.log().size(), 2U);
  EXPECT_EQ(manifest.log()[0].adds->url, "all");
  EXPECT_EQ(manifest.log()[1].adds->url, "more");
  EXPECT_EQ(manifest.log_at(3)->size(), 2U);
  EXPECT_EQ(manifest.history(2, 3).error().kind(), ErrorKind::kNotFound);
  EXPECT_TRUE(manifest.history(3, 3).ok());
  ASSERT_TRUE(manifest.rewrite({}, mark).ok());
  EXPECT_TRUE(manifest.log().empty());
  EXPECT_TRUE(Manifest::parse(manifest.text()).ok());
  ASSERT_TRUE(manifest.append({.adds = pin("b"), .dels = {}}).ok());
  EXPECT_EQ(manifest.history(4, 5)->from_entries, 0U);
}

}  // namespace
}  // namespace weft::manifest

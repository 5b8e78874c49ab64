#include "weft/catalog/known_state.h"

#include <gmock/gmock.h>

#include "weft/storage/memory_store.h"

namespace weft::catalog {
namespace {

class ManualClock final : public base::Clock {
 public:
  base::WallTime now() const override { return {now_us + int64_t{1'700'000'000} * 1'000'000}; }
  int64_t monotonic_microseconds() const override { return now_us; }
  void sleep_microseconds(int64_t /*duration*/) const override {}
  int64_t now_us = 1;
};

class KnownStateTest : public testing::Test {
 protected:
  CatalogPlace place(KnownState* known) {
    return {.store = store_,
            .clock = clock_,
            .random = random_,
            .executor = executor_,
            .life = {},
            .known = known};
  }
  // The next commit, by a process that knows nothing.
  CatalogView publish_next(KnownState* known = nullptr) { return publish_next(place(known)); }
  CatalogView publish_next(const CatalogPlace& at) {
    const Result<CatalogView> base = open_latest(at);
    CatalogState next = base.ok() ? base->state() : CatalogState();
    const CommitRecord before = std::exchange(next.head, CommitRecord());
    next.head.id = base::Ulid::make(clock_.now(), random_);
    next.head.operation = base::Ulid::make(clock_.now(), random_);
    next.head.kind = "mutate";
    next.head.actor = "ana";
    next.head.created_at.microseconds =
        std::max(clock_.now().microseconds, before.created_at.microseconds + 1);
    if (base.ok()) {
      next.head.parent = before.id;
    }
    const auto staged = stage_publication(at, base.ok() ? &*base : nullptr, next);
    EXPECT_TRUE(staged.ok()) << staged.error().to_string();
    const auto published = publish(at, *staged);
    EXPECT_TRUE(published.ok()) << published.error().to_string();
    return *published->view;
  }

  ManualClock clock_;
  base::Random random_{3};
  base::InlineExecutor executor_;
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
  KnownState known_{1U << 20U, clock_};
};

TEST_F(KnownStateTest, WhatOthersPublishIsFound) {
  publish_next(&known_);
  EXPECT_EQ(known_.newest("")->version(), 1U);
  publish_next();
  publish_next();
  EXPECT_EQ(known_.newest("")->version(), 1U);
  EXPECT_EQ(open_latest(place(&known_))->version(), 3U);
  EXPECT_EQ(known_.newest("")->version(), 3U);
}

TEST_F(KnownStateTest, AVersionThatWasConfirmedLongAgoIsNotGoneOnFrom) {
  const CatalogView first = publish_next(&known_);
  clock_.now_us += kKnownViewMaxUs;
  EXPECT_TRUE(known_.newest("").has_value());
  clock_.now_us += 1;
  EXPECT_FALSE(known_.newest("").has_value());
  // A newer one was published, and a cleanup has removed what lies between.
  publish_next();
  publish_next();
  ASSERT_TRUE(store_.remove(first.chain().object(lance::manifest_name(2))).ok());
  EXPECT_EQ(open_latest(place(&known_))->version(), 3U);
  EXPECT_EQ(known_.newest("")->version(), 3U);
}

TEST_F(KnownStateTest, AnOlderVersionDoesNotReplaceANewerOne) {
  const CatalogView first = publish_next(&known_);
  publish_next(&known_);
  known_.note_newest("", first);
  EXPECT_EQ(known_.newest("")->version(), 2U);
}

TEST_F(KnownStateTest, HeadsAndVersionsOfTheCatalogAreNotRemembered) {
  EXPECT_FALSE(is_worth_remembering("A-1.lance/_versions/18446744073709551608.manifest", 10));
  EXPECT_FALSE(is_worth_remembering("__manifest/_versions/18446744073709551608.manifest", 10));
  EXPECT_FALSE(is_worth_remembering("_refs/review/1", 10));
  EXPECT_TRUE(is_worth_remembering("A-1.lance/_versions/d9446744073709551608.manifest", 10));
  EXPECT_TRUE(is_worth_remembering("A-1.lance/data/x.weft", 10));
  EXPECT_FALSE(is_worth_remembering("A-1.lance/data/x.weft", uint64_t{1} << 30U));
  EXPECT_TRUE(is_worth_remembering("A-1.lance/_weft/keys-x.run", uint64_t{1} << 30U));
  EXPECT_FALSE(is_worth_remembering("A-1.lance/_weft/_transactions/1-x.txn", 10));
}

TEST_F(KnownStateTest, WhatIsRememberedDoesNotGrowWithTheCommits) {
  const auto store = storage::remembering_store(store_, known_.objects(), is_worth_remembering);
  uint64_t after_few = 0;
  CatalogPlace at{.store = *store,
                  .clock = clock_,
                  .random = random_,
                  .executor = executor_,
                  .life = {},
                  .known = &known_};
  for (int i = 0; i < 640; ++i) {
    publish_next(at);
    after_few = i == 63 ? known_.objects().used_bytes() : after_few;
  }
  // 63 commits lie in seven fragments and seven of eight rows, 639 in up to seven more.
  EXPECT_GT(after_few, 0U);
  EXPECT_LT(known_.objects().used_bytes(), 6 * after_few);
}

}  // namespace
}  // namespace weft::catalog

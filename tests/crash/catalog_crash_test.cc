// A graph's catalog at every crash point: after any stop the newest version is the old or the new
// one, and the next commit needs no help.
#include <optional>

#include "tests/crash/crash_harness.h"
#include <gtest/gtest.h>

#include "weft/catalog/catalog.h"

namespace weft::crash {
namespace {

using catalog::CatalogPlace;
using catalog::CatalogState;
using catalog::CatalogView;
using catalog::PublishOutcome;

class CatalogScenario : public CrashScenario {
 protected:
  CatalogPlace place(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  CatalogState after(const CatalogView* base) {
    CatalogState next = base != nullptr ? base->state() : CatalogState();
    next.head = catalog::CommitRecord();
    next.head.id = base::Ulid::make(clock_.now(), random_);
    next.head.operation = base::Ulid::make(clock_.now(), random_);
    next.head.kind = "load";
    next.head.actor = "ana";
    next.head.created_at = clock_.now();
    if (base != nullptr) {
      next.head.parent = base->state().head.id;
      next.head.created_at.microseconds =
          std::max(clock_.now().microseconds, base->state().head.created_at.microseconds + 1);
    }
    return next;
  }
  // Publishes upon `base`; remembers what was tried and whether it was acknowledged.
  Status publish(storage::ObjectStore& store, const CatalogView* base) {
    const CatalogState next = after(base);
    tried_ = next;
    WEFT_TRY(const auto staged, stage_publication(place(store), base, next));
    WEFT_TRY(const auto result, catalog::publish(place(store), staged));
    EXPECT_EQ(result.outcome, PublishOutcome::kPublished);
    acknowledged_ = true;
    return ok_status();
  }
  void check_next(storage::ObjectStore& store) {
    const auto latest = catalog::open_latest(place(store));
    const bool is_absent = !latest.ok() && latest.error().kind() == ErrorKind::kNotFound;
    ASSERT_TRUE(latest.ok() || is_absent) << latest.error().to_string();
    const CatalogView* const base = latest.ok() ? &*latest : nullptr;
    const auto staged = stage_publication(place(store), base, after(base));
    ASSERT_TRUE(staged.ok()) << staged.error().to_string();
    EXPECT_EQ(catalog::publish(place(store), *staged)->outcome, PublishOutcome::kPublished);
  }

  base::SystemClock clock_;
  base::Random random_{3};
  base::ThreadPool executor_{1};
  std::optional<CatalogState> tried_;
  bool acknowledged_ = false;
};

struct FirstVersion final : CatalogScenario {
  Status run(storage::ObjectStore& store) override { return publish(store, nullptr); }
  void verify(storage::ObjectStore& store) override {
    const auto latest = catalog::open_latest(place(store));
    if (latest.ok()) {
      EXPECT_EQ(latest->state().head.id, tried_->head.id);
      EXPECT_EQ(latest->version(), 1U);
    } else {
      EXPECT_FALSE(acknowledged_);
      EXPECT_EQ(latest.error().kind(), ErrorKind::kNotFound);
    }
    check_next(store);
  }
};

// The eighth commit folds the fragments of those before it.
struct NextVersion final : CatalogScenario {
  static constexpr uint64_t kVersionsBefore = 7;

  Status prepare(storage::ObjectStore& store) override {
    std::optional<CatalogView> base;
    for (uint64_t i = 0; i < kVersionsBefore; ++i) {
      WEFT_TRY_STATUS(publish(store, base ? &*base : nullptr));
      WEFT_TRY(base, catalog::open_latest(place(store)));
    }
    before_ = base->state();
    acknowledged_ = false;
    tried_.reset();
    return ok_status();
  }
  Status run(storage::ObjectStore& store) override {
    WEFT_TRY(const CatalogView base, catalog::open_latest(place(store)));
    return publish(store, &base);
  }
  void verify(storage::ObjectStore& store) override {
    const auto latest = catalog::open_latest(place(store));
    ASSERT_TRUE(latest.ok()) << latest.error().to_string();
    const auto commits = latest->commits(100);
    ASSERT_TRUE(commits.ok()) << commits.error().to_string();
    EXPECT_EQ(commits->size(), latest->version());
    if (latest->version() == kVersionsBefore) {
      EXPECT_FALSE(acknowledged_);
      EXPECT_EQ(latest->state(), before_);
    } else {
      ASSERT_TRUE(tried_.has_value());
      EXPECT_EQ(latest->version(), kVersionsBefore + 1);
      EXPECT_EQ(latest->state().head.id, tried_->head.id);
    }
    check_next(store);
  }

 private:
  CatalogState before_;
};

TEST(CatalogCrash, TheFirstVersionIsThereOrNot) {
  const CrashSummary summary = crash_everywhere([] { return std::make_unique<FirstVersion>(); });
  RecordProperty("runs", static_cast<int>(summary.runs));
  EXPECT_GE(summary.steps, 3U);
}

TEST(CatalogCrash, APublicationIsBeforeOrAfter) {
  const CrashSummary summary =
      crash_everywhere([] { return std::make_unique<NextVersion>(); }, {.seeds_per_step = 1});
  RecordProperty("runs", static_cast<int>(summary.runs));
  EXPECT_GE(summary.steps, 5U);
}

}  // namespace
}  // namespace weft::crash

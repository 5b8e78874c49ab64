#include "weft/catalog/catalog.h"

#include <gtest/gtest.h>

#include "weft/lance/rows/row_operations.h"
#include "weft/storage/counting_store.h"
#include "weft/storage/fault_store.h"
#include "weft/storage/memory_store.h"

namespace weft::catalog {
namespace {

// Time moves by itself, so that each commit is younger than its parent.
class TickingClock final : public base::Clock {
 public:
  base::WallTime now() const override { return {microseconds_ += 1'000}; }
  int64_t monotonic_microseconds() const override { return microseconds_; }
  void sleep_microseconds(int64_t duration) const override { microseconds_ += duration; }

 private:
  mutable int64_t microseconds_ = 1'800'000'000'000'000;
};

class CatalogTest : public testing::Test {
 protected:
  CatalogPlace place() { return place(store_); }
  CatalogPlace place(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  base::Ulid ulid() { return base::Ulid::make(clock_.now(), random_); }
  CatalogState after(const CatalogView* base, std::string kind = "load") {
    CatalogState next = base != nullptr ? base->state() : CatalogState();
    next.head = CommitRecord();
    next.head.id = ulid();
    next.head.operation = ulid();
    if (base != nullptr) {
      next.head.parent = base->state().head.id;
    }
    next.head.kind = std::move(kind);
    next.head.actor = "ana";
    next.head.created_at = clock_.now();
    return next;
  }
  TableEntry table(std::string key) {
    TableEntry made;
    made.identity = {ulid(), ulid()};
    made.path = table_path(key, made.identity);
    made.key = std::move(key);
    made.pin = {"", lance::kDetachedBit | 1, 900, "aa", "bb", 1, 3, 0, ""};
    return made;
  }
  CatalogView make() {
    const auto staged = stage_publication(place(), nullptr, after(nullptr, "init"));
    EXPECT_TRUE(staged.ok()) << (staged.ok() ? "" : staged.error().to_string());
    return *publish(place(), staged.value()).value().view;
  }
  CatalogView add(const CatalogView& base, const CatalogState& next) {
    const auto staged = stage_publication(place(), &base, next);
    EXPECT_TRUE(staged.ok()) << (staged.ok() ? "" : staged.error().to_string());
    const auto result = publish(place(), staged.value());
    EXPECT_EQ(result->outcome, PublishOutcome::kPublished);
    return *result->view;
  }

  TickingClock clock_;
  base::Random random_{11};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
};

TEST_F(CatalogTest, WhatWasPublishedIsFoundByWhoOpens) {
  EXPECT_EQ(open_latest(place()).error().kind(), ErrorKind::kNotFound);
  EXPECT_FALSE(open_latest(place()).error().fact("store").empty());
  const CatalogView first = make();
  CatalogState next = after(&first);
  next.tables = {table("node:Person"), table("edge:Knows")};
  next.schema = SchemaPin{"_schema/aa.pg", 12, "aa"};
  const CatalogView second = add(first, next);
  const auto opened = open_latest(place());
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  EXPECT_EQ(opened->version(), 2U);
  EXPECT_EQ(opened->state(), second.state());
  EXPECT_EQ(opened->state().tables[0].key, "edge:Knows");
  EXPECT_EQ(open_version(place(), 1)->state(), first.state());
  EXPECT_EQ(open_latest_after(first)->state(), second.state());
  EXPECT_EQ(open_latest_after(second)->version(), 2U);
}

TEST_F(CatalogTest, OfTwoThatFollowOneVersionOneIsPublished) {
  const CatalogView base = make();
  const auto ours = stage_publication(place(), &base, after(&base));
  const auto theirs = stage_publication(place(), &base, after(&base));
  EXPECT_EQ(publish(place(), *theirs)->outcome, PublishOutcome::kPublished);
  const auto lost = publish(place(), *ours);
  ASSERT_TRUE(lost.ok()) << lost.error().to_string();
  EXPECT_EQ(lost->outcome, PublishOutcome::kLost);
  EXPECT_EQ(lost->view->state().head, theirs->state.head);
  // Once more: the same answers.
  EXPECT_EQ(publish(place(), *theirs)->outcome, PublishOutcome::kPublished);
  EXPECT_EQ(publish(place(), *ours)->outcome, PublishOutcome::kLost);
  EXPECT_EQ(open_latest(place())->version(), 2U);
}

TEST_F(CatalogTest, TwoThatMakeTheFirstVersionDoNotBothWin) {
  const auto ours = stage_publication(place(), nullptr, after(nullptr));
  const auto theirs = stage_publication(place(), nullptr, after(nullptr));
  EXPECT_EQ(publish(place(), *theirs)->outcome, PublishOutcome::kPublished);
  const auto lost = publish(place(), *ours);
  ASSERT_TRUE(lost.ok()) << lost.error().to_string();
  EXPECT_EQ(lost->outcome, PublishOutcome::kLost);
  EXPECT_EQ(lost->view->state().head, theirs->state.head);
}

TEST_F(CatalogTest, ACommitThatDoesNotFollowIsRefused) {
  const CatalogView base = make();
  CatalogState stranger = after(&base);
  stranger.head.parent = ulid();
  EXPECT_EQ(stage_publication(place(), &base, stranger).error().kind(), ErrorKind::kInvalid);
  CatalogState older = after(&base);
  older.head.created_at = base.state().head.created_at;
  EXPECT_EQ(stage_publication(place(), &base, older).error().kind(), ErrorKind::kInvalid);
  CatalogState nameless = after(&base);
  nameless.head.id = {};
  EXPECT_EQ(stage_publication(place(), &base, nameless).error().kind(), ErrorKind::kInvalid);
}

TEST_F(CatalogTest, TheHistoryIsListedAndSearchedAndCostsNothingToOpen) {
  CatalogView view = make();
  std::vector<CommitRecord> made = {view.state().head};
  storage::StoreCounter counter;
  const auto counted = storage::counting_store(store_, counter);
  const auto cost_of_open = [&] {
    counter.reset();
    EXPECT_EQ(open_version(place(*counted), view.version())->version(), view.version());
    return counter.counts().calls();
  };
  const uint64_t calls_at_first = cost_of_open();
  for (int i = 0; i < 700; ++i) {
    view = add(view, after(&view));
    made.push_back(view.state().head);
  }
  EXPECT_LE(view.snapshot().manifest().fragments.size(), lance::kTailFragmentsMax);
  EXPECT_LE(cost_of_open(), calls_at_first);
  const auto all = view.commits(UINT64_MAX);
  ASSERT_TRUE(all.ok()) << all.error().to_string();
  EXPECT_EQ(*all, std::vector<CommitRecord>(made.rbegin(), made.rend()));
  EXPECT_EQ(view.commits(3)->size(), 3U);
  EXPECT_EQ(view.commits(3)->front(), made.back());
  EXPECT_EQ(*view.find_operation(made[400].operation), made[400]);
  EXPECT_EQ(*view.find_operation(ulid()), std::nullopt);
}

TEST_F(CatalogTest, VersionsOfOthersAreNamed) {
  const CatalogView base = make();
  // A compaction, as an engine would: other file names.
  lance::StageOptions options;
  options.clock = &clock_;
  options.random = &random_;
  lance::RowOptions rows;
  rows.stage = options;
  rows.write.executor = &executor_;
  const auto staged =
      lance::stage_append(base.snapshot(), {commit_rows({after(&base).head})}, rows);
  ASSERT_TRUE(staged.ok()) << staged.error().to_string();
  ASSERT_TRUE(lance::commit(*staged, {options, 0, false}).ok());
  const auto opened = open_latest(place());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(opened.error().fact("version"), "2");
  EXPECT_TRUE(open_version(place(), 1).ok());
}

TEST_F(CatalogTest, AnotherFormatIsRefusedWithARemedy) {
  lance::StageOptions options;
  options.clock = &clock_;
  options.random = &random_;
  lance::NewTable table;
  table.location = place().location();
  table.schema = lance::layout::schema_fields(*catalog_schema()).value();
  for (const std::string_view format : {"", "2", "0"}) {
    storage::MemoryDisk disk(&clock_);
    storage::MemoryStore store(disk);
    table.location.store = &store;
    table.schema_metadata.clear();
    if (!format.empty()) {
      table.schema_metadata = {{"weft:catalog_format", std::string(format)}};
    }
    ASSERT_TRUE(lance::commit(*lance::stage_new_table(table, options), {options, 0, false}).ok());
    const auto opened = open_latest(place(store));
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().kind(), ErrorKind::kUnsupported);
    EXPECT_FALSE(opened.error().fact("remedy").empty());
  }
}

}  // namespace
}  // namespace weft::catalog

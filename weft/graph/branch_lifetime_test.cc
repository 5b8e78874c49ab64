// Branches that are made and written by a machine that slept, while a cleanup took what it had
// read.
#include <gmock/gmock.h>

#include "weft/codec/stream.h"
#include "weft/graph/branch.h"
#include "weft/graph/cleanup.h"
#include "weft/graph/create.h"
#include "weft/graph/load.h"
#include "weft/graph/testing/sleeping_machine.h"
#include "weft/lance/table/names.h"
#include "weft/storage/memory_store.h"

namespace weft::graph {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class BranchLifetimeTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        create_graph(place(store_), ana(), {.schema_text = "node Person { name: String @key }"})
            .ok());
    load_into("main", "Ada");
    ASSERT_TRUE(create_branch(place(store_), ana(), "a").ok());
    load_into("a", "Ben");
  }
  catalog::CatalogPlace place(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  Authority ana() { return {"ana", everything_}; }
  void load_into(const std::string& branch, const std::string& name) {
    const std::string line = R"({"type":"Person","data":{"name":")" + name + "\"}}\n";
    codec::MemoryInputView input(line);
    const auto loaded = load(place(store_), ana(), {.branch = branch}, input, {});
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  }
  // The branch "a" ends, and all of it is taken but that it ended.
  void end_and_clean() {
    ASSERT_TRUE(delete_branch(place(store_), ana(), "a").ok());
    clock_.sleep_microseconds(kCleanupKeepUs + kCleanupGraceUs);
    const auto cleaned = clean_graph(place(store_), ana(), {}, {});
    ASSERT_TRUE(cleaned.ok()) << cleaned.error().to_string();
    ASSERT_THAT(cleaned->ended, SizeIs(1));
  }
  void expect_whole() {
    const auto branches = catalog::list_branches(place(store_));
    ASSERT_TRUE(branches.ok()) << branches.error().to_string();
    for (const catalog::BranchEntry& branch : *branches) {
      const auto graph =
          open_snapshot(place(store_), {.branch = branch.life.branch, .at = Newest()});
      ASSERT_TRUE(graph.ok()) << graph.error().to_string();
      EXPECT_TRUE((*graph)->find_node("Person")->reader().ok());
    }
    const auto cleaned = clean_graph(place(store_), ana(), {}, {});
    EXPECT_TRUE(cleaned.ok()) << cleaned.error().to_string();
  }
  size_t refs() { return store_.list(std::string(catalog::kBranchRefsFolder), false)->size(); }

  SteppedClock clock_;
  base::Random random_{17};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
  AllowEverything everything_;
};

TEST_F(BranchLifetimeTest, ABranchThatWasBegunTooLongAgoIsNotMade) {
  SleepsBefore sleeps("sync", "__manifest/tree/a.", [&] {
    end_and_clean();
    return ok_status();
  });
  storage::MemoryStore sleepy(disk_, &sleeps);
  const auto made = create_branch(place(sleepy), ana(), "late", {.branch = "a", .at = Newest()});
  ASSERT_TRUE(sleeps.has_slept());
  EXPECT_FALSE(made.ok());
  EXPECT_EQ(refs(), 1U);
  expect_whole();
}

TEST_F(BranchLifetimeTest, ItIsAskedBeforeEachCreation) {
  ASSERT_TRUE(create_branch(place(store_), ana(), "b").ok());
  {
    SleepsBefore sleeps("sync", "__manifest/", [&] {
      clock_.sleep_microseconds(txn::kWriterLifetimeUs);
      return ok_status();
    });
    storage::MemoryStore sleepy(disk_, &sleeps);
    const auto late = create_branch(place(sleepy), ana(), "c");
    ASSERT_TRUE(sleeps.has_slept());
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().kind(), ErrorKind::kUnavailable);
    EXPECT_EQ(late.error().fact("reason"), "writer-lifetime");
    EXPECT_EQ(refs(), 2U);
  }
  {
    // Its request was lost on its way for a day, and is not repeated.
    SleepsBefore sleeps("show", "_refs/c/", [&] {
      clock_.sleep_microseconds(txn::kWriterLifetimeUs);
      return Status(Error(ErrorKind::kRecoveryRequired, "the store gave no answer"));
    });
    storage::MemoryStore sleepy(disk_, &sleeps);
    const auto late = create_branch(place(sleepy), ana(), "c");
    ASSERT_TRUE(sleeps.has_slept());
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().kind(), ErrorKind::kRecoveryRequired);
    EXPECT_EQ(refs(), 2U);
  }
  // The name had a life before, which is found out after the first creation was lost.
  ASSERT_TRUE(delete_branch(place(store_), ana(), "b").ok());
  SleepsBefore sleeps("sync", "__manifest/tree/b.", [&] {
    clock_.sleep_microseconds(txn::kWriterLifetimeUs);
    return ok_status();
  });
  storage::MemoryStore sleepy(disk_, &sleeps);
  const auto late = create_branch(place(sleepy), ana(), "b");
  ASSERT_TRUE(sleeps.has_slept());
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().fact("reason"), "writer-lifetime");
  EXPECT_EQ(refs(), 2U);
  ASSERT_TRUE(create_branch(place(store_), ana(), "b").ok());
  expect_whole();
}

// The last commit of a branch pins what its tables were, as any other.
TEST_F(BranchLifetimeTest, AnEndThatWasBegunTooLongAgoIsNotPublished) {
  SleepsBefore sleeps("sync", "__manifest/tree/a.", [&] {
    clock_.sleep_microseconds(txn::kWriterLifetimeUs);
    return ok_status();
  });
  storage::MemoryStore sleepy(disk_, &sleeps);
  const auto late = delete_branch(place(sleepy), ana(), "a");
  ASSERT_TRUE(sleeps.has_slept());
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().fact("reason"), "writer-lifetime");
  expect_whole();
  EXPECT_THAT(*catalog::list_branches(place(store_)), SizeIs(1));
}

// Heads name files of a commit that stands, but of a branch that has ended there may be none left.
TEST_F(BranchLifetimeTest, AHeadIsNotBroughtOnceItsBranchMayBeGone) {
  const catalog::CatalogPlace a = *catalog::open_branch(place(store_), "a");
  const catalog::CatalogView view = *catalog::open_latest(a);
  SleepsBefore sleeps("sync", a.location().object(lance::manifest_name(view.version() + 1)), [&] {
    end_and_clean();
    return ok_status();
  });
  storage::MemoryStore sleepy(disk_, &sleeps);
  codec::MemoryInputView input(R"({"type":"Person","data":{"name":"Cem"}})");
  const auto late = load(place(sleepy), ana(), {.branch = "a"}, input, {});
  ASSERT_TRUE(sleeps.has_slept());
  ASSERT_TRUE(late.ok()) << late.error().to_string();
  EXPECT_FALSE(late->receipt->has_followed);
  const catalog::TableEntry& table = view.state().tables.front();
  EXPECT_THAT(*store_.list(table.path + "/tree/" + a.life, false), IsEmpty());
  expect_whole();
}

}  // namespace
}  // namespace weft::graph

// The write protocol at every crash point: after any stop the graph is in the old or the new state
// over all its tables, heads hold published rows only, and the next write needs no help.
#include <optional>

#include "tests/crash/crash_harness.h"
#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/txn/testing/graph_fixture.h"

namespace weft::crash {
namespace {

using testing::IsEmpty;
using txn::Insert;
using Ids = std::multiset<int64_t>;

class WriteScenario : public CrashScenario {
 public:
  Status prepare(storage::ObjectStore& store) override {
    for (const std::vector<Insert>& inserts : before()) {
      WEFT_TRY_STATUS(txn::insert(main(store), inserts));
    }
    return meddle(store);
  }
  Status run(storage::ObjectStore& store) override {
    request_.operation = base::Ulid::make(clock_.now(), random_);
    const auto receipt = txn::insert(place(store), change(), request_);
    if (receipt.ok()) {
      acknowledged_ = true;
      return ok_status();
    }
    return receipt.error();
  }
  void verify(storage::ObjectStore& store) override {
    const catalog::CatalogPlace at = place(store);
    const bool is_new = check_state(at);
    if (acknowledged_) {
      EXPECT_TRUE(is_new);
    }
    if (!others_write()) {
      check_heads(at);
    }
    // The same operation again: it is there once, whether it came through before or not.
    const auto again = txn::insert(at, change(), request_);
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(again->is_repeated, is_new);
    EXPECT_TRUE(check_state(at));
    ASSERT_TRUE(txn::insert(at, {{"node:A", {99}}}).ok());
    check_heads(at);
    EXPECT_EQ(txn::published(at, "node:A").count(99), 1U);
  }

 protected:
  virtual std::vector<std::vector<Insert>> before() const { return {}; }
  virtual std::vector<Insert> change() const = 0;
  // What another program does to the tables before the write.
  virtual bool others_write() const { return false; }
  virtual Status meddle(storage::ObjectStore& /*store*/) { return ok_status(); }
  // All fragments of node:A become one, as the next version of the table.
  Status compact(storage::ObjectStore& store) {
    WEFT_TRY(const lance::Snapshot head, txn::head_of(place(store), "node:A"));
    lance::RowOptions options;
    options.stage.operation = "foreign";
    options.stage.clock = &clock_;
    options.stage.random = &random_;
    options.write.executor = &executor_;
    WEFT_TRY(const auto staged, lance::stage_compaction(head, {}, options));
    if (!staged) {
      return Error(ErrorKind::kInvalid, "there is nothing to compact");
    }
    return lance::commit(*staged, {options.stage, 10, true}).ok()
               ? ok_status()
               : Status(Error(ErrorKind::kInvalid, "the compaction was not committed"));
  }

  // Where the write goes.
  virtual catalog::CatalogPlace place(storage::ObjectStore& store) { return main(store); }
  catalog::CatalogPlace main(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }

 private:
  Ids ids_before(std::string_view key) const {
    Ids ids;
    for (const std::vector<Insert>& inserts : before()) {
      for (const Insert& insert : inserts) {
        if (insert.key == key) {
          ids.insert(insert.ids.begin(), insert.ids.end());
        }
      }
    }
    return ids;
  }
  // Whether the graph is in the new state; it must be that or the old one, whole.
  bool check_state(const catalog::CatalogPlace& at) {
    const auto view = catalog::open_latest(at);
    if (!view.ok()) {
      EXPECT_EQ(view.error().kind(), ErrorKind::kNotFound) << view.error().to_string();
      EXPECT_THAT(before(), IsEmpty());
      return false;
    }
    size_t changed = 0;
    for (const Insert& insert : change()) {
      const Ids old_ids = ids_before(insert.key);
      Ids new_ids = old_ids;
      new_ids.insert(insert.ids.begin(), insert.ids.end());
      const Ids found = txn::published(at, insert.key);
      EXPECT_TRUE(found == old_ids || found == new_ids) << insert.key;
      changed += found == new_ids ? 1 : 0;
    }
    EXPECT_TRUE(changed == 0 || changed == change().size());
    return changed > 0;
  }
  // A head is one of the published states of its table, never anything else.
  static void check_heads(const catalog::CatalogPlace& at) {
    const auto view = catalog::open_latest(at);
    if (!view.ok()) {
      return;
    }
    for (const catalog::TableEntry& table : view->state().tables) {
      const auto head = lance::open_latest(catalog::location_of(at, table));
      if (!head.ok()) {
        EXPECT_EQ(head.error().kind(), ErrorKind::kNotFound) << head.error().to_string();
        continue;
      }
      EXPECT_LE(head->version(), table.pin.head_version);
      const Ids published = txn::published(at, table.key);
      const Ids shown = txn::ids_of(*head);
      EXPECT_TRUE(std::ranges::includes(published, shown)) << table.key;
      EXPECT_TRUE(head->version() < table.pin.head_version || shown == published) << table.key;
    }
  }

  base::SystemClock clock_;
  base::Random random_{9};
  base::ThreadPool executor_{1};
  txn::WriteRequest request_;
  bool acknowledged_ = false;
};

struct FirstWrite final : WriteScenario {
  std::vector<Insert> change() const override { return {{"node:A", {1, 2}}, {"edge:B", {3}}}; }
};

struct WriteToTwoTables final : WriteScenario {
  std::vector<std::vector<Insert>> before() const override {
    return {{{"node:A", {1, 2}}, {"edge:B", {3}}}};
  }
  std::vector<Insert> change() const override { return {{"node:A", {4}}, {"edge:B", {5}}}; }
};

struct FirstWriteToATable final : WriteScenario {
  std::vector<std::vector<Insert>> before() const override { return {{{"node:A", {1, 2}}}}; }
  std::vector<Insert> change() const override { return {{"node:A", {4}}, {"node:C", {6}}}; }
};

struct CompactedByOthers : WriteScenario {
  std::vector<std::vector<Insert>> before() const override {
    return {{{"node:A", {1, 2}}}, {{"node:A", {3}}}, {{"node:A", {4}}}};
  }
  std::vector<Insert> change() const override { return {{"node:A", {5}}}; }
  bool others_write() const override { return true; }
};

struct WriteUponACompaction final : CompactedByOthers {
  Status meddle(storage::ObjectStore& store) override { return compact(store); }
};

struct WriteUponATakenNumber final : CompactedByOthers {
  Status meddle(storage::ObjectStore& store) override {
    // Nobody followed the last commit.
    WEFT_TRY(const lance::Snapshot head, txn::head_of(place(store), "node:A"));
    WEFT_TRY_STATUS(
        store.remove(head.location().object(lance::manifest_name(head.version(), head.naming()))));
    return compact(store);
  }
};

// The write forks the catalog and one table.
struct FirstWriteOfABranch final : WriteScenario {
  std::vector<std::vector<Insert>> before() const override {
    return {{{"node:A", {1, 2}}, {"edge:B", {3}}}, {{"node:A", {4}}}};
  }
  std::vector<Insert> change() const override { return {{"node:A", {5}}}; }
  Status meddle(storage::ObjectStore& store) override {
    WEFT_TRY(const catalog::CatalogView view, catalog::open_latest(main(store)));
    WEFT_TRY(life_, catalog::create_branch(main(store), view, "review", {.actor = "ana"}));
    return ok_status();
  }
  catalog::CatalogPlace place(storage::ObjectStore& store) override {
    return catalog::place_of(main(store), life_);
  }
  void verify(storage::ObjectStore& store) override {
    WriteScenario::verify(store);
    EXPECT_EQ(txn::published(main(store), "node:A"), (Ids{1, 2, 4}));
    const auto head = txn::head_of(main(store), "node:A");
    EXPECT_EQ(txn::ids_of(*head), (Ids{1, 2, 4}));
  }

 private:
  catalog::BranchLife life_;
};

// A branch is made, and after that it is there or not; or it is deleted.
class BranchScenario : public CrashScenario {
 public:
  explicit BranchScenario(bool deletes) : deletes_(deletes) {}
  Status prepare(storage::ObjectStore& store) override {
    WEFT_TRY_STATUS(txn::insert(main(store), {{"node:A", {1}}}));
    return deletes_ ? make(store) : ok_status();
  }
  Status run(storage::ObjectStore& store) override {
    Status done = deletes_ ? remove(store) : make(store);
    acknowledged_ = done.ok();
    return done;
  }
  void verify(storage::ObjectStore& store) override {
    const bool is_there = exists(store);
    if (acknowledged_) {
      EXPECT_EQ(is_there, !deletes_);
    }
    // Again, without help, and a write to it.
    const Status again = deletes_ ? remove(store) : make(store);
    EXPECT_TRUE(again.ok() || again.error().kind() ==
                                  (deletes_ ? ErrorKind::kNotFound : ErrorKind::kAlreadyExists))
        << again.error().to_string();
    EXPECT_EQ(exists(store), !deletes_);
    if (deletes_) {
      EXPECT_TRUE(make(store).ok());
    }
    const auto branch = catalog::open_branch(main(store), "review");
    ASSERT_TRUE(branch.ok());
    ASSERT_TRUE(txn::insert(*branch, {{"node:A", {2}}}).ok());
    EXPECT_EQ(txn::published(*branch, "node:A"), (Ids{1, 2}));
    EXPECT_EQ(txn::published(main(store), "node:A"), (Ids{1}));
  }

 private:
  catalog::CatalogPlace main(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  Status make(storage::ObjectStore& store) {
    WEFT_TRY(const catalog::CatalogView view, catalog::open_latest(main(store)));
    WEFT_TRY_STATUS(catalog::create_branch(main(store), view, "review", {.actor = "ana"}));
    return ok_status();
  }
  Status remove(storage::ObjectStore& store) {
    WEFT_TRY(const catalog::CatalogPlace branch, catalog::open_branch(main(store), "review"));
    WEFT_TRY_STATUS(txn::delete_branch(branch, {.actor = "ana"}));
    return ok_status();
  }
  bool exists(storage::ObjectStore& store) {
    const auto branches = catalog::list_branches(main(store));
    EXPECT_TRUE(branches.ok());
    return branches.ok() && !branches->empty();
  }

  base::SystemClock clock_;
  base::Random random_{10};
  base::ThreadPool executor_{1};
  bool deletes_;
  bool acknowledged_ = false;
};
struct CreateBranch final : BranchScenario {
  CreateBranch() : BranchScenario(false) {}
};
struct DeleteBranch final : BranchScenario {
  DeleteBranch() : BranchScenario(true) {}
};

template <typename Scenario>
void crash_scenario() {
  const CrashSummary summary =
      crash_everywhere([] { return std::make_unique<Scenario>(); }, {.seeds_per_step = 1});
  testing::Test::RecordProperty("runs", static_cast<int>(summary.runs));
  constexpr bool kIsSmall = std::is_same_v<Scenario, CreateBranch>;
  EXPECT_GE(summary.steps, kIsSmall ? 3U : 10U);
}

TEST(WriteCrash, TheFirstWriteOfAGraph) {
  crash_scenario<FirstWrite>();
}
TEST(WriteCrash, AWriteToTwoTables) {
  crash_scenario<WriteToTwoTables>();
}
TEST(WriteCrash, AFirstWriteToATable) {
  crash_scenario<FirstWriteToATable>();
}
TEST(WriteCrash, TheFirstWriteOfABranch) {
  crash_scenario<FirstWriteOfABranch>();
}
TEST(WriteCrash, ABranchIsMade) {
  crash_scenario<CreateBranch>();
}
TEST(WriteCrash, ABranchIsDeleted) {
  crash_scenario<DeleteBranch>();
}
TEST(WriteCrash, AWriteUponACompactionOfOthers) {
  crash_scenario<WriteUponACompaction>();
}
TEST(WriteCrash, AWriteUponATakenNumber) {
  crash_scenario<WriteUponATakenNumber>();
}

}  // namespace
}  // namespace weft::crash

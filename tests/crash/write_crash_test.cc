// The write protocol at every crash point: after any stop the graph is in the old or the new state
// over all its tables, heads hold published rows only, and the next write needs no help.
#include <optional>

#include "tests/crash/crash_harness.h"
#include <gmock/gmock.h>

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
      WEFT_TRY_STATUS(txn::insert(place(store), inserts));
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

  catalog::CatalogPlace place(storage::ObjectStore& store) {
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

template <typename Scenario>
void crash_scenario() {
  const CrashSummary summary =
      crash_everywhere([] { return std::make_unique<Scenario>(); }, {.seeds_per_step = 1});
  testing::Test::RecordProperty("runs", static_cast<int>(summary.runs));
  EXPECT_GE(summary.steps, 10U);
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
TEST(WriteCrash, AWriteUponACompactionOfOthers) {
  crash_scenario<WriteUponACompaction>();
}
TEST(WriteCrash, AWriteUponATakenNumber) {
  crash_scenario<WriteUponATakenNumber>();
}

}  // namespace
}  // namespace weft::crash

// A cleanup and a repair of a property graph at every crash point: a stop costs no published row,
// the next cleanup does the rest, and then nothing is left that nobody needs.
#include "tests/crash/crash_harness.h"
#include <gmock/gmock.h>

#include "weft/catalog/pinned_table.h"
#include "weft/codec/stream.h"
#include "weft/graph/branch.h"
#include "weft/graph/cleanup.h"
#include "weft/graph/create.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/graph/repair.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/table/refs.h"

namespace weft::crash {
namespace {

constexpr std::string_view kSchema = R"(
node Person { name: String @key age: I32? }
edge Knows: Person -> Person
)";

class MaintenanceScenario : public CrashScenario {
 protected:
  catalog::CatalogPlace place(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  graph::Authority ana() { return {"ana", policy_}; }
  Status load_rows(storage::ObjectStore& store, const std::string& name,
                   const std::string& branch = "main") {
    const std::string line = R"({"type":"Person","data":{"name":")" + name + "\"}}\n";
    codec::MemoryInputView input(line);
    const auto loaded = graph::load(place(store), ana(),
                                    {.mode = graph::LoadMode::kMerge, .branch = branch}, input, {});
    return loaded.ok() ? ok_status() : Status(loaded.error());
  }
  Result<std::string> exported(storage::ObjectStore& store, const graph::GraphPoint& point = {}) {
    WEFT_TRY(const auto snapshot, graph::open_snapshot(place(store), point));
    codec::StringOutput out;
    WEFT_TRY_STATUS(graph::export_graph(*snapshot, {}, out, {}));
    return std::move(out).text();
  }
  // Every commit of a branch, as it is read.
  Result<std::string> history(storage::ObjectStore& store, const std::string& branch) {
    WEFT_TRY(const auto newest,
             graph::open_snapshot(place(store), {.branch = branch, .at = graph::Newest()}));
    WEFT_TRY(const auto commits, newest->view().commits(100));
    std::string all;
    for (const catalog::CommitRecord& commit : commits) {
      WEFT_TRY(const std::string rows, exported(store, {.branch = branch, .at = commit.id}));
      all += commit.id.text() + "\n" + rows;
    }
    return all;
  }
  lance::RowOptions foreign() {
    lance::RowOptions options;
    options.stage.operation = "foreign";
    options.stage.clock = &clock_;
    options.stage.random = &random_;
    options.write.executor = &executor_;
    return options;
  }
  Result<lance::Snapshot> head(storage::ObjectStore& store) {
    WEFT_TRY(const auto graph, graph::open_snapshot(place(store)));
    return lance::open_latest(
        catalog::location_of(place(store), graph->find_node("Person")->entry()));
  }
  // Somebody without weft removes the first row of a fragment.
  Status remove_row(storage::ObjectStore& store) {
    WEFT_TRY(const lance::Snapshot before, head(store));
    WEFT_TRY(
        const auto staged,
        lance::stage_delete(before, {lance::row_address(before.manifest().fragments.front().id, 0)},
                            foreign()));
    WEFT_TRY(const auto committed, lance::commit(staged, {foreign().stage, 10, true}));
    static_cast<void>(committed);
    return ok_status();
  }
  static Result<std::vector<std::string>> names(storage::ObjectStore& store) {
    WEFT_TRY(const auto objects, store.list("", true));
    std::vector<std::string> all;
    for (const storage::ObjectInfo& object : objects) {
      all.push_back(object.name);
    }
    return all;
  }

  base::SystemClock clock_;
  base::Random random_{9};
  base::ThreadPool executor_{1};
  graph::AllowEverything policy_;
};

// Main with an older and a newer commit, a branch that goes on, one that was deleted, a write that
// was killed, rows of others that were discarded.
struct Cleanup final : MaintenanceScenario {
  Status prepare(storage::ObjectStore& store) override {
    WEFT_TRY(const auto made, graph::create_graph(place(store), ana(), {.schema_text = kSchema}));
    static_cast<void>(made);
    WEFT_TRY_STATUS(load_rows(store, "ada"));
    WEFT_TRY_STATUS(load_rows(store, "ben"));
    for (const std::string name : {"review", "gone"}) {
      WEFT_TRY(const auto life, graph::create_branch(place(store), ana(), name));
      static_cast<void>(life);
      WEFT_TRY_STATUS(load_rows(store, "of-" + name, name));
    }
    WEFT_TRY(const auto ended, graph::delete_branch(place(store), ana(), "gone"));
    static_cast<void>(ended);
    WEFT_TRY_STATUS(remove_row(store));
    WEFT_TRY(const auto repaired,
             graph::repair(place(store), ana(), {.remedy = graph::Remedy::kDiscard}, {}));
    static_cast<void>(repaired);
    WEFT_TRY_STATUS(litter(store));
    WEFT_TRY(main_, history(store, "main"));
    WEFT_TRY(review_, history(store, "review"));
    return ok_status();
  }
  Status run(storage::ObjectStore& store) override { return cleaned(store); }
  void verify(storage::ObjectStore& store) override {
    expect_rows(store);
    const Status again = cleaned(store);
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    expect_rows(store);
    expect_nothing_leaks(store);
    for (const std::string branch : {"main", "review"}) {
      const Status next = load_rows(store, "next", branch);
      EXPECT_TRUE(next.ok()) << next.error().to_string();
    }
  }

 private:
  // Nobody writes: nothing is too young.
  Status cleaned(storage::ObjectStore& store) {
    WEFT_TRY(report_, graph::clean_graph(place(store), ana(), {.keep_us = 0, .grace_us = 0}, {}));
    return ok_status();
  }
  // As a writer leaves it that is killed before it publishes.
  Status litter(storage::ObjectStore& store) {
    WEFT_TRY(const auto graph, graph::open_snapshot(place(store)));
    txn::Capture capture(place(store), graph->view(), base::Ulid::make(clock_.now(), random_), 1);
    WEFT_TRY(const lance::Snapshot base, capture.table("node:Person"));
    WEFT_TRY(
        const auto staged,
        lance::stage_delete(base, {lance::row_address(base.manifest().fragments.front().id, 0)},
                            capture.row_options()));
    WEFT_TRY_STATUS(lance::put_staged(store, staged.objects_detached()));
    litter_ = staged.detached_name;
    return lance::put_staged(store, {{base.location().root + "/data/killed-1.weft", "x"},
                                     {base.location().root + "/_weft/keys-killed-1.run", "x"},
                                     {"_schema/killed.json", "x"},
                                     {"_probe/killed", "x"}});
  }
  void expect_rows(storage::ObjectStore& store) {
    const auto main = history(store, "main");
    ASSERT_TRUE(main.ok()) << main.error().to_string();
    EXPECT_EQ(*main, main_);
    const auto review = history(store, "review");
    ASSERT_TRUE(review.ok()) << review.error().to_string();
    EXPECT_EQ(*review, review_);
    EXPECT_EQ(graph::open_snapshot(place(store), {.branch = "gone", .at = graph::Newest()})
                  .error()
                  .kind(),
              ErrorKind::kNotFound);
  }
  void expect_nothing_leaks(storage::ObjectStore& store) {
    const auto all = names(store);
    ASSERT_TRUE(all.ok());
    for (const std::string& name : *all) {
      const bool is_garbage =
          name == litter_ || name.find("killed") != std::string::npos ||
          name.find("weft-discarded") != std::string::npos || name.starts_with("_probe/") ||
          name.find(".weft-tmp-") != std::string::npos ||
          (name.find("/tree/gone.") != std::string::npos && !name.starts_with("__manifest/"));
      EXPECT_FALSE(is_garbage) << name;
    }
    const Status again = cleaned(store);
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_THAT(report_.removed, testing::IsEmpty());
  }

  std::string main_;
  std::string review_;
  std::string litter_;
  graph::CleanupReport report_;
};

// Rows of others, adopted or discarded.
template <graph::Remedy remedy>
struct Repair final : MaintenanceScenario {
  Status prepare(storage::ObjectStore& store) override {
    WEFT_TRY(const auto made, graph::create_graph(place(store), ana(), {.schema_text = kSchema}));
    static_cast<void>(made);
    WEFT_TRY_STATUS(load_rows(store, "ada"));
    WEFT_TRY_STATUS(load_rows(store, "ben"));
    WEFT_TRY(before_, exported(store));
    return remove_row(store);
  }
  Status run(storage::ObjectStore& store) override {
    operation_ = base::Ulid::make(clock_.now(), random_);
    const Status done = repaired(store);
    acknowledged_ = done.ok();
    return done;
  }
  void verify(storage::ObjectStore& store) override {
    const auto found = exported(store);
    ASSERT_TRUE(found.ok()) << found.error().to_string();
    EXPECT_TRUE(*found == before_ || *found == after()) << *found;
    EXPECT_TRUE(!acknowledged_ || *found == after());
    const Status again = repaired(store);
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(*exported(store), after());
    const Status next = load_rows(store, "next");
    ASSERT_TRUE(next.ok()) << next.error().to_string();
    const auto newest = head(store);
    ASSERT_TRUE(newest.ok());
    EXPECT_EQ(newest->manifest().row_count(), remedy == graph::Remedy::kAdopt ? 2U : 3U);
  }

 private:
  Status repaired(storage::ObjectStore& store) {
    const auto done =
        graph::repair(place(store), ana(), {.remedy = remedy, .operation = operation_}, {});
    return done.ok() ? ok_status() : Status(done.error());
  }
  std::string after() const {
    return remedy == graph::Remedy::kDiscard ? before_ : before_.substr(before_.find('\n') + 1);
  }

  base::Ulid operation_;
  std::string before_;
  bool acknowledged_ = false;
};

template <typename Scenario>
void crash_scenario(uint64_t seeds) {
  const CrashSummary summary =
      crash_everywhere([] { return std::make_unique<Scenario>(); }, {.seeds_per_step = seeds});
  testing::Test::RecordProperty("runs", static_cast<int>(summary.runs));
  std::printf("%llu steps, %llu runs\n", static_cast<unsigned long long>(summary.steps),
              static_cast<unsigned long long>(summary.runs));
  EXPECT_GE(summary.steps, 10U);
}

TEST(GraphMaintenanceCrash, Cleanup) {
  crash_scenario<Cleanup>(1);
}
TEST(GraphMaintenanceCrash, Adopt) {
  crash_scenario<Repair<graph::Remedy::kAdopt>>(1);
}
TEST(GraphMaintenanceCrash, Discard) {
  crash_scenario<Repair<graph::Remedy::kDiscard>>(1);
}

}  // namespace
}  // namespace weft::crash

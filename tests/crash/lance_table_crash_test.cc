// Tables at every crash point: after any stop the newest version is the old or the new one, whole.
// With WEFT_CRASH_STATES=FOLDER a sample of the states is left there, for engines to open
// (tests/interop/lance_crash_test.py).
#include <optional>
#include <set>

#include "tests/crash/crash_harness.h"
#include "tests/crash/crash_states.h"
#include <gmock/gmock.h>

#include "weft/base/executor.h"
#include "weft/columns/builder.h"
#include "weft/lance/rows/row_writer.h"
#include "weft/lance/table/cleanup.h"
#include "weft/lance/table/row_sequence.h"
#include "weft/lance/table/testing/table_probe.h"

namespace weft::crash {
namespace {

using lance::CommitOutcome;
using lance::Fragment;
using lance::Snapshot;
using lance::StagedTransaction;
using storage::ObjectStore;

// The states that are left hold a line "old-version old-rows new-version new-rows".
constexpr uint64_t kSampled = 61;

// A table of two fragments; a scenario makes version 3 of it.
class TableScenario : public CrashScenario {
 public:
  Status prepare(ObjectStore& store) override {
    lance::NewTable table;
    table.location = at(store);
    table.schema = {lance::plain_field(0, "id", "int64", false),
                    lance::plain_field(1, "s", "string")};
    WEFT_TRY(const Fragment fragment, data_file(store, 2));
    table.fragments = {fragment};
    table.stable_row_ids = true;
    WEFT_TRY(const StagedTransaction created, lance::stage_new_table(table, options()));
    WEFT_TRY(const auto first, lance::commit(created, {options(), 10, true}));
    WEFT_TRY(const Fragment second, data_file(store, 3));
    WEFT_TRY(const StagedTransaction appended,
             lance::Stage(*first.snapshot, options()).finish(lance::AppendOperation{{second}}));
    WEFT_TRY_STATUS(lance::commit(appended, {options(), 10, true}));
    return ok_status();
  }
  Status run(ObjectStore& store) override {
    WEFT_TRY(const Snapshot base, lance::open_latest(at(store)));
    WEFT_TRY(const StagedTransaction staged, stage(base));
    tried_ = true;
    WEFT_TRY(const auto result, lance::commit(staged, {options(), 10, true}));
    acknowledged_ = result.outcome == CommitOutcome::kCommitted;
    return ok_status();
  }
  void verify(ObjectStore& store) override {
    leave_state(store, "2 5 3 " + std::to_string(rows_after()), kSampled);
    const auto latest = lance::open_latest(at(store));
    ASSERT_TRUE(latest.ok()) << latest.error().to_string();
    if (latest->version() == 2) {
      EXPECT_FALSE(acknowledged_);
      EXPECT_EQ(latest->manifest().row_count(), 5U);
    } else {
      EXPECT_TRUE(tried_);
      EXPECT_EQ(latest->version(), 3U);
      EXPECT_EQ(latest->manifest().row_count(), rows_after());
    }
    check_whole(store, *latest);
    // The next write goes through without a manual step.
    auto fragment = data_file(store, 1);
    ASSERT_TRUE(fragment.ok());
    const auto next = lance::Stage(*latest, options()).finish(lance::AppendOperation{{*fragment}});
    ASSERT_TRUE(next.ok());
    EXPECT_EQ(lance::commit(*next, {options(), 10, true})->outcome, CommitOutcome::kCommitted);
  }

 protected:
  virtual Result<StagedTransaction> stage(const Snapshot& base) = 0;
  virtual uint64_t rows_after() const = 0;

  static lance::TableLocation at(ObjectStore& store) { return {&store, "t.lance", ""}; }
  lance::StageOptions options() {
    lance::StageOptions made;
    made.clock = &clock_;
    made.random = &random_;
    made.keep_copies = true;
    return made;
  }
  Result<Fragment> data_file(ObjectStore& store, uint64_t rows) {
    columns::Schema schema;
    schema.fields = {{"id", columns::simple_type(columns::TypeId::kInt64), false, {}},
                     {"s", columns::simple_type(columns::TypeId::kString), true, {}}};
    columns::ArrayBuilder ids(schema.fields[0].type);
    columns::ArrayBuilder texts(schema.fields[1].type);
    for (uint64_t row = 0; row < rows; ++row) {
      ids.append_integer(static_cast<int64_t>(row));
      texts.append_text("row");
    }
    WEFT_TRY(const columns::Batch batch,
             columns::Batch::make(std::make_shared<const columns::Schema>(schema),
                                  {ids.finish(), texts.finish()}, rows));
    base::InlineExecutor executor;
    lance::RowWriteOptions write;
    write.executor = &executor;
    lance::RowWriter writer(
        at(store), "2.1", options(),
        {lance::plain_field(0, "id", "int64", false), lance::plain_field(1, "s", "string")}, write);
    WEFT_TRY_STATUS(writer.append(batch));
    WEFT_TRY(const std::vector<Fragment> fragments, writer.finish());
    return fragments.at(0);
  }
  static void check_whole(ObjectStore& store, const Snapshot& snapshot) {
    std::set<uint64_t> ids;
    for (const Fragment& fragment : snapshot.manifest().fragments) {
      EXPECT_TRUE(store.open(snapshot.data_file_name(fragment.files[0]).value()).ok());
      for (const uint64_t id :
           lance::expand_row_ids(*fragment.row_ids, fragment.physical_rows).value()) {
        EXPECT_TRUE(ids.insert(id).second);
        EXPECT_LT(id, snapshot.manifest().next_row_id);
      }
      if (fragment.deletion_file) {
        const std::string name =
            snapshot.deletion_name(fragment.id, *fragment.deletion_file).value();
        EXPECT_TRUE(lance::read_deletions(store, name, "", fragment).ok()) << name;
      }
    }
    EXPECT_TRUE(snapshot.transaction().value().has_value());
  }

  lance::TestClock clock_;
  base::Random random_{11};
  bool tried_ = false;
  bool acknowledged_ = false;
};

class Append final : public TableScenario {
  Result<StagedTransaction> stage(const Snapshot& base) override {
    WEFT_TRY(const Fragment fragment, data_file(*base.location().store, 7));
    return lance::Stage(base, options()).finish(lance::AppendOperation{{fragment}});
  }
  uint64_t rows_after() const override { return 12; }
};

// Row 0 is replaced, one row is inserted.
class Upsert final : public TableScenario {
  Result<StagedTransaction> stage(const Snapshot& base) override {
    lance::Stage stage(base, options());
    lance::Deletions gone;
    gone.add(0);
    Fragment changed = base.manifest().fragments[0];
    changed.deletion_file = stage.add_deletions(0, gone);
    WEFT_TRY(Fragment made, data_file(*base.location().store, 2));
    made.row_ids = lance::serialize_row_ids({100});
    lance::UpdateOperation update;
    update.updated_fragments = {changed};
    update.new_fragments = {made};
    return std::move(stage).finish(std::move(update));
  }
  uint64_t rows_after() const override { return 6; }
  void verify(ObjectStore& store) override {
    leave_state(store, "2 5 3 6", kSampled);
    const auto latest = lance::open_latest(at(store));
    ASSERT_TRUE(latest.ok()) << latest.error().to_string();
    EXPECT_EQ(latest->manifest().row_count(), latest->version() == 2 ? 5U : 6U);
    EXPECT_TRUE(latest->version() == 3 || !acknowledged_);
  }
};

class Compaction final : public TableScenario {
  Result<StagedTransaction> stage(const Snapshot& base) override {
    WEFT_TRY(Fragment made, data_file(*base.location().store, 5));
    made.row_ids = lance::serialize_row_id_range(0, 5);
    lance::RewriteOperation rewrite;
    rewrite.groups = {{base.manifest().fragments, {made}}};
    return lance::Stage(base, options()).finish(std::move(rewrite));
  }
  uint64_t rows_after() const override { return 5; }
};

// A detached version is put, then brought to the head.
class Follow final : public TableScenario {
 public:
  Status run(ObjectStore& store) override {
    WEFT_TRY(const Snapshot base, lance::open_latest(at(store)));
    WEFT_TRY(const Fragment fragment, data_file(store, 7));
    WEFT_TRY(const StagedTransaction staged,
             lance::Stage(base, options()).finish(lance::AppendOperation{{fragment}}));
    WEFT_TRY_STATUS(lance::put_staged(store, staged.objects_detached()));
    detached_ = staged.detached_version;
    tried_ = true;
    WEFT_TRY(const auto followed, lance::follow(at(store), detached_, 3));
    acknowledged_ = followed.outcome != lance::FollowOutcome::kTaken;
    return ok_status();
  }
  void verify(ObjectStore& store) override {
    leave_state(store, "2 5 3 12", kSampled);
    if (detached_ != 0) {
      // Whoever comes next follows; what was put stays put.
      const auto followed = lance::follow(at(store), detached_, 3);
      ASSERT_TRUE(followed.ok()) << followed.error().to_string();
      EXPECT_NE(followed->outcome, lance::FollowOutcome::kTaken);
      acknowledged_ = true;
    }
    TableScenario::verify(store);
  }

 private:
  Result<StagedTransaction> stage(const Snapshot&) override {
    return Error(ErrorKind::kInternal, "not used");
  }
  uint64_t rows_after() const override { return 12; }
  uint64_t detached_ = 0;
};

// The old version and its file go; the newest stays whole.
class Cleanup final : public TableScenario {
 public:
  Status prepare(ObjectStore& store) override {
    WEFT_TRY_STATUS(TableScenario::prepare(store));
    WEFT_TRY(const Snapshot base, lance::open_latest(at(store)));
    lance::OverwriteOperation overwrite;
    overwrite.schema = base.manifest().fields;
    WEFT_TRY(const Fragment fragment, data_file(store, 4));
    overwrite.fragments = {fragment};
    WEFT_TRY(const StagedTransaction staged,
             lance::Stage(base, options()).finish(std::move(overwrite)));
    WEFT_TRY_STATUS(lance::commit(staged, {options(), 10, true}));
    return ok_status();
  }
  Status run(ObjectStore& store) override {
    lance::CleanupOptions everything;
    everything.keep_since = {INT64_MAX};
    everything.put_before = {INT64_MAX};
    WEFT_TRY_STATUS(lance::clean_table(at(store), everything));
    return ok_status();
  }
  void verify(ObjectStore& store) override {
    leave_state(store, "3 4 3 4", kSampled);
    const auto versions = lance::list_versions(at(store));
    ASSERT_TRUE(versions.ok());
    ASSERT_FALSE(versions->versions.empty());
    EXPECT_EQ(versions->versions.back().version, 3U);
    // Removing is not synced: old versions may come back, but then perhaps without their files,
    // which only the newest is promised to have.
    check_whole(store, lance::open_latest(at(store)).value());
  }

 private:
  Result<StagedTransaction> stage(const Snapshot&) override {
    return Error(ErrorKind::kInternal, "not used");
  }
  uint64_t rows_after() const override { return 4; }
};

template <typename Scenario>
void crash(uint64_t steps_min) {
  const CrashSummary summary = crash_everywhere([] { return std::make_unique<Scenario>(); });
  EXPECT_GE(summary.steps, steps_min);
  std::printf("%llu steps, %llu runs\n", static_cast<unsigned long long>(summary.steps),
              static_cast<unsigned long long>(summary.runs));
}

TEST(LanceTableCrash, AppendIsBeforeOrAfter) {
  crash<Append>(6);
}
TEST(LanceTableCrash, UpsertIsBeforeOrAfter) {
  crash<Upsert>(6);
}
TEST(LanceTableCrash, CompactionIsBeforeOrAfter) {
  crash<Compaction>(6);
}
TEST(LanceTableCrash, FollowIsBeforeOrAfterAndIsDoneByTheNext) {
  crash<Follow>(6);
}
TEST(LanceTableCrash, CleanupNeverHurtsTheNewestVersion) {
  crash<Cleanup>(6);
}

}  // namespace
}  // namespace weft::crash

// Rows through real data files: append, upsert, delete, fold, compaction, columns.
#include "weft/lance/rows/row_operations.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "weft/lance/rows/tail_fold.h"
#include "weft/lance/rows/testing/row_probe.h"
#include "weft/lance/rows/written_rows.h"
#include "weft/lance/table/row_sequence.h"

namespace weft::lance {
namespace {

TEST(Rows, AreWrittenAndReadBack) {
  RowProbe probe;
  Snapshot snapshot = probe.make({{1, "a"}, {2, "b"}}, false);
  snapshot = probe.apply(stage_append(snapshot, {RowProbe::batch({{3, "c"}})}, probe.rows()));
  EXPECT_EQ(RowProbe::read(snapshot), (std::vector<Row>{{1, "a"}, {2, "b"}, {3, "c"}}));
  EXPECT_EQ(snapshot.manifest().fragments.size(), 2U);
  EXPECT_FALSE(snapshot.manifest().fragments[0].files[0].path.ends_with(".lance"));
}

TEST(Rows, AreDeletedByAddressOnce) {
  RowProbe probe;
  const Snapshot first = probe.make({{1, "a"}, {2, "b"}, {3, "c"}}, false);
  const Snapshot second = probe.apply(stage_delete(first, {row_address(0, 1)}, probe.rows()));
  EXPECT_EQ(RowProbe::read(second), (std::vector<Row>{{1, "a"}, {3, "c"}}));
  const auto again = stage_delete(second, {row_address(0, 1)}, probe.rows());
  EXPECT_EQ(again.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(stage_delete(second, {row_address(0, 3)}, probe.rows()).error().kind(),
            ErrorKind::kConflict);
  EXPECT_EQ(stage_delete(second, {row_address(9, 0)}, probe.rows()).error().kind(),
            ErrorKind::kConflict);
  const Snapshot third =
      probe.apply(stage_delete(second, {row_address(0, 0), row_address(0, 2)}, probe.rows()));
  EXPECT_TRUE(third.manifest().fragments.empty());
}

TEST(Rows, AnUpsertKeepsIdsAndInserts) {
  RowProbe probe;
  const Snapshot first = probe.make({{1, "a"}, {2, "b"}, {3, "c"}}, true, true);
  const Snapshot second = probe.apply(stage_upsert(
      first, RowProbe::batch({{9, "new"}, {3, "C"}, {1, "A"}}), {{"id"}, false}, probe.rows()));
  std::vector<uint64_t> ids;
  EXPECT_EQ(RowProbe::read(second, &ids),
            (std::vector<Row>{{2, "b"}, {1, "A"}, {3, "C"}, {9, "new"}}));
  EXPECT_EQ(ids, (std::vector<uint64_t>{1, 0, 2, 3}));
  const Fragment& made = second.manifest().fragments.back();
  EXPECT_EQ(expand_versions(*made.created_at_versions, 3).value(),
            (std::vector<VersionRun>{{2, 1}, {1, 2}}));
  EXPECT_EQ(expand_versions(*made.last_updated_at_versions, 3).value(),
            (std::vector<VersionRun>{{3, 2}}));
  const auto transaction = second.transaction().value();
  EXPECT_TRUE(std::get<UpdateOperation>(transaction->operation).inserted_keys.has_value());
  // Its filter keeps the transaction out of the manifest.
  EXPECT_LT(second.file().size(), 2000U);
  const auto strict =
      stage_upsert(second, RowProbe::batch({{3, "x"}}), {{"id"}, true}, probe.rows());
  EXPECT_EQ(strict.error().kind(), ErrorKind::kAlreadyExists);
  const auto twice =
      stage_upsert(second, RowProbe::batch({{5, "x"}, {5, "y"}}), {{"id"}, false}, probe.rows());
  EXPECT_EQ(twice.error().kind(), ErrorKind::kInvalid);
}

TEST(Rows, SeveralRowsOfOneKeyGoTogether) {
  for (const bool fold : {false, true}) {
    RowProbe probe;
    RowOptions options = probe.rows();
    options.fold = false;
    // As two concurrent writers leave them where nothing enforces the key.
    Snapshot first = probe.make({{1, "a"}, {2, "b"}, {1, "c"}}, true, true);
    first = probe.apply(stage_append(first, {RowProbe::batch({{1, "d"}, {3, "e"}})}, options));
    options.fold = fold;
    const Snapshot second =
        probe.apply(stage_upsert(first, RowProbe::batch({{1, "new"}}), {{"id"}, false}, options));
    std::vector<uint64_t> ids;
    std::vector<Row> rows = RowProbe::read(second, &ids);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, (std::vector<Row>{{1, "new"}, {2, "b"}, {3, "e"}}));
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids, (std::vector<uint64_t>{1, 3, 4}));  // that of the last row of the key
    options.fold = false;
    const Snapshot again =
        probe.apply(stage_append(second, {RowProbe::batch({{1, "f"}})}, options));
    columns::ArrayBuilder keys(columns::simple_type(columns::TypeId::kInt64));
    keys.append_integer(1);
    keys.append_integer(99);
    const auto key_schema = std::make_shared<const columns::Schema>(
        columns::Schema{{RowProbe::schema()->fields[0]}, {}});
    const auto batch = columns::Batch::make(key_schema, {keys.finish()}, 2).value();
    const Snapshot third = probe.apply(stage_delete_keys(again, batch, {"id"}, options));
    rows = RowProbe::read(third);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, (std::vector<Row>{{2, "b"}, {3, "e"}}));
  }
}

TEST(Rows, TwoUpsertsOfOneKeyLeaveOneRow) {
  RowProbe probe;
  const Snapshot first = probe.make({{1, "a"}}, true, true);
  // Ours is staged, then another comes first with the same key.
  int calls = 0;
  const auto result =
      commit_rows(probe.table, probe.commit_options(), 5, [&](const Snapshot& base) {
        auto staged =
            stage_upsert(base, RowProbe::batch({{7, "ours"}}), {{"id"}, false}, probe.rows());
        if (calls++ == 0) {
          probe.apply(
              stage_upsert(base, RowProbe::batch({{7, "theirs"}}), {{"id"}, false}, probe.rows()));
        }
        return staged;
      });
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(RowProbe::read(*result->snapshot), (std::vector<Row>{{1, "a"}, {7, "ours"}}));
}

TEST(Rows, CompactionKeepsRowsIdsAndVersions) {
  for (const bool stable : {false, true}) {
    RowProbe probe;
    RowOptions options = probe.rows();
    options.fold = false;
    Snapshot snapshot = probe.make({{0, "0"}}, stable);
    for (int64_t i = 1; i < 6; ++i) {
      snapshot =
          probe.apply(stage_append(snapshot, {RowProbe::batch({{i, std::to_string(i)}})}, options));
    }
    snapshot = probe.apply(stage_delete(snapshot, {row_address(2, 0)}, options));
    std::vector<uint64_t> ids;
    const auto before = RowProbe::read(snapshot, stable ? &ids : nullptr);
    const auto staged = stage_compaction(snapshot, {}, options).value();
    ASSERT_TRUE(staged.has_value());
    const Snapshot after = probe.apply(*staged);
    ASSERT_EQ(after.manifest().fragments.size(), 1U);
    std::vector<uint64_t> ids_after;
    EXPECT_EQ(RowProbe::read(after, stable ? &ids_after : nullptr), before);
    EXPECT_EQ(ids_after, ids);
    if (stable) {
      EXPECT_EQ(expand_versions(*after.manifest().fragments[0].created_at_versions, 5).value(),
                (std::vector<VersionRun>{{1, 1}, {1, 2}, {1, 4}, {1, 5}, {1, 6}}));
    }
    EXPECT_FALSE(stage_compaction(after, {}, options)->has_value());
  }
}

TEST(Rows, ColumnsComeAndGo) {
  RowProbe probe;
  const Snapshot first = probe.make({{1, "a"}}, false);
  columns::Schema added;
  added.fields = {{"extra", columns::simple_type(columns::TypeId::kInt32), true, {}}};
  const Snapshot second = probe.apply(stage_add_columns(first, added, probe.rows()));
  EXPECT_EQ(second.manifest().fields.back().id, 2);
  const read::ReadOptions options;
  FragmentReader reader(second, second.manifest().fragments[0], options);
  const auto both = reader.project(columns_of(second, {"extra", "id"}).value()).value();
  const auto batch = reader.read(both, {0, 1}, {}).value();
  EXPECT_TRUE(batch.column(0)->is_null(0));
  EXPECT_EQ(batch.column(1)->integer(0), 1);
  EXPECT_EQ(stage_add_columns(second, added, probe.rows()).error().kind(),
            ErrorKind::kAlreadyExists);
  const Snapshot third = probe.apply(stage_drop_columns(second, {"s"}, probe.rows()));
  EXPECT_EQ(third.manifest().fields.size(), 2U);
  EXPECT_EQ(stage_drop_columns(third, {"id", "extra"}, probe.rows()).error().kind(),
            ErrorKind::kInvalid);
}

// The law of folding: whatever was written is there once, in few fragments, and small manifests.
TEST(Rows, AStreamOfOneRowCommitsLeavesFewFragments) {
  for (const bool stable : {false, true}) {
    RowProbe probe;
    Snapshot snapshot = probe.make({{0, "0"}}, stable, true);
    std::map<int64_t, std::string> expected = {{0, "0"}};
    size_t most = 0;
    constexpr int64_t kCommits = 600;
    for (int64_t i = 1; i < kCommits; ++i) {
      const std::string text = std::to_string(i);
      // Every third replaces an older row.
      const int64_t id = i % 3 == 0 ? i / 2 : i;
      expected[id] = text;
      snapshot = probe.apply(
          stage_upsert(snapshot, RowProbe::batch({{id, text}}), {{"id"}, false}, probe.rows()));
      most = std::max(most, snapshot.manifest().fragments.size());
    }
    EXPECT_LE(most, kTailFragmentsMax);
    std::map<int64_t, std::string> found;
    std::vector<uint64_t> ids;
    for (const auto& [id, text] : RowProbe::read(snapshot, stable ? &ids : nullptr)) {
      EXPECT_TRUE(found.emplace(id, text).second);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::set<uint64_t>(ids.begin(), ids.end()).size(), ids.size());
    uint64_t runs = 0;
    for (const Fragment& fragment : snapshot.manifest().fragments) {
      runs += fragment.created_at_versions.value_or("").size() +
              fragment.last_updated_at_versions.value_or("").size();
    }
    EXPECT_LE(runs, 24U * kCommits);
    EXPECT_LE(snapshot.file().size() - runs, 16'384U);
  }
}

TEST(Rows, FoldsAreByTiers) {
  std::vector<Fragment> fragments;
  size_t most = 0;
  uint64_t rewritten = 0;
  for (uint64_t commit = 0; commit < 10'000; ++commit) {
    const size_t folded = fragments_to_fold(fragments, 1);
    Fragment made;
    made.physical_rows = 1;
    made.files.emplace_back().size_bytes = 1;
    for (size_t i = 0; i < folded; ++i) {
      made.physical_rows += fragments.back().physical_rows;
      rewritten += fragments.back().physical_rows;
      fragments.pop_back();
    }
    fragments.push_back(made);
    most = std::max(most, fragments.size());
  }
  EXPECT_LE(most, 40U);
  EXPECT_LE(rewritten, 10'000U * 5);
}

TEST(Rows, WrittenBeforeReplaceOthersWithTheirIdentities) {
  RowProbe probe;
  const Snapshot first = probe.make({{1, "a"}, {2, "b"}, {3, "c"}}, true);
  WrittenRows written;
  RowOptions options = probe.rows();
  options.write.file_rows_max = 2;
  RowWriter writer(probe.table, "2.1", options.stage, first.manifest().fields, options.write);
  ASSERT_TRUE(writer.append(RowProbe::batch({{7, "n"}, {3, "C"}, {1, "A"}, {8, "m"}})).ok());
  written.fragments = writer.finish().value();
  written.replaced = {{1, row_address(0, 2)}, {2, row_address(0, 0)}};
  const WrittenRows everything = {.fragments = written.fragments,
                                  .held = {},
                                  .replaced = {},
                                  .removed = {},
                                  .replaces_all = true,
                                  .inserted_keys = {}};
  const Snapshot second = probe.apply(stage_written(first, std::move(written), options));
  std::vector<uint64_t> ids;
  EXPECT_EQ(RowProbe::read(second, &ids),
            (std::vector<Row>{{2, "b"}, {7, "n"}, {3, "C"}, {1, "A"}, {8, "m"}}));
  EXPECT_EQ(ids, (std::vector<uint64_t>{1, 3, 2, 0, 4}));
  EXPECT_EQ(second.manifest().next_row_id, 5U);
  const auto created =
      expand_versions(*second.manifest().fragments[2].created_at_versions, 2).value();
  EXPECT_EQ(created, (std::vector<VersionRun>{{1, 1}, {1, 2}}));
  const auto updated =
      expand_versions(*second.manifest().fragments[2].last_updated_at_versions, 2).value();
  EXPECT_EQ(updated, (std::vector<VersionRun>{{2, 2}}));

  const Snapshot other = stage_written(first, everything, options)->snapshot().value();
  EXPECT_EQ(RowProbe::read(other, &ids),
            (std::vector<Row>{{7, "n"}, {3, "C"}, {1, "A"}, {8, "m"}}));
  EXPECT_EQ(other.manifest().next_row_id, 7U);
}

}  // namespace
}  // namespace weft::lance

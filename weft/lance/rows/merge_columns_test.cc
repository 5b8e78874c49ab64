// New columns with values: computed from others, or joined by key.
#include <gtest/gtest.h>

#include "weft/lance/rows/table_reader.h"
#include "weft/lance/rows/testing/row_probe.h"

namespace weft::lance {
namespace {

using columns::ArrayBuilder;
using columns::simple_type;
using columns::TypeId;

// {id, n} for merges.
columns::Batch numbers(const std::vector<std::pair<int64_t, int64_t>>& rows, bool nullable = true) {
  auto schema = std::make_shared<columns::Schema>();
  schema->fields = {{"id", simple_type(TypeId::kInt64), false, {}},
                    {"n", simple_type(TypeId::kInt64), nullable, {}}};
  ArrayBuilder ids(simple_type(TypeId::kInt64));
  ArrayBuilder values(simple_type(TypeId::kInt64));
  for (const auto& [id, value] : rows) {
    ids.append_integer(id);
    values.append_integer(value);
  }
  return columns::Batch::make(schema, {ids.finish(), values.finish()}, rows.size()).value();
}

// "id=n" of every row, in order.
std::string shown(const Snapshot& snapshot) {
  const auto reader = TableReader::open(snapshot).value();
  const auto scan = reader->scan({"id", "n"}).value();
  std::string out;
  while (const auto rows = scan->next().value()) {
    for (size_t i = 0; i < rows->batch.row_count(); ++i) {
      out += columns::element_text(*rows->batch.column(0), i) + "=" +
             columns::element_text(*rows->batch.column(1), i) + " ";
    }
  }
  EXPECT_TRUE(reader->verify().ok());
  return out;
}

// Three fragments with deletions at the begin, in between and at the end.
Snapshot three_fragments(RowProbe& probe, bool stable = false) {
  RowOptions options = probe.rows();
  options.fold = false;
  Snapshot snapshot = probe.make({{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}}, stable);
  snapshot = probe.apply(
      stage_append(snapshot, {RowProbe::batch({{5, "e"}, {6, "f"}, {7, "g"}})}, options));
  snapshot = probe.apply(stage_append(snapshot, {RowProbe::batch({{8, "h"}})}, options));
  return probe.apply(
      stage_delete(snapshot, {row_address(0, 0), row_address(0, 3), row_address(1, 1)}, options));
}

TEST(MergeColumns, ValuesComeByKeyAndNullsElsewhere) {
  for (const bool stable : {false, true}) {
    RowProbe probe;
    const Snapshot before = three_fragments(probe, stable);
    const Snapshot after = probe.apply(stage_merge(
        before, numbers({{8, 80}, {2, 20}, {7, 70}, {1, 10}, {99, 990}}), {"id"}, probe.rows()));
    EXPECT_EQ(shown(after), "2=20 3=null 5=null 7=70 8=80 ");
    // Nothing else moved: the old files, deletions and row ids are those of before.
    ASSERT_EQ(after.manifest().fragments.size(), 3U);
    for (size_t i = 0; i < 3; ++i) {
      const Fragment& fragment = after.manifest().fragments[i];
      EXPECT_EQ(fragment.files.size(), 2U);
      EXPECT_EQ(fragment.files[0], before.manifest().fragments[i].files[0]);
      EXPECT_EQ(fragment.deletion_file, before.manifest().fragments[i].deletion_file);
      EXPECT_EQ(fragment.row_ids, before.manifest().fragments[i].row_ids);
    }
    EXPECT_EQ(RowProbe::read(after), RowProbe::read(before));
    // And it goes on from there.
    const Snapshot dropped = probe.apply(stage_drop_columns(after, {"n"}, probe.rows()));
    EXPECT_EQ(RowProbe::read(dropped), RowProbe::read(before));
  }
}

TEST(MergeColumns, ValuesAreComputedFromOthers) {
  RowProbe probe;
  const Snapshot before = three_fragments(probe);
  ColumnValues lengths;
  lengths.added.fields = {{"n", simple_type(TypeId::kInt64), false, {}}};
  lengths.inputs = {"id"};
  lengths.values = [&](const TableRows& rows) -> Result<columns::Batch> {
    ArrayBuilder builder(simple_type(TypeId::kInt64));
    for (size_t i = 0; i < rows.batch.row_count(); ++i) {
      builder.append_integer(rows.batch.column(0)->integer(i) * 100 + rows.offsets[i]);
    }
    return columns::Batch::make(std::make_shared<const columns::Schema>(lengths.added),
                                {builder.finish()}, rows.batch.row_count());
  };
  const Snapshot after = probe.apply(stage_add_values(before, lengths, probe.rows()));
  EXPECT_EQ(shown(after), "2=201 3=302 5=500 7=702 8=800 ");
  EXPECT_FALSE(after.manifest().find_top_field("n")->nullable);
}

TEST(MergeColumns, WithoutInputsRowsAreCountedOnly) {
  RowProbe probe;
  ColumnValues same;
  same.added.fields = {{"n", simple_type(TypeId::kInt64), false, {}}};
  same.values = [&](const TableRows& rows) -> Result<columns::Batch> {
    ArrayBuilder builder(simple_type(TypeId::kInt64));
    for (size_t i = 0; i < rows.batch.row_count(); ++i) {
      builder.append_integer(5);
    }
    return columns::Batch::make(std::make_shared<const columns::Schema>(same.added),
                                {builder.finish()}, rows.batch.row_count());
  };
  const Snapshot after = probe.apply(stage_add_values(three_fragments(probe), same, probe.rows()));
  EXPECT_EQ(shown(after), "2=5 3=5 5=5 7=5 8=5 ");
}

// More deleted rows than are handled at once stand in front, in between and at the end.
TEST(MergeColumns, LongRunsOfDeletedRowsGetAPlaceToo) {
  RowProbe probe;
  std::vector<Row> rows;
  constexpr int64_t kRows = 4 * static_cast<int64_t>(kMergeRowsAtOnce) + 10;
  for (int64_t i = 0; i < kRows; ++i) {
    rows.emplace_back(i, "x");
  }
  Snapshot snapshot = probe.make(rows, false);
  constexpr int64_t kLive = 2 * static_cast<int64_t>(kMergeRowsAtOnce) + 3;
  std::vector<uint64_t> gone;
  for (int64_t i = 0; i < kRows; ++i) {
    if (i != kLive) {
      gone.push_back(row_address(0, static_cast<uint32_t>(i)));
    }
  }
  snapshot = probe.apply(stage_delete(snapshot, gone, probe.rows()));
  snapshot = probe.apply(stage_merge(snapshot, numbers({{kLive, 7}}, false), {"id"}, probe.rows()));
  EXPECT_EQ(shown(snapshot), std::to_string(kLive) + "=7 ");
}

TEST(MergeColumns, BadRequestsAreRefused) {
  RowProbe probe;
  const Snapshot base = three_fragments(probe);
  const auto kind = [&](const columns::Batch& batch, const std::vector<std::string>& keys) {
    const auto staged = stage_merge(base, batch, keys, probe.rows());
    return staged.ok() ? ErrorKind::kInternal : staged.error().kind();
  };
  EXPECT_EQ(kind(numbers({{2, 1}, {2, 2}}), {"id"}), ErrorKind::kInvalid);  // a key twice
  EXPECT_EQ(kind(numbers({{2, 1}}, false), {"id"}), ErrorKind::kInvalid);   // rows without a value
  EXPECT_EQ(kind(numbers({{2, 1}}), {"id", "n"}), ErrorKind::kNotFound);    // n is no column there
  EXPECT_EQ(kind(numbers({{2, 1}}), {"nothing"}), ErrorKind::kInvalid);
  EXPECT_EQ(kind(RowProbe::batch({{2, "b"}}), {"id"}), ErrorKind::kAlreadyExists);
  ColumnValues few;
  few.added.fields = {{"n", simple_type(TypeId::kInt64), true, {}}};
  few.values = [](const TableRows&) -> Result<columns::Batch> { return numbers({}); };
  EXPECT_EQ(stage_add_values(base, few, probe.rows()).error().kind(), ErrorKind::kInvalid);
}

// What others commit meanwhile gets its values too.
TEST(MergeColumns, AMergeThatLostIsDoneAnew) {
  RowProbe probe;
  probe.make({{1, "a"}}, false);
  int calls = 0;
  const auto result =
      commit_rows(probe.table, probe.commit_options(), 5, [&](const Snapshot& base) {
        auto staged = stage_merge(base, numbers({{1, 10}, {2, 20}}), {"id"}, probe.rows());
        if (calls++ == 0) {
          probe.apply(stage_append(base, {RowProbe::batch({{2, "b"}})}, probe.rows()));
        }
        return staged;
      });
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(shown(*result->snapshot), "1=10 2=20 ");
}

}  // namespace
}  // namespace weft::lance

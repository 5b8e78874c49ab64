// A table of numbers and texts over a store in memory, for tests of what is done to rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/columns/builder.h"
#include "weft/lance/rows/fragment_reader.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/table/row_sequence.h"
#include "weft/lance/table/testing/table_probe.h"

namespace weft::lance {

using Row = std::pair<int64_t, std::string>;

struct RowProbe : TableProbe {
  base::InlineExecutor executor;

  RowOptions rows() {
    RowOptions made;
    made.stage = options();
    made.write.executor = &executor;
    return made;
  }
  static columns::SchemaPtr schema() {
    auto made = std::make_shared<columns::Schema>();
    made->fields = {{"id", columns::simple_type(columns::TypeId::kInt64), false, {}},
                    {"s", columns::simple_type(columns::TypeId::kString), true, {}}};
    return made;
  }
  static columns::Batch batch(const std::vector<Row>& values) {
    columns::ArrayBuilder ids(columns::simple_type(columns::TypeId::kInt64));
    columns::ArrayBuilder texts(columns::simple_type(columns::TypeId::kString));
    for (const auto& [id, text] : values) {
      ids.append_integer(id);
      texts.append_text(text);
    }
    return columns::Batch::make(schema(), {ids.finish(), texts.finish()}, values.size()).value();
  }
  Snapshot make(const std::vector<Row>& values, bool stable, bool with_key = false) {
    auto fields = layout::schema_fields(*schema()).value();
    if (with_key) {
      fields[0].unenforced_primary_key = true;
      fields[0].unenforced_primary_key_position = 1;
    }
    return *commit(stage_create(table, fields, {batch(values)}, stable, rows()).value(),
                   commit_options())
                .value()
                .snapshot;
  }
  // Rows of a version in order, with row ids if they are stable.
  static std::vector<Row> read(const Snapshot& snapshot, std::vector<uint64_t>* ids = nullptr) {
    std::vector<Row> values;
    for (const Fragment& fragment : snapshot.manifest().fragments) {
      const read::ReadOptions options;
      FragmentReader reader(snapshot, fragment, options);
      const auto both = reader.project(columns_of(snapshot, {"id", "s"}).value()).value();
      const auto [live, offsets] = reader.read_live(both, {0, fragment.physical_rows}, {}).value();
      for (size_t i = 0; i < live.row_count(); ++i) {
        values.emplace_back(live.column(0)->integer(i),
                            live.column(1)->is_null(i) ? "null" : live.column(1)->text(i));
      }
      if (ids != nullptr) {
        const auto all = expand_row_ids(*fragment.row_ids, fragment.physical_rows).value();
        for (const uint32_t offset : offsets) {
          ids->push_back(all[offset]);
        }
      }
    }
    return values;
  }
  Snapshot apply(Result<StagedTransaction> staged) {
    EXPECT_TRUE(staged.ok()) << staged.error().to_string();
    const auto result = commit(staged.value(), commit_options());
    EXPECT_TRUE(result.ok()) << result.error().to_string();
    EXPECT_EQ(result->outcome, CommitOutcome::kCommitted) << result->reason;
    return *result->snapshot;
  }
};

}  // namespace weft::lance

// A graph of tables that hold one column of numbers, `id`, for tests of the write protocol.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/columns/builder.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/txn/write.h"

namespace weft::txn {

inline columns::Batch id_rows(const std::vector<int64_t>& ids) {
  columns::Schema schema;
  schema.fields = {{.name = "id",
                    .type = columns::simple_type(columns::TypeId::kInt64),
                    .nullable = false,
                    .metadata = {}}};
  columns::ArrayBuilder column(schema.fields[0].type);
  for (const int64_t id : ids) {
    column.append_integer(id);
  }
  return columns::Batch::make(std::make_shared<const columns::Schema>(std::move(schema)),
                              {column.finish()}, ids.size())
      .value();
}

// Rows for a table that is made if it is not there.
struct Insert {
  std::string key;
  std::vector<int64_t> ids;
};

inline Result<Change> stage_inserts(Capture& capture, const std::vector<Insert>& inserts) {
  const lance::RowOptions options = capture.row_options();
  Change change;
  for (const Insert& insert : inserts) {
    const columns::Batch rows = id_rows(insert.ids);
    const catalog::TableEntry* const known =
        capture.view() != nullptr ? capture.view()->state().find(insert.key) : nullptr;
    TableChange& table = change.tables.emplace_back();
    table.key = insert.key;
    if (known != nullptr) {
      table.identity = known->identity;
      WEFT_TRY(const lance::Snapshot base, capture.table(insert.key));
      WEFT_TRY(table.staged, lance::stage_append(base, {rows}, options));
    } else {
      const auto ulid = [&] {
        return base::Ulid::make(capture.place().clock.now(), capture.place().random);
      };
      table.identity = {ulid(), ulid()};
      WEFT_TRY(auto fields, lance::layout::schema_fields(*rows.schema()));
      WEFT_TRY(table.staged,
               lance::stage_create(
                   {&capture.place().store, catalog::table_path(insert.key, table.identity), ""},
                   std::move(fields), {rows}, true, options));
    }
  }
  return change;
}

inline Result<Receipt> insert(const catalog::CatalogPlace& place,
                              const std::vector<Insert>& inserts, WriteRequest request = {}) {
  request.kind = "mutate";
  request.actor = "ana";
  return write(place, request, [&](Capture& capture) { return stage_inserts(capture, inserts); });
}

inline std::multiset<int64_t> ids_of(const lance::Snapshot& snapshot) {
  std::multiset<int64_t> ids;
  const auto table = lance::TableReader::open(snapshot);
  EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().to_string());
  const auto scan = (*table)->scan();
  for (;;) {
    const auto rows = (*scan)->next();
    EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().to_string());
    if (!rows.ok() || !rows->has_value()) {
      return ids;
    }
    for (size_t i = 0; i < (*rows)->batch.row_count(); ++i) {
      ids.insert((*rows)->batch.column(0)->value<int64_t>(i));
    }
  }
}

// As the newest version of the catalog pins it; nothing if it does not have the table.
inline std::multiset<int64_t> published(const catalog::CatalogPlace& place, std::string_view key) {
  const auto view = catalog::open_latest(place);
  EXPECT_TRUE(view.ok()) << (view.ok() ? "" : view.error().to_string());
  const catalog::TableEntry* const table = view.ok() ? view->state().find(key) : nullptr;
  if (table == nullptr) {
    return {};
  }
  const auto pinned = catalog::open_pinned(place, *table);
  EXPECT_TRUE(pinned.ok()) << (pinned.ok() ? "" : pinned.error().to_string());
  return pinned.ok() ? ids_of(*pinned) : std::multiset<int64_t>();
}

// The newest head of a table, as Lance readers that know nothing of graphs find it.
inline Result<lance::Snapshot> head_of(const catalog::CatalogPlace& place, std::string_view key) {
  WEFT_TRY(const catalog::CatalogView view, catalog::open_latest(place));
  const catalog::TableEntry* const table = view.state().find(key);
  EXPECT_NE(table, nullptr);
  return lance::open_latest(catalog::location_of(place, *table));
}

}  // namespace weft::txn

// Columns that come with their values.
#include <algorithm>

#include "weft/base/check.h"
#include "weft/columns/builder.h"
#include "weft/columns/select.h"
#include "weft/lance/rows/exact_keys.h"
#include "weft/lance/rows/fragment_reader.h"
#include "weft/lance/rows/new_columns.h"
#include "weft/lance/rows/row_operations.h"

namespace weft::lance {

namespace {

// The new data file of one fragment: it has a place for deleted rows too. There stands what a live
// neighbour has, which fits every type and is small; nobody reads it.
class FragmentColumns {
 public:
  FragmentColumns(Stage& stage, const std::vector<layout::SchemaField>& fields, uint64_t rows,
                  const RowOptions& options)
      : writer_(stage, fields, one_file(rows, options.write)), rows_(rows) {}

  // The values of the live rows among the `count` next ones; these stand at `offsets` - `begin`.
  Status append(const columns::Batch& values, const std::vector<uint32_t>& offsets, uint64_t begin,
                uint64_t count) {
    if (offsets.empty()) {
      pending_ += count;
      return {};
    }
    if (pending_ > 0) {
      WEFT_TRY_STATUS(repeat(values, 0, std::exchange(pending_, 0)));
    }
    if (offsets.size() == count) {
      WEFT_TRY_STATUS(writer_.append(values));
    } else {
      std::vector<uint64_t> picks(count);
      size_t live = 0;
      for (uint64_t i = 0; i < count; ++i) {
        picks[i] = std::min(live, offsets.size() - 1);
        live += live < offsets.size() && offsets[live] == begin + i ? 1 : 0;
      }
      WEFT_TRY(const columns::Batch all, columns::take(values, picks));
      WEFT_TRY_STATUS(writer_.append(all));
    }
    last_ = values.slice(values.row_count() - 1, 1);
    return {};
  }

  // Nothing if no row of the fragment is live.
  Result<std::optional<DataFile>> finish() && {
    if (!last_) {
      return std::optional<DataFile>();
    }
    WEFT_TRY_STATUS(repeat(*last_, 0, pending_));
    WEFT_TRY(const std::vector<Fragment> made, writer_.finish());
    WEFT_CHECK(made.size() == 1 && made.front().physical_rows == rows_);
    return std::optional(made.front().files.front());
  }

 private:
  static RowWriteOptions one_file(uint64_t rows, RowWriteOptions options) {
    options.file_rows_max = std::max<uint64_t>(1, rows);
    return options;
  }

  Status repeat(const columns::Batch& values, uint64_t row, uint64_t count) {
    while (count > 0) {
      const std::vector<uint64_t> picks(std::min(count, kMergeRowsAtOnce), row);
      WEFT_TRY(const columns::Batch some, columns::take(values, picks));
      WEFT_TRY_STATUS(writer_.append(some));
      count -= picks.size();
    }
    return {};
  }

  RowWriter writer_;
  uint64_t rows_;
  uint64_t pending_ = 0;  // deleted rows before the first live one, or behind the last
  std::optional<columns::Batch> last_;
};

Result<columns::Batch> values_of(const ColumnValues& columns, const TableRows& rows) {
  WEFT_TRY(columns::Batch values, columns.values(rows));
  if (values.row_count() != rows.batch.row_count() ||
      values.column_count() != columns.added.fields.size()) {
    return Error(ErrorKind::kInvalid, "values for another number of rows or columns")
        .with("rows", values.row_count())
        .with("rows_wanted", rows.batch.row_count())
        .with("columns", values.column_count())
        .with("columns_wanted", columns.added.fields.size());
  }
  return values;
}

Status add_to_fragment(Stage& stage, const std::vector<layout::SchemaField>& fields,
                       const columns::SchemaPtr& inputs, const ColumnValues& columns,
                       const RowOptions& options, Fragment& fragment) {
  FragmentReader reader(stage.base(), fragment, options.read);
  WEFT_TRY(const FragmentProjection projection, reader.project(inputs));
  FragmentColumns out(stage, fields, fragment.physical_rows, options);
  for (uint64_t from = 0; from < fragment.physical_rows; from += kMergeRowsAtOnce) {
    const uint64_t to = std::min(from + kMergeRowsAtOnce, fragment.physical_rows);
    WEFT_TRY(LiveRows live, reader.read_live(projection, {from, to}, {}));
    columns::Batch values;
    TableRows rows{std::move(live.batch), fragment.id, std::move(live.offsets)};
    if (!rows.offsets.empty()) {
      WEFT_TRY(values, values_of(columns, rows));
    }
    WEFT_TRY_STATUS(out.append(values, rows.offsets, from, to - from));
  }
  WEFT_TRY(std::optional<DataFile> file, std::move(out).finish());
  if (file) {
    fragment.files.push_back(*std::move(file));
  }
  return {};
}

// The columns of `batch` but for the keys, with one row of nulls more.
Result<columns::Batch> with_null_row(const columns::Batch& batch,
                                     const std::vector<std::string>& keys) {
  auto schema = std::make_shared<columns::Schema>();
  std::vector<columns::ArrayPtr> arrays;
  for (size_t i = 0; i < batch.column_count(); ++i) {
    const columns::Field& field = batch.schema()->fields[i];
    if (std::find(keys.begin(), keys.end(), field.name) == keys.end()) {
      columns::ArrayBuilder null(field.type);
      null.append_null();
      WEFT_TRY(columns::ArrayPtr array, columns::concat({batch.column(i), null.finish()}));
      schema->fields.push_back(field);
      arrays.push_back(std::move(array));
    }
  }
  return columns::Batch::make(std::move(schema), std::move(arrays), batch.row_count() + 1);
}

}  // namespace

Result<StagedTransaction> stage_add_values(const Snapshot& base, const ColumnValues& columns,
                                           const RowOptions& options) {
  MergeOperation operation;
  operation.fragments = base.manifest().fragments;
  operation.schema = base.manifest().fields;
  operation.schema_metadata = base.manifest().schema_metadata;
  if (columns.added.fields.empty()) {
    return Error(ErrorKind::kInvalid, "no column is to be added");
  }
  WEFT_TRY(const std::vector<layout::SchemaField> fields, fields_to_add(base, columns.added));
  columns::SchemaPtr inputs = std::make_shared<const columns::Schema>();
  if (!columns.inputs.empty()) {
    WEFT_TRY(inputs, columns_of(base, columns.inputs));
  }
  Stage stage(base, options.stage);
  for (Fragment& fragment : operation.fragments) {
    WEFT_TRY_STATUS(add_to_fragment(stage, fields, inputs, columns, options, fragment));
  }
  operation.schema.insert(operation.schema.end(), fields.begin(), fields.end());
  return std::move(stage).finish(std::move(operation));
}

Result<StagedTransaction> stage_merge(const Snapshot& base, const columns::Batch& batch,
                                      const std::vector<std::string>& keys,
                                      const RowOptions& options) {
  WEFT_TRY(const std::vector<columns::ArrayPtr> wanted, columns_named(batch, keys));
  WEFT_TRY(const KeyPlaces places, keys_of(wanted, batch.row_count()));
  WEFT_TRY(const columns::SchemaPtr inputs, columns_of(base, keys));
  for (size_t i = 0; i < keys.size(); ++i) {
    if (*inputs->fields[i].type != *wanted[i]->type()) {
      return Error(ErrorKind::kInvalid, "key column has another type than the table's")
          .with("column", keys[i])
          .with("type", wanted[i]->type()->to_string())
          .with("wanted", inputs->fields[i].type->to_string());
    }
  }
  WEFT_TRY(const columns::Batch source, with_null_row(batch, keys));
  ColumnValues columns;
  columns.added = *source.schema();
  columns.inputs = keys;
  columns.values = [&](const TableRows& rows) -> Result<columns::Batch> {
    std::vector<uint64_t> picks(rows.batch.row_count(), batch.row_count());
    for (size_t row = 0; row < picks.size(); ++row) {
      const std::optional<std::string> key = exact_key(rows.batch.columns(), row);
      if (const auto place = key ? places.find(*key) : places.end(); place != places.end()) {
        picks[row] = place->second;
      }
    }
    return columns::take(source, picks);
  };
  return stage_add_values(base, columns, options);
}

}  // namespace weft::lance

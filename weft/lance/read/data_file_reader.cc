#include "weft/lance/read/data_file_reader.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "weft/columns/select.h"
#include "weft/lance/read/file_content.h"

namespace weft::lance::read {
namespace {

using layout::SchemaField;
using layout::SchemaNode;

// Ids to columns of the file.
using ColumnOf = std::unordered_map<int32_t, uint32_t>;

// Appends the columns of `node` and below. Counts what has none.
void collect_columns(const std::vector<SchemaField>& schema, const SchemaNode& node,
                     const ColumnOf& column_of, bool leaves_only, std::vector<uint32_t>& columns,
                     size_t& missing) {
  if (!leaves_only || node.children.empty()) {
    const auto found = column_of.find(schema[node.field].id);
    if (found == column_of.end()) {
      ++missing;
    } else {
      columns.push_back(found->second);
    }
  }
  for (const SchemaNode& child : node.children) {
    collect_columns(schema, child, column_of, leaves_only, columns, missing);
  }
}

class FileReader final : public DataFileReader {
 public:
  explicit FileReader(std::unique_ptr<FileContent> file) : file_(std::move(file)) {}

  layout::FileVersion version() const override { return file_->footer().version; }
  uint64_t row_count() const override { return file_->row_count(); }
  uint32_t column_count() const override { return file_->footer().column_count; }
  const std::string& name() const override { return file_->object().name(); }
  uint64_t size_bytes() const override { return file_->object().size(); }
  const layout::FileDescriptor& descriptor() const override { return file_->descriptor(); }

  Result<Projection> project(const std::vector<SchemaField>& schema,
                             std::span<const int32_t> field_ids,
                             std::span<const int32_t> column_indices,
                             const std::vector<std::string>& names) override;
  Result<Projection> project_own(const std::vector<std::string>& names) override;

  Result<columns::Batch> read(const Projection& projection, IndexRange rows,
                              std::stop_token stop) override {
    if (rows.begin > rows.end || rows.end > row_count()) {
      return Error(ErrorKind::kInvalid, "rows outside of the data file")
          .with("begin", rows.begin)
          .with("end", rows.end)
          .with("rows", row_count());
    }
    std::vector<IndexRange> ranges;
    if (rows.size() != 0) {
      ranges.push_back(rows);
    }
    return read_ranges(projection, ranges, rows.size(), std::move(stop));
  }

  Result<columns::Batch> take(const Projection& projection, std::span<const uint64_t> rows,
                              std::stop_token stop) override;

  Result<std::unique_ptr<Scan>> scan(const Projection& projection, IndexRange rows) override {
    if (rows.begin > rows.end || rows.end > row_count()) {
      return Error(ErrorKind::kInvalid, "rows outside of the data file")
          .with("begin", rows.begin)
          .with("end", rows.end)
          .with("rows", row_count());
    }
    return make_scan(*file_, projection, rows);
  }

  Status verify(std::stop_token stop) override;

 private:
  Result<columns::Batch> read_ranges(const Projection& projection,
                                     std::span<const IndexRange> ranges, uint64_t rows,
                                     std::stop_token stop);

  std::unique_ptr<FileContent> file_;
};

Result<Projection> FileReader::project(const std::vector<SchemaField>& schema,
                                       std::span<const int32_t> field_ids,
                                       std::span<const int32_t> column_indices,
                                       const std::vector<std::string>& names) {
  if (field_ids.size() != column_indices.size()) {
    return file_->in_file(
        Error(ErrorKind::kInvalid, "a data file has a column for each of its fields"));
  }
  ColumnOf column_of;
  for (size_t i = 0; i < field_ids.size(); ++i) {
    if (column_indices[i] >= 0 && field_ids[i] >= 0) {
      column_of[field_ids[i]] = static_cast<uint32_t>(column_indices[i]);
    }
  }
  WEFT_TRY(const std::vector<SchemaNode> tree, layout::schema_tree(schema));
  std::vector<const SchemaNode*> chosen;
  if (names.empty()) {
    for (const SchemaNode& node : tree) {
      chosen.push_back(&node);
    }
  }
  for (const std::string& name : names) {
    const auto found = std::find_if(tree.begin(), tree.end(), [&](const SchemaNode& node) {
      return schema[node.field].name == name;
    });
    if (found == tree.end()) {
      return Error(ErrorKind::kNotFound, "there is no such column").with("column", name);
    }
    chosen.push_back(&*found);
  }
  Projection out;
  columns::Schema projected;
  const bool leaves_only = version() != layout::FileVersion::kV20;
  for (const SchemaNode* const node : chosen) {
    ProjectedField field;
    WEFT_TRY(field.field, layout::column_field(schema, *node));
    size_t missing = 0;
    collect_columns(schema, *node, column_of, leaves_only, field.columns, missing);
    if (missing != 0 && !field.columns.empty()) {
      return file_->in_file(
          Error(ErrorKind::kUnsupported, "a data file has a part of a column only")
              .with("column", field.field.name));
    }
    for (const uint32_t column : field.columns) {
      if (column >= column_count()) {
        return file_->in_file(
            Error(ErrorKind::kCorrupt, "a data file does not have a column that it should")
                .with("column", field.field.name));
      }
    }
    projected.fields.push_back(field.field);
    out.fields.push_back(std::move(field));
  }
  out.schema = std::make_shared<const columns::Schema>(std::move(projected));
  return out;
}

Result<Projection> FileReader::project_own(const std::vector<std::string>& names) {
  const std::vector<SchemaField>& fields = descriptor().fields;
  WEFT_TRY(const std::vector<SchemaNode> tree, layout::schema_tree(fields));
  std::vector<bool> is_parent(fields.size());
  std::unordered_map<int32_t, size_t> position;
  for (size_t i = 0; i < fields.size(); ++i) {
    position[fields[i].id] = i;
    const auto parent = position.find(fields[i].parent_id);
    if (fields[i].parent_id >= 0 && parent != position.end()) {
      is_parent[parent->second] = true;
    }
  }
  std::vector<int32_t> ids;
  std::vector<int32_t> columns;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (version() == layout::FileVersion::kV20 || !is_parent[i]) {
      columns.push_back(static_cast<int32_t>(ids.size()));
      ids.push_back(fields[i].id);
    }
  }
  return project(fields, ids, columns, names);
}

Result<columns::Batch> FileReader::read_ranges(const Projection& projection,
                                               std::span<const IndexRange> ranges, uint64_t rows,
                                               std::stop_token stop) {
  ReadMemory memory(file_->options().budget, file_->options().memory_bytes_max);
  std::vector<columns::ArrayPtr> arrays(projection.fields.size());
  const auto read_one = [&](size_t index) -> Status {
    WEFT_TRY(arrays[index],
             file_->read_field(projection.fields[index], ranges, rows, memory, stop));
    return ok_status();
  };
  // Waking threads costs more than a few rows do.
  constexpr uint64_t kRowsForThreads = 512;
  base::InlineExecutor here;
  base::Executor* const executor = file_->options().executor;
  Status status = (executor == nullptr || rows < kRowsForThreads ? here : *executor)
                      .for_each(arrays.size(), read_one, stop);
  if (!status.ok()) {
    return file_->in_file(std::move(status).error());
  }
  return columns::Batch::make(projection.schema, std::move(arrays), rows);
}

Result<columns::Batch> FileReader::take(const Projection& projection,
                                        std::span<const uint64_t> rows, std::stop_token stop) {
  if (rows.size() > kTakeRowsMax) {
    return Error(ErrorKind::kLimit, "too many rows to take at once")
        .with("rows", rows.size())
        .with("rows_max", kTakeRowsMax);
  }
  for (const uint64_t row : rows) {
    if (row >= row_count()) {
      return Error(ErrorKind::kInvalid, "a row outside of the data file")
          .with("row", row)
          .with("rows", row_count());
    }
  }
  std::vector<uint64_t> sorted(rows.begin(), rows.end());
  const bool ascending =
      std::adjacent_find(sorted.begin(), sorted.end(), std::greater_equal<>()) == sorted.end();
  if (!ascending) {
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  }
  std::vector<IndexRange> ranges;
  for (const uint64_t row : sorted) {
    if (!ranges.empty() && ranges.back().end == row) {
      ++ranges.back().end;
    } else {
      ranges.push_back({row, row + 1});
    }
  }
  WEFT_TRY(columns::Batch batch, read_ranges(projection, ranges, sorted.size(), std::move(stop)));
  if (ascending) {
    return batch;
  }
  std::vector<uint64_t> places;
  places.reserve(rows.size());
  for (const uint64_t row : rows) {
    places.push_back(static_cast<uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), row) -
                                           sorted.begin()));
  }
  return columns::take(batch, places);
}

Status FileReader::verify(std::stop_token stop) {
  WEFT_TRY(const Projection all, project_own({}));
  WEFT_TRY(const std::unique_ptr<Scan> scan, this->scan(all, {0, row_count()}));
  uint64_t rows = 0;
  while (true) {
    WEFT_TRY(const std::optional<columns::Batch> batch, scan->next(stop));
    if (!batch) {
      break;
    }
    rows += batch->row_count();
    for (size_t i = 0; i < batch->column_count(); ++i) {
      Status status = batch->column(i)->check();
      if (!status.ok()) {
        return file_->in_file(std::move(status).error().with("column", all.schema->fields[i].name));
      }
    }
  }
  if (rows != row_count()) {
    return file_->in_file(Error(ErrorKind::kCorrupt, "a data file has fewer rows than it says"));
  }
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<DataFileReader>> DataFileReader::open(
    std::unique_ptr<storage::ObjectReader> object, ReadOptions options) {
  WEFT_TRY(std::unique_ptr<FileContent> file, FileContent::open(std::move(object), options));
  return std::make_unique<FileReader>(std::move(file));
}

}  // namespace weft::lance::read

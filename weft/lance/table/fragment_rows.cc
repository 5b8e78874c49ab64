#include "weft/lance/table/fragment_rows.h"

#include <algorithm>
#include <set>

#include "weft/base/check.h"
#include "weft/columns/builder.h"
#include "weft/columns/select.h"
#include "weft/lance/layout/field.h"

namespace weft::lance {

namespace {

// Rows that are read at once when live ones are picked from many.
constexpr uint64_t kTakeBelow = 8;

void collect_ids(const std::vector<layout::SchemaField>& fields, const layout::SchemaNode& node,
                 std::set<int32_t>& ids) {
  ids.insert(fields[node.field].id);
  for (const layout::SchemaNode& child : node.children) {
    collect_ids(fields, child, ids);
  }
}

// Adds the name of the file to an error that has none.
Error in_table(Error error, const Snapshot& snapshot, const std::string& name) {
  if (error.kind() == ErrorKind::kNotFound) {
    error = Error(ErrorKind::kCorrupt, "data file is gone");
  }
  error.add("object", name);
  error.add("table", snapshot.location().to_string());
  return error;
}

}  // namespace

Result<FragmentReader> FragmentReader::open(const Snapshot& snapshot, const Fragment& fragment,
                                            const std::vector<std::string>& names,
                                            const read::ReadOptions& options) {
  FragmentReader reader(snapshot, fragment);
  reader.physical_rows_ = fragment.physical_rows;
  const std::vector<layout::SchemaField>& fields = snapshot.manifest().fields;
  WEFT_TRY(const std::vector<layout::SchemaNode> tree, layout::schema_tree(fields));
  std::vector<std::string> wanted = names;
  if (wanted.empty()) {
    for (const layout::SchemaNode& node : tree) {
      wanted.push_back(fields[node.field].name);
    }
  }
  auto schema = std::make_shared<columns::Schema>();
  std::vector<std::vector<std::string>> names_of_file(fragment.files.size());
  std::vector<std::vector<size_t>> positions(fragment.files.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto node = std::find_if(tree.begin(), tree.end(), [&](const layout::SchemaNode& entry) {
      return fields[entry.field].name == wanted[i];
    });
    if (node == tree.end()) {
      return Error(ErrorKind::kNotFound, "no such column in the table")
          .with("column", wanted[i])
          .with("table", snapshot.location().to_string());
    }
    WEFT_TRY(columns::Field field, layout::column_field(fields, *node));
    schema->fields.push_back(std::move(field));
    std::set<int32_t> ids;
    collect_ids(fields, *node, ids);
    for (size_t file = 0; file < fragment.files.size(); ++file) {
      const auto& listed = fragment.files[file].fields;
      if (std::any_of(listed.begin(), listed.end(), [&](int32_t id) { return ids.contains(id); })) {
        names_of_file[file].push_back(wanted[i]);
        positions[file].push_back(i);
        break;
      }
    }
  }
  reader.schema_ = std::move(schema);
  for (size_t file = 0; file < fragment.files.size(); ++file) {
    if (names_of_file[file].empty()) {
      continue;
    }
    const DataFile& entry = fragment.files[file];
    WEFT_TRY(const std::string name, snapshot.data_file_name(entry));
    auto object = snapshot.location().store->open(name);
    if (!object.ok()) {
      return in_table(std::move(object).error(), snapshot, name);
    }
    if (entry.size_bytes != 0 && (*object)->size() != entry.size_bytes) {
      return Error(ErrorKind::kCorrupt, "data file has another size than its manifest says")
          .with("object", name)
          .with("size", (*object)->size())
          .with("expected", entry.size_bytes);
    }
    Source source;
    WEFT_TRY(source.file, read::DataFileReader::open(std::move(object).value(), options));
    if (source.file->row_count() != fragment.physical_rows) {
      return Error(ErrorKind::kCorrupt, "data file has another number of rows than its fragment")
          .with("object", name)
          .with("rows", source.file->row_count())
          .with("expected", fragment.physical_rows);
    }
    WEFT_TRY(source.projection,
             source.file->project(fields, entry.fields, entry.column_indices, names_of_file[file]));
    source.positions = std::move(positions[file]);
    reader.sources_.push_back(std::move(source));
  }
  return reader;
}

Result<const Deletions*> FragmentReader::deletions() {
  if (deletions_ == nullptr) {
    auto read = std::make_unique<Deletions>();
    if (fragment_.deletion_file) {
      WEFT_TRY(const std::string name,
               snapshot_.deletion_name(fragment_.id, *fragment_.deletion_file));
      WEFT_TRY(const std::string kept,
               snapshot_.base_folder(fragment_.deletion_file->base_id, kKeptFolder));
      WEFT_TRY(*read, read_deletions(*snapshot_.location().store, name,
                                     join_name(kept, deletion_file_name(fragment_.id,
                                                                        *fragment_.deletion_file)),
                                     fragment_));
    }
    deletions_ = std::move(read);
  }
  return static_cast<const Deletions*>(deletions_.get());
}

template <typename Read>
Result<columns::Batch> FragmentReader::gather(uint64_t row_count, const Read& read) {
  std::vector<columns::ArrayPtr> arrays(schema_->fields.size());
  for (Source& source : sources_) {
    WEFT_TRY(const columns::Batch part, read(source));
    for (size_t i = 0; i < source.positions.size(); ++i) {
      arrays[source.positions[i]] = part.column(i);
    }
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i] == nullptr) {
      arrays[i] = columns::null_array(schema_->fields[i].type, row_count);
    }
  }
  return columns::Batch::make(schema_, std::move(arrays), row_count);
}

Result<columns::Batch> FragmentReader::read(read::IndexRange rows) {
  return gather(rows.size(),
                [&](Source& source) { return source.file->read(source.projection, rows); });
}

Result<columns::Batch> FragmentReader::take(std::span<const uint64_t> offsets) {
  return gather(offsets.size(),
                [&](Source& source) { return source.file->take(source.projection, offsets); });
}

Result<columns::Batch> FragmentReader::read_live(read::IndexRange rows,
                                                 std::vector<uint32_t>* offsets) {
  WEFT_TRY(const Deletions* dead, deletions());
  std::vector<uint32_t> live = dead->live_offsets(rows.begin, rows.end);
  Result<columns::Batch> batch = [&]() -> Result<columns::Batch> {
    if (live.size() == rows.size()) {
      return read(rows);
    }
    if (live.size() < rows.size() / kTakeBelow) {
      return take(std::vector<uint64_t>(live.begin(), live.end()));
    }
    WEFT_TRY(const columns::Batch all, read(rows));
    std::vector<uint64_t> picked;
    picked.reserve(live.size());
    for (const uint32_t offset : live) {
      picked.push_back(offset - rows.begin);
    }
    return columns::take(all, picked);
  }();
  if (offsets != nullptr) {
    *offsets = std::move(live);
  }
  return batch;
}

RowWriter::RowWriter(Stage& stage, std::vector<layout::SchemaField> fields,
                     const RowWriteOptions& options)
    : RowWriter(stage.base().location(), stage.base().manifest().file_version, stage.options(),
                std::move(fields), options) {}

RowWriter::RowWriter(TableLocation location, std::string file_version, StageOptions names,
                     std::vector<layout::SchemaField> fields, const RowWriteOptions& options)
    : location_(std::move(location)),
      file_version_(std::move(file_version)),
      names_(std::move(names)),
      fields_(std::move(fields)),
      options_(options) {
  WEFT_CHECK(options_.executor != nullptr && options_.file_rows_max > 0);
}

Status RowWriter::open() {
  write::DataFileOptions options;
  WEFT_TRY(options.version, layout::parse_file_version(file_version_));
  path_ = new_data_path(names_);
  WEFT_TRY(file_, write::DataFileWriter::create(
                      *location_.store, location_.object(std::string(kDataFolder) + path_), fields_,
                      options, *options_.executor, options_.budget));
  return {};
}

Status RowWriter::close() {
  WEFT_TRY(const write::DataFileSummary summary, file_->finish());
  file_.reset();
  Fragment& fragment = fragments_.emplace_back();
  fragment.physical_rows = summary.row_count;
  DataFile& file = fragment.files.emplace_back();
  file.path = path_;
  file.fields = summary.field_ids;
  file.column_indices = summary.column_indices;
  file.major_version = 2;
  file.minor_version = summary.version == layout::FileVersion::k2_0   ? 0
                       : summary.version == layout::FileVersion::k2_1 ? 1
                                                                      : 2;
  file.size_bytes = summary.size_bytes;
  return {};
}

Status RowWriter::append(const columns::Batch& batch) {
  size_t from = 0;
  while (from < batch.row_count()) {
    if (file_ == nullptr) {
      WEFT_TRY_STATUS(open());
    }
    const uint64_t room = options_.file_rows_max - file_->row_count();
    const size_t count = std::min<uint64_t>(room, batch.row_count() - from);
    WEFT_TRY_STATUS(file_->append(batch.slice(from, count)));
    from += count;
    if (file_->row_count() == options_.file_rows_max) {
      WEFT_TRY_STATUS(close());
    }
  }
  return {};
}

Result<std::vector<Fragment>> RowWriter::finish() {
  if (file_ != nullptr) {
    WEFT_TRY_STATUS(close());
  }
  return std::move(fragments_);
}

}  // namespace weft::lance

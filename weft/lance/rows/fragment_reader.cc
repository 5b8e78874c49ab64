#include "weft/lance/rows/fragment_reader.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "weft/columns/builder.h"
#include "weft/columns/select.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/table/live_rows.h"
#include "weft/storage/memory_store.h"

namespace weft::lance {

namespace {

// Where fewer rows than one of so many are live, they are taken and not picked from all.
constexpr uint64_t kTakeBelow = 8;
// Files up to this are read whole in the call that finds them.
constexpr uint64_t kGetBytesMax = uint64_t{32} << 10U;

Result<std::unique_ptr<storage::ObjectReader>> open_data(storage::ObjectStore& store,
                                                         const std::string& name,
                                                         uint64_t size_bytes) {
  if (size_bytes == 0 || size_bytes > kGetBytesMax) {
    return store.open(name);
  }
  auto whole = store.get(name, kGetBytesMax);
  if (!whole.ok()) {
    // Longer than its manifest says: the caller compares.
    return whole.error().kind() == ErrorKind::kLimit
               ? store.open(name)
               : Result<std::unique_ptr<storage::ObjectReader>>(std::move(whole).error());
  }
  return storage::read_buffer(name, std::move(whole->bytes));
}

}  // namespace

Result<columns::SchemaPtr> columns_of(const Snapshot& snapshot,
                                      const std::vector<std::string>& names) {
  WEFT_TRY(columns::Schema all, layout::column_schema(snapshot.manifest().fields));
  all.metadata = snapshot.manifest().schema_metadata;
  if (names.empty()) {
    return std::make_shared<const columns::Schema>(std::move(all));
  }
  columns::Schema chosen;
  for (const std::string& name : names) {
    const size_t index = all.index_of(name);
    if (index == all.fields.size()) {
      return Error(ErrorKind::kNotFound, "there is no such column")
          .with("column", name)
          .with("columns", all.to_string())
          .with("table", snapshot.location().to_string());
    }
    chosen.fields.push_back(all.fields[index]);
  }
  return std::make_shared<const columns::Schema>(std::move(chosen));
}

Result<const Deletions*> FragmentReader::deletions() {
  if (!fragment_.deletion_file) {
    return static_cast<const Deletions*>(nullptr);
  }
  const base::MutexLock lock(mutex_);
  if (!deletions_read_) {
    WEFT_TRY(deletions_, deletions_of(snapshot_, fragment_));
    deletions_read_ = true;
  }
  return static_cast<const Deletions*>(&*deletions_);
}

Result<read::DataFileReader*> FragmentReader::file(size_t index) {
  const base::MutexLock lock(mutex_);
  files_.resize(fragment_.files.size());
  if (files_[index] == nullptr) {
    const DataFile& entry = fragment_.files[index];
    WEFT_TRY(const std::string name, snapshot_.data_file_name(entry));
    auto opened = open_data(*snapshot_.location().store, name, entry.size_bytes);
    if (!opened.ok()) {
      Error error = std::move(opened).error();
      if (error.kind() == ErrorKind::kNotFound) {
        error = Error(ErrorKind::kCorrupt, "a data file is gone");
      }
      error.add("object", name);
      error.add("table", snapshot_.location().to_string());
      return error;
    }
    std::unique_ptr<storage::ObjectReader> object = std::move(opened).value();
    if (entry.size_bytes != 0 && object->size() != entry.size_bytes) {
      return Error(ErrorKind::kCorrupt, "a data file has another size than its manifest says")
          .with("object", name)
          .with("size", object->size())
          .with("expected", entry.size_bytes);
    }
    WEFT_TRY(std::unique_ptr<read::DataFileReader> reader,
             read::DataFileReader::open(std::move(object), options_));
    if (reader->row_count() != fragment_.physical_rows) {
      return Error(ErrorKind::kCorrupt, "a data file has other rows than its fragment")
          .with("object", name)
          .with("rows", reader->row_count())
          .with("expected", fragment_.physical_rows);
    }
    files_[index] = std::move(reader);
  }
  return files_[index].get();
}

Result<FragmentProjection> FragmentReader::project(const columns::SchemaPtr& schema) {
  const std::vector<layout::SchemaField>& fields = snapshot_.manifest().fields;
  WEFT_TRY(const std::vector<layout::SchemaNode> tree, layout::schema_tree(fields));
  FragmentProjection out;
  out.schema = schema;
  std::vector<bool> found(schema->fields.size());
  for (size_t i = 0; i < fragment_.files.size(); ++i) {
    const DataFile& entry = fragment_.files[i];
    const std::set<int32_t> ids(entry.fields.begin(), entry.fields.end());
    FragmentProjection::Part part;
    std::vector<std::string> names;
    for (size_t k = 0; k < schema->fields.size(); ++k) {
      const auto node = std::find_if(tree.begin(), tree.end(), [&](const auto& each) {
        return fields[each.field].name == schema->fields[k].name;
      });
      if (node == tree.end() || found[k]) {
        continue;
      }
      // The first leaf stands for the field: a field whose leaves lie in several files is refused
      // by the projection.
      const layout::SchemaNode* leaf = &*node;
      while (!leaf->children.empty()) {
        leaf = &leaf->children.front();
      }
      if (ids.contains(fields[leaf->field].id)) {
        found[k] = true;
        part.columns.push_back(k);
        names.push_back(schema->fields[k].name);
      }
    }
    if (!names.empty()) {
      WEFT_TRY(part.file, file(i));
      WEFT_TRY(part.projection,
               part.file->project(fields, entry.fields, entry.column_indices, names));
      out.parts.push_back(std::move(part));
    }
  }
  FragmentProjection::Part absent;
  for (size_t k = 0; k < found.size(); ++k) {
    if (!found[k]) {
      absent.columns.push_back(k);
    }
  }
  if (!absent.columns.empty()) {
    out.parts.push_back(std::move(absent));
  }
  return out;
}

template <typename ReadPart>
Result<columns::Batch> FragmentReader::join(const FragmentProjection& projection,
                                            uint64_t row_count, const ReadPart& read_part) {
  std::vector<columns::ArrayPtr> arrays(projection.schema->fields.size());
  for (const FragmentProjection::Part& part : projection.parts) {
    if (part.file == nullptr) {
      for (const size_t column : part.columns) {
        arrays[column] = columns::null_array(projection.schema->fields[column].type, row_count);
      }
      continue;
    }
    WEFT_TRY(const columns::Batch batch, read_part(part));
    for (size_t i = 0; i < part.columns.size(); ++i) {
      arrays[part.columns[i]] = batch.column(i);
    }
  }
  return columns::Batch::make(projection.schema, std::move(arrays), row_count);
}

Result<columns::Batch> FragmentReader::read(const FragmentProjection& projection,
                                            read::IndexRange rows, std::stop_token stop) {
  return join(projection, rows.size(), [&](const FragmentProjection::Part& part) {
    return part.file->read(part.projection, rows, stop);
  });
}

Result<columns::Batch> FragmentReader::take(const FragmentProjection& projection,
                                            std::span<const uint64_t> offsets,
                                            std::stop_token stop) {
  return join(projection, offsets.size(), [&](const FragmentProjection::Part& part) {
    return part.file->take(part.projection, offsets, stop);
  });
}

Result<LiveRows> FragmentReader::read_live(const FragmentProjection& projection,
                                           read::IndexRange rows, std::stop_token stop) {
  WEFT_TRY(const Deletions* const dead, deletions());
  if (dead != nullptr) {
    std::vector<uint32_t> live = dead->live_offsets(rows.begin, rows.end);
    if (live.size() < rows.size() / kTakeBelow) {
      WEFT_TRY(columns::Batch batch,
               take(projection, std::vector<uint64_t>(live.begin(), live.end()), std::move(stop)));
      return LiveRows{.batch = std::move(batch), .offsets = std::move(live)};
    }
  }
  WEFT_TRY(const columns::Batch physical, read(projection, rows, std::move(stop)));
  return live_of(physical, rows.begin);
}

Result<LiveRows> FragmentReader::live_of(const columns::Batch& physical, uint64_t begin) {
  WEFT_TRY(const Deletions* const dead, deletions());
  LiveRows out;
  if (dead == nullptr) {
    out.offsets.resize(physical.row_count());
    std::iota(out.offsets.begin(), out.offsets.end(), static_cast<uint32_t>(begin));
    out.batch = physical;
    return out;
  }
  out.offsets = dead->live_offsets(begin, begin + physical.row_count());
  if (out.offsets.size() == physical.row_count()) {
    out.batch = physical;
    return out;
  }
  std::vector<uint64_t> places;
  places.reserve(out.offsets.size());
  for (const uint32_t offset : out.offsets) {
    places.push_back(offset - begin);
  }
  WEFT_TRY(out.batch, columns::take(physical, places));
  return out;
}

}  // namespace weft::lance

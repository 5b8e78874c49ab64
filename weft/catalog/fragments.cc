#include "weft/catalog/fragments.h"

#include <memory>
#include <string>
#include <utility>

#include "weft/catalog/records.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/storage/memory_store.h"

namespace weft::catalog {

using lance::Fragment;

Result<Fragments> sort_fragments(const lance::Snapshot& snapshot) {
  Fragments sorted;
  for (const Fragment& fragment : snapshot.manifest().fragments) {
    const std::string_view path =
        fragment.files.size() == 1 ? std::string_view(fragment.files[0].path) : "";
    if (path.starts_with(kPointersPrefix) && !fragment.deletion_file) {
      sorted.pointers.push_back(fragment);
    } else if (path.starts_with(kCommitsPrefix) && !fragment.deletion_file) {
      sorted.commits.push_back(fragment);
    } else {
      return Error(ErrorKind::kCorrupt,
                   "a program other than weft has changed the graph's catalog; restore "
                   "the version before it")
          .with("table", snapshot.location().to_string())
          .with("version", snapshot.version())
          .with("fragment", fragment.id);
    }
  }
  return sorted;
}

namespace {

// Rows of the catalog are read whole, in one call for each file.
Result<columns::Batch> read_fragment(const lance::Snapshot& snapshot, const Fragment& fragment) {
  const lance::DataFile& file = fragment.files.front();
  WEFT_TRY(const std::string name, snapshot.data_file_name(file));
  storage::ObjectStore& store = *snapshot.location().store;
  std::unique_ptr<storage::ObjectReader> object;
  const bool is_small = file.size_bytes != 0 && file.size_bytes <= kHeldBytesMax;
  auto whole = is_small ? store.get(name, kHeldBytesMax)
                        : Result<storage::VersionedObject>(storage::VersionedObject());
  if (whole.ok() && is_small) {
    object = storage::read_buffer(name, std::move(whole->bytes));
  } else if (whole.ok() || whole.error().kind() == ErrorKind::kLimit) {
    WEFT_TRY(object, store.open(name));
  } else if (whole.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kCorrupt, "a data file of the graph's catalog is gone")
        .with("object", name);
  } else {
    return std::move(whole).error();
  }
  WEFT_TRY(const auto reader, lance::read::DataFileReader::open(std::move(object)));
  if ((file.size_bytes != 0 && reader->size_bytes() != file.size_bytes) ||
      reader->row_count() != fragment.physical_rows) {
    return Error(ErrorKind::kCorrupt, "a data file of the graph's catalog is not what it was")
        .with("object", name)
        .with("rows", reader->row_count())
        .with("expected", fragment.physical_rows);
  }
  WEFT_TRY(const lance::read::Projection all,
           reader->project(snapshot.manifest().fields, file.fields, file.column_indices));
  if (!(*all.schema == *catalog_schema())) {
    return Error(ErrorKind::kCorrupt, "the graph's catalog has other columns than its format")
        .with("table", snapshot.location().to_string())
        .with("version", snapshot.version());
  }
  return reader->read(all, {0, fragment.physical_rows});
}

}  // namespace

Result<std::vector<columns::Batch>> read_fragments(const lance::Snapshot& snapshot,
                                                   const std::vector<Fragment>& fragments) {
  std::vector<columns::Batch> batches;
  for (const Fragment& fragment : fragments) {
    WEFT_TRY(batches.emplace_back(), read_fragment(snapshot, fragment));
  }
  return batches;
}

}  // namespace weft::catalog

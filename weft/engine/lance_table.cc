#include "weft/engine/lance_table.h"

#include "weft/storage/local_store.h"

namespace weft::engine {

Result<std::unique_ptr<LanceTable>> LanceTable::open(const std::string& folder,
                                                     const LanceTableOptions& options) {
  if (folder.find("://") != std::string::npos) {
    return Error(ErrorKind::kInvalid, "a Lance table is named by its folder").with("table", folder);
  }
  WEFT_TRY(std::unique_ptr<storage::ObjectStore> store, storage::open_local_store(folder));
  std::unique_ptr<LanceTable> table(new LanceTable(std::move(store), options));
  lance::TableLocation location;
  location.store = table->store_.get();
  location.branch = options.branch;
  Result<lance::Snapshot> snapshot = options.version
                                         ? lance::open_version(location, *options.version)
                                         : lance::open_latest(location);
  if (!snapshot.ok() && options.version && snapshot.error().kind() == ErrorKind::kNotFound) {
    // The table may name its versions in the old way.
    snapshot = lance::open_version(location, *options.version, lance::Naming::kV1);
  }
  if (!snapshot.ok()) {
    return std::move(snapshot).error().with("folder", folder);
  }
  lance::read::ReadOptions reading;
  reading.executor = options.executor;
  reading.budget = &table->budget_;
  WEFT_TRY(table->reader_, lance::TableReader::open(std::move(snapshot).value(), reading));
  return table;
}

Result<lance::VersionList> LanceTable::versions() const {
  return lance::list_versions(reader_->snapshot().location());
}

}  // namespace weft::engine

#include "weft/engine/lance_table.h"

#include "weft/storage/local_store.h"

namespace weft::engine {

Result<std::unique_ptr<LanceTable>> LanceTable::open(const std::string& folder,
                                                     const LanceTableOptions& options) {
  std::unique_ptr<LanceTable> table(new LanceTable(options));
  if (remote::is_url(folder)) {
    if (!options.version) {
      return Error(ErrorKind::kInvalid,
                   "a Lance table behind HTTP is opened at a version that is named")
          .with("table", folder);
    }
    WEFT_TRY(table->client_, remote::HttpClient::create());
    table->store_ = remote::http_store(*table->client_, folder);
  } else if (folder.find("://") != std::string::npos) {
    return Error(ErrorKind::kInvalid, "a Lance table is named by its folder or http(s) URL")
        .with("table", folder);
  } else {
    WEFT_TRY(table->store_, storage::open_local_store(folder));
  }
  lance::TableLocation location;
  location.store = table->store_.get();
  location.branch = options.branch;
  Result<lance::Snapshot> snapshot = options.version
                                         ? lance::open_version(location, *options.version)
                                         : lance::open_latest(location);
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

remote::HttpCounters LanceTable::http_counters() const {
  return client_ == nullptr ? remote::HttpCounters{} : client_->counters();
}

}  // namespace weft::engine

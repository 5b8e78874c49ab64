// A Lance table by the path of its folder, or a version of one by URL: what the program shows of
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "weft/base/budget.h"
#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/lance/table/snapshot.h"
#include "weft/remote/http_client.h"
#include "weft/storage/object_store.h"

namespace weft::engine {

struct LanceTableOptions {
  std::optional<uint64_t> version;  // nothing: the latest, of a folder
  std::string branch;               // empty: main
  base::Executor* executor = nullptr;
  // What reading may hold, all together.
  uint64_t memory_bytes = uint64_t{1} << 30U;
};

// One version, open. Thread-safe as lance::TableReader is.
class LanceTable {
 public:
  // `folder` may be an http(s) URL: then the version must be named, as servers list nothing, and
  // opening costs one request. Errors: kNotFound names folder, version or branch; kInvalid: a URL
  // without a version; those of open_version and TableReader.
  static Result<std::unique_ptr<LanceTable>> open(const std::string& folder,
                                                  const LanceTableOptions& options);

  const lance::Snapshot& snapshot() const { return reader_->snapshot(); }
  lance::TableReader& reader() { return *reader_; }
  Result<lance::VersionList> versions() const;
  // What a URL has cost so far; all zero for folders.
  remote::HttpCounters http_counters() const;

 private:
  explicit LanceTable(const LanceTableOptions& options)
      : budget_("--memory", options.memory_bytes) {}

  std::unique_ptr<remote::HttpClient> client_;  // of a URL
  std::unique_ptr<storage::ObjectStore> store_;
  base::MemoryBudget budget_;
  std::unique_ptr<lance::TableReader> reader_;
};

}  // namespace weft::engine

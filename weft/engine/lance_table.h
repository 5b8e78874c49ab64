// A Lance table by the path of its folder: what the program shows of one.
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
#include "weft/storage/object_store.h"

namespace weft::engine {

struct LanceTableOptions {
  std::optional<uint64_t> version;  // nothing: the latest
  std::string branch;               // empty: main
  base::Executor* executor = nullptr;
  // What reading may hold, all together.
  uint64_t memory_bytes = uint64_t{1} << 30U;
};

// One version, open. Thread-safe as lance::TableReader is.
class LanceTable {
 public:
  // Errors: kNotFound names folder, version or branch; kInvalid for a URL (listing needs a
  // folder); those of open_version and TableReader.
  static Result<std::unique_ptr<LanceTable>> open(const std::string& folder,
                                                  const LanceTableOptions& options);

  const lance::Snapshot& snapshot() const { return reader_->snapshot(); }
  lance::TableReader& reader() { return *reader_; }
  Result<lance::VersionList> versions() const;

 private:
  LanceTable(std::unique_ptr<storage::ObjectStore> store, const LanceTableOptions& options)
      : store_(std::move(store)), budget_("--memory", options.memory_bytes) {}

  std::unique_ptr<storage::ObjectStore> store_;
  base::MemoryBudget budget_;
  std::unique_ptr<lance::TableReader> reader_;
};

}  // namespace weft::engine

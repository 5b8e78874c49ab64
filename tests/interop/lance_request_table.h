// What requests about tables share: words, and a table with what writing it takes.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/interop/lance_requests.h"
#include "tests/interop/lance_wire.h"

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/storage/local_store.h"

namespace weft::interop {

using lance::Snapshot;
using lance::StagedTransaction;

inline constexpr uint64_t kAttemptsMax = 1000;

inline uint64_t number(const std::string& word) {
  return std::strtoull(word.c_str(), nullptr, 10);
}
inline std::string text(const std::string& word) {
  return word == "-" ? "" : from_hex(word);
}
inline std::vector<std::string> names(const std::string& word) {
  std::vector<std::string> out;
  for (size_t from = 0; word != "-" && from <= word.size();) {
    const size_t end = std::min(word.find(',', from), word.size());
    out.push_back(from_hex(word.substr(from, end - from)));
    from = end + 1;
  }
  return out;
}

// A table, open, and what writing it takes.
struct Table {
  base::SystemClock clock;
  base::Random random = base::Random::from_system();
  base::ThreadPool executor{2};
  std::unique_ptr<storage::ObjectStore> store;
  lance::TableLocation location;

  lance::RowOptions options() {
    lance::RowOptions made;
    made.stage.clock = &clock;
    made.stage.random = &random;
    made.write.executor = &executor;
    made.read.executor = &executor;
    return made;
  }
  Status commit(const std::function<Result<StagedTransaction>(const Snapshot&)>& stage) {
    WEFT_TRY(const lance::CommitResult result,
             lance::commit_rows(location, {options().stage, 100, true}, kAttemptsMax, stage));
    if (result.outcome != lance::CommitOutcome::kCommitted) {
      return Error(ErrorKind::kConflict, std::string(result.reason))
          .with("version", result.other_version)
          .with("operation", result.other_operation);
    }
    print_ok(std::to_string(result.snapshot->version()));
    return {};
  }
  Result<Snapshot> at(const std::string& version) const {
    if (version == "-") {
      return lance::open_latest(location);
    }
    Result<Snapshot> found = lance::open_version(location, number(version));
    return found.ok() ? std::move(found)
                      : lance::open_version(location, number(version), lance::Naming::kV1);
  }
};

inline Result<std::unique_ptr<Table>> open_table(const Words& words, bool create = false) {
  auto table = std::make_unique<Table>();
  WEFT_TRY(table->store, storage::open_local_store(from_hex(words[1]), {.create_folder = create}));
  table->location.store = table->store.get();
  table->location.branch = text(words[2]);
  return table;
}

struct Rows {
  std::vector<lance::layout::SchemaField> fields;
  std::vector<columns::Batch> batches;
};

// Reads all that follows the line, whatever is wrong with it.
inline Result<Rows> read_rows(const std::string& fields, const std::string& batches) {
  Rows rows;
  rows.fields = read_fields(number(fields));
  WEFT_TRY(rows.batches, read_batches(rows.fields, number(batches)));
  return rows;
}

}  // namespace weft::interop

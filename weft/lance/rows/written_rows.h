// Rows that stand in new fragments already (RowWriter), brought into a table: for loads that are
// larger than memory, and that are staged anew upon another version without being written again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/table/stage.h"

namespace weft::lance {

// Row `position` of all written rows in their order takes the place, the id and the creation of
// the row at `address`.
struct ReplacedRow {
  uint64_t position = 0;
  uint64_t address = 0;
};

struct WrittenRows {
  std::vector<Fragment> fragments;    // ids 0, as RowWriter::finish gives them
  std::vector<StagedObject> held;     // files of theirs that wait
  std::vector<ReplacedRow> replaced;  // ascending by position, no address twice
  std::vector<uint64_t> removed;      // addresses of rows that go, none of them replaced
  // Every row that was there goes.
  bool replaces_all = false;
  std::optional<std::string> inserted_keys;  // KeyFilter::serialize
};

// Errors: kConflict if a row that is replaced is not there (any more); those of reading.
Result<StagedTransaction> stage_written(const Snapshot& base, WrittenRows rows,
                                        const RowOptions& options);

}  // namespace weft::lance

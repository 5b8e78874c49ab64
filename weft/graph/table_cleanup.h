// The part of a cleanup that one table of a graph has. See cleanup.h.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/graph/retained.h"
#include "weft/lance/table/cleanup.h"
#include "weft/storage/object_store.h"

namespace weft::graph {

// By the store's clock: what was put later stays.
struct CleanupTimes {
  base::WallTime put_before;
  base::WallTime kept_before;        // versions that a repair has discarded, or a snapshot kept
  base::WallTime engine_put_before;  // data files of engines
};

struct TableCleanupReport {
  lance::CleanupReport files;
  std::vector<std::string> native_branches;  // removed ones, their files are among the others
};

class TableCleanup {
 public:
  virtual ~TableCleanup() = default;
  // Errors: kCorrupt if a version cannot be read; those of the store.
  virtual Result<TableCleanupReport> run() = 0;
};

// Reads all that published commits need of the table, and removes nothing yet. `retained`: that.
// `ended`: lives of branches of which nothing is needed, those that branched off later before the
// others. `lives`: those that are needed. `objects`: of the whole store, listed before anything
// published was looked at. All of them must outlive the cleanup. Errors: kCorrupt if a version that
// is needed is gone or cannot be read; those of the store.
struct TableCleanupInput {
  const RetainedTable& retained;
  const std::vector<std::string>& ended;
  const std::set<std::string>& lives;
  const CleanupTimes& times;
  const std::vector<storage::ObjectInfo>& objects;
  bool dry_run = false;
};
Result<std::unique_ptr<TableCleanup>> prepare_table_cleanup(const lance::TableLocation& table,
                                                            const TableCleanupInput& input);

}  // namespace weft::graph

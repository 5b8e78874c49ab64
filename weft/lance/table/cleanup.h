// Removes what no version that is kept can reach. Protocol: docs/protocols/lance-tables.md,
// "Cleanup".
//
// X1  A file that a kept version names is never removed, whichever branch, tag or detached version
//     keeps that version, and however old the file is. (test: against a reachability oracle)
// X2  Kept are, of main and of every branch: the latest version, tagged versions, versions another
//     branch starts from, versions inside the retention window, and those asked for; and every
//     detached version but those that the caller gives up by number.
// X3  Age alone removes nothing, and youth spares everything: what was put less than `grace` ago,
// by
//     the store's clock, stays, as it may belong to an operation that is not published yet.
// X4  If a version, tag or branch cannot be read, nothing is removed: kCorrupt names it.
// X5  Only names that tables give to their files are touched; folders of others stay.
// X6  Manifests go first, oldest first, then files: after a stop at any point every version that is
//     still there is whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

struct CleanupOptions {
  // Versions whose manifest says it is not older than this are kept.
  base::WallTime keep_since;
  // Nothing put after this, by the store's clock, is removed.
  base::WallTime put_before;
  // By folder of main or branch ("" or its name) and version.
  std::set<std::pair<std::string, uint64_t>> keep_versions;
  // Detached versions that nobody needs any more, the same way.
  std::set<std::pair<std::string, uint64_t>> drop_detached;
  // Other versions of the same kind, however young they say they are; but see X2 for those that are
  // kept for a reason.
  std::set<std::pair<std::string, uint64_t>> drop_versions;
  // Branches that are as if they were not there: neither kept nor removed.
  std::set<std::string> ignore_branches;
  // Data files that engines wrote may belong to a commit of theirs that takes longer: removed only
  // if put before this. Nothing: as all others.
  std::optional<base::WallTime> engine_put_before;
  // Files of a layer above: whether a name below the table's folder is one, and which of them, by
  // their names in the store, a version needs. Both or none.
  std::function<bool(std::string_view inside)> is_extra;
  std::function<Result<std::vector<std::string>>(const Snapshot&)> extra_files;
  bool dry_run = false;
};

struct CleanupReport {
  uint64_t versions_kept = 0;
  uint64_t detached_kept = 0;
  std::vector<std::string> removed;  // names in the store, in the order of removal
  uint64_t removed_bytes = 0;
};

// Cleans main and all branches of the table at `table` (its branch is ignored).
// Errors: kCorrupt; those of the store.
Result<CleanupReport> clean_table(const TableLocation& table, const CleanupOptions& options);

// The names in the store of every file that this version needs: data files with the folders of
// their blob sidecars (names that end in '/'), deletion files and their kept copies, the
// transaction, folders of indices.
Result<std::vector<std::string>> reachable_files(const Snapshot& snapshot);

}  // namespace weft::lance

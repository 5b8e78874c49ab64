// Removes what no published commit of a graph needs: what writers staged and never published, what
// killed processes left, branches that were deleted long ago, and native branches of tables that
// weft made as guards and that guard nothing any more.
//
// U1  No published commit of main, of a branch that goes on, or of one that ended within the
//     retention loses a byte, however old it is, and neither does a version that other Lance
//     readers see at the head of a table or of a native branch, or a tagged one.
// U2  Age alone removes nothing, and youth spares everything: what was put within the last
//     `grace_us`, by the store's clock, may belong to a write that is not published yet. A write is
//     abandoned after half of that (txn::kWriterLifetimeUs).
// U3  If anything that was published cannot be read, nothing is removed: kCorrupt names it. (A
//     version of others that cannot be read stops the cleanup of its table.)
// U4  Stopped anywhere it has cost nothing, and the next run does the rest.
// U5  Only names that graphs and tables give to their files are touched.
// Of a deleted branch there stay its refs and the last version of its catalog, which says that it
// ended. Protocol: docs/protocols/write.md, "Cleanup".
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/authority.h"
#include "weft/graph/snapshot.h"
#include "weft/txn/write.h"

namespace weft::graph {

inline constexpr int64_t kCleanupGraceUs = 2 * txn::kWriterLifetimeUs;
inline constexpr int64_t kCleanupKeepUs = int64_t{7} * 24 * 3600 * 1'000'000;
// Unnamed data files of engines stay at least so long: their writers know no lifetime.
inline constexpr int64_t kEngineGraceUs = int64_t{7} * 24 * 3600 * 1'000'000;

struct CleanupRequest {
  // How long deleted branches stay, versions of others that were discarded, and versions that
  // were kept for other Lance readers.
  int64_t keep_us = kCleanupKeepUs;
  // Less only where nobody writes.
  int64_t grace_us = kCleanupGraceUs;
  // Tells what would go, and writes nothing.
  bool dry_run = false;
};

struct CleanupReport {
  uint64_t commits_kept = 0;
  std::vector<std::string> removed;  // names in the store, in the order of removal
  uint64_t removed_bytes = 0;
  // Native branches of tables among them, "People….lance@weft-keep.3.…".
  std::vector<std::string> native_branches;
  std::vector<std::string> ended;  // lives of deleted branches whose rows are gone now
};

// Of the whole graph, all branches. Errors: kInvalid: times below zero; kDenied; kNotFound: no
// graph; kUnsupported: a store that does not tell when objects were put; kCorrupt; kCancelled;
// those of the store.
Result<CleanupReport> clean_graph(const catalog::CatalogPlace& place, const Authority& authority,
                                  const CleanupRequest& request, const std::stop_token& stop);

}  // namespace weft::graph

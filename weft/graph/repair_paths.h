// After a graph was copied or moved: its branches, for other programs.
//
//     WEFT_TRY(const auto moved, plan_repair_paths(place, stop));      // looks
//     WEFT_TRY(const auto repaired, repair_paths(place, {"ana", policy}, {}, stop));
//
// A native branch of a table names the table that it inherits from by its absolute place, as the
// format wants it. Weft reads a copy from the copy all the same; an engine that opens a branch of
// the copy looks where the original was.
//
// M1  Each branch that goes on and has such tables gets one commit, of kind "rebase": it changes no
//     rows. The versions that it makes say where the graph lies now, and become the heads.
// M2  Versions before them stay as they are: an engine that asks for an old version of a branch
//     still looks where the original was.
// M3  Where nothing has moved nothing is written.
// Main's tables name no places and need no repair.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/authority.h"
#include "weft/graph/snapshot.h"
#include "weft/txn/write.h"

namespace weft::graph {

struct MovedTable {
  std::string type;
  bool is_edge = false;
  std::string path;                // below the graph's root
  std::vector<std::string> named;  // the places that its newest version names
  std::vector<std::string> here;   // where they lie now, in the same order
};

struct MovedBranch {
  std::string branch;
  std::vector<MovedTable> tables;       // at least one
  std::optional<txn::Receipt> receipt;  // of repair_paths
};

// Branches that go on with tables that name other places than those where they lie, by name.
// Errors: those of reading.
Result<std::vector<MovedBranch>> plan_repair_paths(const catalog::CatalogPlace& place,
                                                   const std::stop_token& stop);

// One commit for each of them; the policy is asked once, as for main. What was repaired before an
// error stays repaired, and the rest is done when it is asked for again. Errors: kDenied;
// kConflict: a table has rows of others, which are to be repaired first (repair.h); those of
// txn::write.
Result<std::vector<MovedBranch>> repair_paths(const catalog::CatalogPlace& place,
                                              const Authority& authority,
                                              const std::string& message,
                                              const std::stop_token& stop);

}  // namespace weft::graph

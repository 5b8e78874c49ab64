// What the published commits of a graph need: the roots of a cleanup.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/catalog/branches.h"
#include "weft/catalog/catalog.h"

namespace weft::graph {

// Of one table: versions under their detached names, each with the native branch ("": main) in
// whose folder it stands.
using DetachedVersions = std::set<std::pair<std::string, uint64_t>>;
struct RetainedTable {
  DetachedVersions pins;
  DetachedVersions bases;  // what pins were staged upon; may be gone
};

// A branch that was deleted so long ago that nothing of it is needed, but its last version, which
// says so.
struct EndedLife {
  catalog::BranchLife life;
  uint64_t last_version = 0;
  std::vector<uint64_t> versions;  // of its own chain, without the last
};

struct Retained {
  uint64_t commits = 0;                         // versions of the catalog, each once
  std::map<std::string, RetainedTable> tables;  // by path
  std::set<std::string> schemas;                // paths
  std::vector<EndedLife> ended;                 // those that branched off later before the others
  std::set<std::string> lives;                  // the others
};

// Reads every version of the catalog of main, of every branch that goes on, of those that ended
// (by the store's clock) after `ended_since`, and of those that one of these branched off from.
// Errors: kCorrupt names what cannot be read; those of the store.
Result<Retained> find_retained(const catalog::CatalogPlace& place, base::WallTime ended_since);

}  // namespace weft::graph

// Under which native branch and number other Lance readers open the table of a snapshot, and how
// one that they cannot open any more is made open to them.
#pragma once

#include <cstdint>
#include <string>

#include "weft/base/result.h"
#include "weft/graph/authority.h"
#include "weft/graph/snapshot.h"

namespace weft::graph {

inline constexpr std::string_view kSnapshotPrefix = "weft-snapshot.";

struct LanceVersion {
  std::string native_branch;  // "": main
  uint64_t version = 0;
  // What stands there is what the catalog pins. If not: it was not followed yet, an engine's
  // cleanup has removed it, or another program has taken the number.
  bool is_there = false;
};
// Errors: those of the store.
Result<LanceVersion> find_lance_version(const TypeTable& table);

// The same; if it is not there, a native branch "weft-snapshot.<version>.…" of the table is made of
// it, which shares all rows with it and stays until a cleanup finds it old enough (cleanup.h).
// Errors: kDenied; kCorrupt: the published version is gone; those of the store.
Result<LanceVersion> keep_lance_version(const catalog::CatalogPlace& place,
                                        const Authority& authority, const TypeTable& table);

}  // namespace weft::graph

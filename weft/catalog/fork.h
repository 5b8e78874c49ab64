// The first version of a table in the life of a branch: a native branch of the table that inherits
// the version that the branch saw. Whoever makes it makes the same bytes, so that several may.
#pragma once

#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/catalog/catalog.h"

namespace weft::catalog {

struct Fork {
  // The version under its old number, at the place where the branch goes on. As if it were there.
  lance::Snapshot snapshot;
  // It and its ref, in this order: to be put before what is staged upon it.
  std::vector<lance::StagedObject> objects;
};

// The native branch `name` that begins with `version`, as if made at `time`. Errors: as fork_of.
Result<Fork> beginning_of(const lance::Snapshot& version, const std::string& name,
                          base::WallTime time);

// `version` is of another life than the place's. Errors: kInvalid: a store without an absolute
// path; those of reading the ref that it comes from.
Result<Fork> fork_of(const CatalogPlace& place, const lance::Snapshot& version);

}  // namespace weft::catalog

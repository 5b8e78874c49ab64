// The absolute places by which versions of native branches name what they inherit.
// Source: the Lance format, BasePath; docs/formats/lance.md.
#pragma once

#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

// The absolute place of a table or branch, as base paths hold it. Errors: kInvalid: the store was
// not opened by an absolute path.
Result<std::string> absolute_place(const TableLocation& location);

// The base paths of a branch's version as they would be were it made where the table lies now:
// those that name the table's own folders, by a path that a copy or a move has left behind, name
// them where they are. Weft reads the branch either way (Snapshot::base_folder); engines follow the
// path. Errors: as absolute_place.
Result<std::vector<BasePath>> base_paths_here(const Snapshot& version);

}  // namespace weft::lance

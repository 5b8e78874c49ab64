// Copies of small files under `_weft/`, which no engine cleans.
#pragma once

#include "weft/base/result.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

// Puts back what an engine's cleanup took and the version needs, deletion files and its
// transaction. Errors: those of the store.
Status restore_kept(const Snapshot& snapshot);

}  // namespace weft::lance

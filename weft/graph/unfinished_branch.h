// What first writes of a branch that ended before they were published left in its native branches.
#pragma once

#include <vector>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/lance/table/snapshot.h"
#include "weft/storage/object_store.h"

namespace weft::graph {

// Those of `objects` (ascending by name) that lie in the folder of the native branch at `place`,
// were not put after `put_before`, and that nobody needs who makes the branch next. He takes what
// is there of its beginning, which is the same whoever makes it (catalog/fork.h), for his own,
// however old it is: versions under a number with what they name, and the transaction of the
// beginning. Errors: kCorrupt; those of the store.
Result<std::vector<storage::ObjectInfo>> left_by_first_writes(
    const lance::TableLocation& place, const std::vector<storage::ObjectInfo>& objects,
    base::WallTime put_before);

}  // namespace weft::graph

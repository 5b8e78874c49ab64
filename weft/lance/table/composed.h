// One version of what several operations have made of a table together.
#pragma once

#include "weft/base/result.h"
#include "weft/lance/table/stage.h"

namespace weft::lance {

// The operations were staged one behind the other, each upon the one before as if that had the
// base's number; `last` has all that they did. The same version with one transaction that says what
// became of `base`, without a filter of keys. It has no objects but its own.
Result<StagedTransaction> stage_composed(const Snapshot& base, const StagedTransaction& last,
                                         const StageOptions& options);

}  // namespace weft::lance

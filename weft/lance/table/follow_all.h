// Heads of versions that were staged just now, all at once.
#pragma once

#include <vector>

#include "weft/base/result.h"
#include "weft/lance/table/stage.h"

namespace weft::lance {

// As follow(), for versions that lie beside their tables: nothing of them is read, and all heads go
// under one barrier. Deletion files that an engine has cleaned meanwhile are put back. Heads whose
// number is taken are looked at as follow() does.
Result<std::vector<FollowOutcome>> follow_all(const std::vector<const StagedTransaction*>& staged);

}  // namespace weft::lance

// A change that was staged upon one version, done again upon another that holds the same rows.
#pragma once

#include "weft/base/result.h"
#include "weft/lance/rows/row_operations.h"

namespace weft::lance {

// What became of `from` in `to`, staged upon `onto`, which has the rows of `from` though perhaps
// elsewhere (has_same_rows). Data files of `to` are taken over, none is read or written; rows keep
// their ids and the versions that they had, but for those of `to` itself, which become those of the
// new version; the filter of inserted keys goes along. Errors: those of row_change and
// addresses_of.
Result<StagedTransaction> stage_carried_over(const Snapshot& onto, const Snapshot& from,
                                             const Snapshot& to, const StageOptions& options);

}  // namespace weft::lance

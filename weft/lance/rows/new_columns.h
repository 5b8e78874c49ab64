// Columns on their way into a table.
#pragma once

#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

// The fields that `added` becomes in the table, with fresh ids. Errors: kAlreadyExists; kInvalid
// names a column whose name engines refuse.
Result<std::vector<layout::SchemaField>> fields_to_add(const Snapshot& base,
                                                       const columns::Schema& added);

}  // namespace weft::lance

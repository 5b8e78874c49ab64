// From the values and levels of leaves to arrays: nulls, offsets of lists, structs.
#pragma once

#include <span>

#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/columns/batch.h"
#include "weft/lance/read/leaf_output.h"

namespace weft::lance::read {

// The array of a top-level field from the outputs of its leaves (in the order of the paths), which
// all cover the same `row_count` rows. Empties the outputs. Errors: kCorrupt if they do not fit
// together; kLimit if a list with 32-bit offsets would pass them.
Result<columns::ArrayPtr> assemble(const columns::Field& field, std::span<const LeafPath> paths,
                                   std::span<LeafOutput> outputs, uint64_t row_count,
                                   ReadMemory& memory);

}  // namespace weft::lance::read

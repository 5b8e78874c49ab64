// Values of a page that are indices into its dictionary.
#pragma once

#include "weft/base/result.h"
#include "weft/lance/read/leaf_values.h"

namespace weft::lance::read {

// Appends to `out` the item of `dictionary` that each of `indices` (unsigned, of 8, 16, 32 or 64
// bits) names. `out` and `dictionary` have one shape: text, or values of whole bytes. kCorrupt, and
// nothing appended, if an index lies outside of the dictionary.
Status look_up(const LeafValues& indices, const LeafValues& dictionary, LeafValues& out);

}  // namespace weft::lance::read

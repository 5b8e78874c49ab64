// The beginning of a value's place in the order of ORDER BY as a number, for sorts: most pairs are
// told apart by it, without a look at the values.
#pragma once

#include <cstdint>

#include "weft/rdf/value.h"

namespace weft::rdf {

// order_prefix(a) < order_prefix(b) means that order(a, b) is less. Equal ones say nothing.
uint64_t order_prefix(const Value& value);

}  // namespace weft::rdf

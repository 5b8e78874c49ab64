// Arrays made from parts of other arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/columns/array.h"
#include "weft/columns/batch.h"

namespace weft::columns {

// Elements `indices` of `array`, in that order, repeats allowed. Indices must be below the length.
// Errors: kLimit if a type with 32-bit offsets would pass 2^31 - 1 bytes or items.
Result<ArrayPtr> take(const ArrayPtr& array, std::span<const uint64_t> indices);
Result<Batch> take(const Batch& batch, std::span<const uint64_t> indices);

// All elements of all arrays, which have the same type (at least one array). Errors: kLimit as
// above; kInvalid if the types differ.
Result<ArrayPtr> concat(const std::vector<ArrayPtr>& arrays);

// Replaces values by a dictionary of the distinct ones in order of appearance; nulls become null
// indices. Errors: kLimit if there are more distinct values than the index type can number.
Result<ArrayPtr> dictionary_encode(const ArrayPtr& values, const TypePtr& dictionary_type);
// The values a dictionary array stands for.
Result<ArrayPtr> dictionary_decode(const ArrayPtr& array);

}  // namespace weft::columns

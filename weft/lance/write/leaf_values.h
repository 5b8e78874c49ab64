// Copies values of leaf arrays into PageRows.
#pragma once

#include <cstdint>

#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/lance/write/leaf.h"
#include "weft/lance/write/page_rows.h"

namespace weft::lance::write {

// Bytes of the texts [begin, end) of a string or binary array. O(1).
uint64_t text_bytes(const columns::Array& array, size_t begin, size_t end);

// Whether elements of `array` may be null at all; whether one is: dictionaries may point at a null.
bool may_have_nulls(const columns::Array& array);
bool is_null_value(const columns::Array& array, size_t index);

// Appends the values of elements [begin, end) to `rows.values` (and offsets, item_validity), with
// nothing where an element is null. Events are the caller's. Errors: as shred; kInvalid for an
// index beyond its dictionary.
Status append_values(const columns::Array& array, const Leaf& leaf, size_t begin, size_t end,
                     PageRows& rows);

// A slot without a value: below a null struct.
void append_empty_slot(const Leaf& leaf, PageRows& rows);

}  // namespace weft::lance::write

// Takes columns apart into the leaves of a file: rows of a top-level array become events and values
// appended to PageRows.
#pragma once

#include <cstdint>

#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/lance/write/leaf.h"
#include "weft/lance/write/page_rows.h"

namespace weft::lance::write {

// Of the rows from `begin` to `end` of a top-level array, how many come into a page that has room
// for `room` more bytes: all up to and including the one that fills it. `used` are the bytes they
// take, as pages count them; at least one row if there is any. O(depth * log rows).
struct RowShare {
  size_t row_count = 0;
  uint64_t used = 0;
};
RowShare rows_that_fill(const columns::Array& column, const Leaf& leaf, size_t begin, size_t end,
                        uint64_t room);

// Appends rows [begin, end). Errors: kInvalid names a field that is not nullable and has a null;
// kUnsupported a null inside a nested fixed-size list; kLimit a value beyond value_bytes_max.
// Afterwards `rows` may hold a part of them.
Status shred(const columns::Array& column, const Leaf& leaf, size_t begin, size_t end,
             PageRows& rows);

}  // namespace weft::lance::write

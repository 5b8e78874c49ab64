// Finds out whether the values of a page are few, and numbers them if so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/write/encoded_page.h"
#include "weft/lance/write/page_rows.h"

namespace weft::lance::write {

// More distinct values than this are not collected.
inline constexpr uint64_t kDictionaryItemsMax = 65536;
// A dictionary of more bytes is not made: readers hold it all for one row.
inline constexpr uint64_t kDictionaryBytesMax = uint64_t{4} << 20U;

struct DistinctValues {
  // Of each slot the number of its value, in order of appearance. Null slots have 0. Four bytes
  // each, or what the type of a dictionary column says.
  std::vector<uint8_t> indices;
  // Of each value, the first slot that has it.
  std::vector<uint64_t> slots;
  uint64_t bytes = 0;  // of the values
};

// `slot_nulls` is empty or says of each slot whether it is null. Nothing if there are fewer than a
// hundred values, or so many distinct ones that a dictionary cannot win: unique values are known
// for what they are after some thousand.
std::optional<DistinctValues> distinct_values(const PageRows& rows, const ValueShape& shape,
                                              std::span<const uint8_t> slot_nulls);
// The same however many there are, for columns that must have a dictionary; indices have
// shape.index_bits. Errors: kLimit if these cannot number the values.
Result<DistinctValues> all_distinct_values(const PageRows& rows, const ValueShape& shape,
                                           std::span<const uint8_t> slot_nulls);

// The values in the form of the file, compressed in 2.2.
PageDictionary page_dictionary(const PageRows& rows, const ValueShape& shape,
                               const DistinctValues& values, layout::FileVersion version);

}  // namespace weft::lance::write

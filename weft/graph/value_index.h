// Indices of a table over values: one for each @unique, and of edges whose number is bounded one
// over their sources. They say which rows may have a value, by reading little, whatever the size of
// the table. Format and growth: docs/formats/key-index.md, "Indices over values".
//
// U1  A row that is changed keeps its row id and gets an entry for its new value; the old entry
//     stays. So what an index finds is looked at, and rows that have another value now are left
//     out.
// U2  Rows that an index does not cover (appended by other programs, or of before there was an
//     index) are read.
// U3  Where an index finds so many rows that reading them all costs less, all are read.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/key_index.h"
#include "weft/graph/row_index.h"
#include "weft/graph/snapshot.h"

namespace weft::graph {

// The entry of the configuration of an index over these columns: by the ids of their fields, which
// a table never uses twice. Errors: kInternal: no such column.
Result<std::string> value_index_entry(const lance::Snapshot& snapshot,
                                      const std::vector<std::string>& columns);

// A live row whose values are wanted.
struct ValueRow {
  uint32_t wanted = 0;  // the row of the RowIndex
  uint64_t address = 0;
  // The columns asked for, then the id; row `at` of the batch.
  const columns::Batch& batch;
  size_t at = 0;
};

// How digests of values are made: of a tuple (@unique), or of one id (a source).
enum class ValueDigest : uint8_t { kTuple, kId };

// Calls use() for each row whose values of `columns` are among `wanted` (built).
Status find_by_value(const TypeTable& table, const std::vector<std::string>& columns,
                     ValueDigest digest, const RowIndex& wanted,
                     const std::function<Status(const ValueRow&)>& use,
                     const std::stop_token& stop);

}  // namespace weft::graph

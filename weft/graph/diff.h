// How two states of a property graph differ: rows that one has and the other has not, and cells.
//
// D1  Work and memory follow what differs in the tables' fragments: of fragments that both states
//     have nothing is read, of those with other deleted rows only these. (A compaction of one side
//     makes its table look different as a whole; the answer is the same.)
// D2  Rows are told apart by type and id. Types come in the order of the schema's names, nodes
//     first, rows by id (by bytes).
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/graph/snapshot.h"

namespace weft::graph {

enum class RowDifferenceKind : uint8_t { kAdded, kRemoved, kChanged };
std::string_view row_difference_name(RowDifferenceKind kind);  // "added", "removed", "changed"

// Valid during the call.
struct RowDifference {
  RowDifferenceKind kind = RowDifferenceKind::kAdded;
  const TypeTable* table = nullptr;
  std::string_view id;
  // The row with all columns; null where there is none.
  const columns::Batch* before = nullptr;
  size_t before_row = 0;
  const columns::Batch* after = nullptr;
  size_t after_row = 0;
  // kChanged: positions of the columns whose values differ.
  std::vector<size_t> cells;
};

// More rows in fragments that differ are kLimit.
inline constexpr uint64_t kDiffRowsMax = 16'000'000;

// Errors: kUnsupported: a type has other columns in the two states; kLimit; kCancelled; those of
// reading and of `take`.
Status diff_graphs(const GraphSnapshot& from, const GraphSnapshot& to,
                   const std::function<Status(const RowDifference&)>& take,
                   const std::stop_token& stop, uint64_t rows_max = kDiffRowsMax);

// The same for two versions of one table, whatever the catalog says of them.
Status diff_tables(const TypeTable& from, const TypeTable& to,
                   const std::function<Status(const RowDifference&)>& take,
                   const std::stop_token& stop, uint64_t rows_max = kDiffRowsMax);

}  // namespace weft::graph

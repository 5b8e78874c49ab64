// Rows of term numbers, and sorting them in memory.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::rete::build {

// A row of N columns, packed. In the default graph: subject, predicate, object; with a named graph:
// graph, subject, predicate, object.
template <size_t N>
struct Row {
  std::array<uint32_t, N> at;
  friend auto operator<=>(const Row&, const Row&) = default;
};
static_assert(sizeof(Row<3>) == 12 && sizeof(Row<4>) == 16);

// A column to sort by, and the range its values lie in (both ends included).
struct SortColumn {
  size_t column = 0;
  uint32_t value_min = 0;
  uint32_t value_max = UINT32_MAX;
};

// Sorts `rows` stably by `columns`, the first one leading. `scratch` has the same size; the result
// is in `rows`. Radix sort, least significant digit first: the time depends on the ranges.
template <size_t N>
void sort_rows(std::span<Row<N>> rows, std::span<Row<N>> scratch,
               std::span<const SortColumn> columns);

extern template void sort_rows<2>(std::span<Row<2>>, std::span<Row<2>>,
                                  std::span<const SortColumn>);
extern template void sort_rows<3>(std::span<Row<3>>, std::span<Row<3>>,
                                  std::span<const SortColumn>);
extern template void sort_rows<4>(std::span<Row<4>>, std::span<Row<4>>,
                                  std::span<const SortColumn>);

}  // namespace weft::rete::build

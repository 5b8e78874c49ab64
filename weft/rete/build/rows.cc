#include "weft/rete/build/rows.h"

#include <algorithm>
#include <bit>

namespace weft::rete::build {
namespace {

// Larger digits mean fewer passes, but more places written to at once than a first-level cache and
// the page tables' cache hold.
constexpr unsigned kDigitBitsMax = 9;

template <size_t N>
void scatter(std::span<const Row<N>> from, std::span<Row<N>> to, const SortColumn& column,
             unsigned shift, unsigned bits, std::span<uint32_t> places) {
  const uint32_t mask = (uint32_t{1} << bits) - 1;
  for (const Row<N>& row : from) {
    const uint32_t digit = ((row.at[column.column] - column.value_min) >> shift) & mask;
    to[places[digit]++] = row;
  }
}

// Turns counts into the places of the first row of each digit. False if all rows have one digit.
bool place(std::span<uint32_t> counts, size_t row_count) {
  uint32_t place = 0;
  for (uint32_t& count : counts) {
    if (count == row_count) {
      return false;
    }
    const uint32_t next = place + count;
    count = place;
    place = next;
  }
  return true;
}

}  // namespace

template <size_t N>
void sort_rows(std::span<Row<N>> rows, std::span<Row<N>> scratch,
               std::span<const SortColumn> columns) {
  const std::span<Row<N>> result = rows;
  std::array<uint32_t, size_t{1} << kDigitBitsMax> counts{};
  for (size_t i = columns.size(); i-- > 0;) {
    const SortColumn& column = columns[i];
    const auto width = static_cast<unsigned>(std::bit_width(column.value_max - column.value_min));
    const unsigned passes = (width + kDigitBitsMax - 1) / kDigitBitsMax;
    if (passes == 0) {
      continue;
    }
    const unsigned bits = (width + passes - 1) / passes;
    for (unsigned pass = 0; pass < passes; ++pass) {
      const unsigned shift = pass * bits;
      const std::span<uint32_t> digits(counts.data(), size_t{1} << bits);
      std::fill(digits.begin(), digits.end(), 0);
      const uint32_t mask = (uint32_t{1} << bits) - 1;
      for (const Row<N>& row : rows) {
        ++digits[((row.at[column.column] - column.value_min) >> shift) & mask];
      }
      if (place(digits, rows.size())) {
        scatter<N>(rows, scratch, column, shift, bits, digits);
        std::swap(rows, scratch);
      }
    }
  }
  if (rows.data() != result.data()) {
    std::copy(rows.begin(), rows.end(), result.begin());
  }
}

template void sort_rows<2>(std::span<Row<2>>, std::span<Row<2>>, std::span<const SortColumn>);
template void sort_rows<3>(std::span<Row<3>>, std::span<Row<3>>, std::span<const SortColumn>);
template void sort_rows<4>(std::span<Row<4>>, std::span<Row<4>>, std::span<const SortColumn>);

}  // namespace weft::rete::build

// Rows as columns of term ids: what operators hand to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/rdf/ids.h"

namespace weft::exec {

// Rows that an operator aims at per batch. A batch may hold more (a join may not stop in the middle
// of a key), but never more than a small multiple.
inline constexpr size_t kBatchRows = 2048;

using Column = std::vector<rdf::TermId>;

// Columns of equal length; kNoTerm is an unbound variable. `rows` counts even where there is no
// column at all (the solution without variables).
struct RowBatch {
  std::vector<Column> columns;
  size_t rows = 0;

  // `width` empty columns; keeps the memory of columns that are there.
  void reset(size_t width) {
    columns.resize(width);
    for (Column& column : columns) {
      column.clear();
    }
    rows = 0;
  }
  bool empty() const { return rows == 0; }
  // Keeps the rows whose `keep` is not zero. `keep` has one entry per row.
  void filter(std::span<const uint8_t> keep);
  // Appends row `row` of `from`, column by column; the widths are equal.
  void append_row(const RowBatch& from, size_t row);
  // Removes rows in front and at the end: keeps [first, first + count).
  void slice(size_t first, size_t count);
  uint64_t memory_bytes() const;
};

}  // namespace weft::exec

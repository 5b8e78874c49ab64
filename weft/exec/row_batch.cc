#include "weft/exec/row_batch.h"

namespace weft::exec {

void RowBatch::filter(std::span<const uint8_t> keep) {
  size_t kept = 0;
  for (const uint8_t k : keep) {
    kept += k != 0 ? 1 : 0;
  }
  if (kept == rows) {
    return;
  }
  for (Column& column : columns) {
    size_t out = 0;
    for (size_t row = 0; row < rows; ++row) {
      column[out] = column[row];
      out += keep[row] != 0 ? 1 : 0;
    }
    column.resize(kept);
  }
  rows = kept;
}

void RowBatch::append_row(const RowBatch& from, size_t row) {
  for (size_t c = 0; c < columns.size(); ++c) {
    columns[c].push_back(from.columns[c][row]);
  }
  ++rows;
}

void RowBatch::slice(size_t first, size_t count) {
  for (Column& column : columns) {
    column.erase(column.begin() + static_cast<std::ptrdiff_t>(first + count), column.end());
    column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(first));
  }
  rows = count;
}

uint64_t RowBatch::memory_bytes() const {
  uint64_t bytes = 0;
  for (const Column& column : columns) {
    bytes += column.capacity() * sizeof(rdf::TermId);
  }
  return bytes;
}

}  // namespace weft::exec

// Rows that an operator keeps, as columns, under the query's budget.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weft/base/result.h"
#include "weft/exec/memory_charge.h"
#include "weft/exec/row_batch.h"

namespace weft::exec {

// Not thread-safe. `budget` must outlive it.
class RowStore {
 public:
  RowStore(size_t width, base::MemoryBudget* budget) : charge_(budget) { rows_.reset(width); }

  // Rows [first, first + count) of `batch`, which has the store's columns. Errors: kLimit.
  Status append(const RowBatch& batch, size_t first, size_t count);
  Status append(const RowBatch& batch) { return append(batch, 0, batch.rows); }

  const RowBatch& rows() const { return rows_; }
  RowBatch& rows() { return rows_; }
  size_t size() const { return rows_.rows; }
  // Forgets the rows; keeps the memory.
  void clear() { rows_.reset(rows_.columns.size()); }

 private:
  MemoryCharge charge_;
  RowBatch rows_;
  size_t capacity_ = 0;
};

}  // namespace weft::exec

#include "weft/exec/row_store.h"

namespace weft::exec {
namespace {
constexpr size_t kRowsMin = 64;
// Row numbers are kept in 32 bits by those who index a store.
constexpr size_t kRowsMax = UINT32_MAX - 1;
}  // namespace

Status RowStore::append(const RowBatch& batch, size_t first, size_t count) {
  const size_t wanted = rows_.rows + count;
  if (wanted > kRowsMax) {
    return Error(ErrorKind::kLimit, "too many rows in one join or sort").with("rows_max", kRowsMax);
  }
  if (wanted > capacity_) {
    const size_t capacity = std::max({wanted, capacity_ * 2, kRowsMin});
    WEFT_TRY_STATUS(charge_.cover(capacity * rows_.columns.size() * sizeof(rdf::TermId)));
    for (Column& column : rows_.columns) {
      column.reserve(capacity);
    }
    capacity_ = capacity;
  }
  for (size_t c = 0; c < rows_.columns.size(); ++c) {
    const auto begin = batch.columns[c].begin() + static_cast<std::ptrdiff_t>(first);
    rows_.columns[c].insert(rows_.columns[c].end(), begin,
                            begin + static_cast<std::ptrdiff_t>(count));
  }
  rows_.rows = wanted;
  return ok_status();
}

}  // namespace weft::exec

// Sorts any number of rows within a bounded memory: rows are dealt into buckets by ranges of the
// leading column, buckets that grow too large together go to a scratch file, and bucket after
// bucket is then sorted in memory, several at once. A bucket of one single value (a hub) has no
// size limit: its rows are in order already, or are sorted by the next column the same way.
//
// The sort is stable: rows that arrive in another order's sequence need only the columns by which
// the new order differs. (docs/formats/segment-building.md, "Six orders from one")
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/pages.h"
#include "weft/rete/build/rows.h"
#include "weft/rete/build/spool.h"

namespace weft::rete::build {

// Takes rows in order.
template <size_t N>
using TakeRows = std::function<Status(std::span<const Row<N>>)>;

// How many rows have which value of one column, by equal slices of its range.
class ColumnHistogram {
 public:
  ColumnHistogram(uint32_t value_min, uint32_t value_max);
  void add(uint32_t value) { ++counts_[(value - value_min_) >> shift_]; }
  uint32_t value_min() const { return value_min_; }
  uint32_t value_max() const { return value_max_; }
  unsigned shift() const { return shift_; }
  std::span<const uint64_t> counts() const { return counts_; }

 private:
  uint32_t value_min_;
  uint32_t value_max_;
  unsigned shift_ = 0;
  std::vector<uint64_t> counts_;
};

template <size_t N>
class RowSorter {
 public:
  // `columns`: by what to sort, leading one first, with their ranges. `histogram` is of the leading
  // column; it may count rows that never come (duplicates). `space` must outlive the sorter.
  // `unique`: equal rows are emitted once (columns must then be all columns).
  RowSorter(std::vector<SortColumn> columns, const ColumnHistogram& histogram, bool unique,
            const BuildSpace& space);

  Status accept(std::span<const Row<N>> rows);
  // Hands all rows over in order; the sorter is then empty.
  Status emit(const TakeRows<N>& take);

 private:
  struct Bucket {
    uint32_t value_min = 0;
    uint32_t value_max = 0;
    uint64_t row_count = 0;
    PageArray<Row<N>> rows;
    std::vector<Extent> extents;  // before `rows`
  };

  void make_buckets(const ColumnHistogram& histogram);
  Status spill();
  Status load_and_sort(Bucket& bucket);
  Status emit_large(Bucket& bucket, const TakeRows<N>& take);
  Status for_each_piece(Bucket& bucket, const TakeRows<N>& take);

  std::vector<SortColumn> columns_;
  bool unique_;
  const BuildSpace* space_;
  uint32_t value_min_;
  unsigned shift_;
  std::vector<uint16_t> bucket_of_slice_;
  std::vector<Bucket> buckets_;
  uint64_t memory_rows_ = 0;
  std::unique_ptr<SharedScratchFile> file_;
};

extern template class RowSorter<2>;
extern template class RowSorter<3>;
extern template class RowSorter<4>;

}  // namespace weft::rete::build

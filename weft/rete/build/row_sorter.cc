#include "weft/rete/build/row_sorter.h"

#include <algorithm>
#include <bit>

namespace weft::rete::build {
namespace {

constexpr unsigned kSliceBits = 14;
constexpr size_t kBucketsMax = 512;
// Rows and scratch space of a bucket of this size stay in a second-level cache.
constexpr uint64_t kBucketBytes = uint64_t{512} << 10U;
constexpr uint64_t kExtentBytesMin = uint64_t{64} << 10U;

}  // namespace

ColumnHistogram::ColumnHistogram(uint32_t value_min, uint32_t value_max)
    : value_min_(value_min), value_max_(std::max(value_min, value_max)) {
  const auto bits = static_cast<unsigned>(std::bit_width(value_max_ - value_min_));
  shift_ = bits > kSliceBits ? bits - kSliceBits : 0;
  counts_.resize((static_cast<size_t>(value_max_ - value_min_) >> shift_) + 1);
}

template <size_t N>
RowSorter<N>::RowSorter(std::vector<SortColumn> columns, const ColumnHistogram& histogram,
                        bool unique, const BuildSpace& space)
    : columns_(std::move(columns)),
      unique_(unique),
      space_(&space),
      value_min_(histogram.value_min()),
      shift_(histogram.shift()) {
  make_buckets(histogram);
}

template <size_t N>
void RowSorter<N>::make_buckets(const ColumnHistogram& histogram) {
  uint64_t total = 0;
  for (const uint64_t count : histogram.counts()) {
    total += count;
  }
  const uint64_t bytes = total * sizeof(Row<N>);
  uint64_t target = std::max(kBucketBytes, bytes / (kBucketsMax / 2));
  if (bytes > space_->sort_bytes) {
    const uint64_t extents = std::max<uint64_t>(space_->sort_bytes / kExtentBytesMin, 4);
    target = std::max(target, bytes / extents);
  }
  const uint64_t rows_target = target / sizeof(Row<N>);
  bucket_of_slice_.resize(histogram.counts().size());
  const auto last = static_cast<uint32_t>(histogram.counts().size() - 1);
  uint64_t open = 0;
  for (uint32_t slice = 0; slice <= last; ++slice) {
    const uint64_t count = histogram.counts()[slice];
    const uint32_t first = value_min_ + (slice << shift_);
    // A heavy slice gets a bucket of its own, so that a hub is alone as soon as slices are values.
    if (buckets_.empty() ||
        (open > 0 && open + count > rows_target && buckets_.size() < kBucketsMax)) {
      buckets_.emplace_back().value_min = first;
      open = 0;
    }
    bucket_of_slice_[slice] = static_cast<uint16_t>(buckets_.size() - 1);
    if (count == 0) {
      continue;
    }
    // From its first slice that has rows to its last: a bucket that is sorted once more over its
    // own range must be narrower than this one, wherever in the range its rows lie.
    if (open == 0) {
      buckets_.back().value_min = first;
    }
    open += count;
    buckets_.back().value_max =
        slice == last ? histogram.value_max() : first + ((uint32_t{1} << shift_) - 1);
  }
}

template <size_t N>
Status RowSorter<N>::accept(std::span<const Row<N>> rows) {
  const size_t column = columns_.front().column;
  for (const Row<N>& row : rows) {
    Bucket& bucket = buckets_[bucket_of_slice_[(row.at[column] - value_min_) >> shift_]];
    bucket.rows.push_back(row);
  }
  memory_rows_ += rows.size();
  if (memory_rows_ * sizeof(Row<N>) > space_->sort_bytes) {
    return spill();
  }
  return ok_status();
}

template <size_t N>
Status RowSorter<N>::spill() {
  if (file_ == nullptr) {
    file_ = std::make_unique<SharedScratchFile>(space_->scratch);
  }
  for (Bucket& bucket : buckets_) {
    if (!bucket.rows.empty()) {
      WEFT_TRY(const Extent extent, file_->append(std::as_bytes(bucket.rows.span())));
      bucket.extents.push_back(extent);
      bucket.row_count += bucket.rows.size();
      bucket.rows.release();
    }
  }
  memory_rows_ = 0;
  return ok_status();
}

template <size_t N>
Status RowSorter<N>::load_and_sort(Bucket& bucket) {
  if (!bucket.extents.empty()) {
    PageArray<Row<N>> all;
    all.reserve(bucket.row_count);
    all.resize(bucket.row_count - bucket.rows.size());
    std::span<std::byte> out = std::as_writable_bytes(all.span());
    for (const Extent& extent : bucket.extents) {
      WEFT_TRY_STATUS(file_->read(extent.offset, out.first(extent.bytes)));
      out = out.subspan(extent.bytes);
    }
    all.append(bucket.rows.span());
    bucket.rows = std::move(all);
    bucket.extents.clear();
  }
  std::vector<SortColumn> columns = columns_;
  columns.front().value_min = bucket.value_min;
  columns.front().value_max = bucket.value_max;
  PageArray<Row<N>> scratch;
  scratch.resize(bucket.rows.size());
  sort_rows<N>(bucket.rows.span(), scratch.span(), columns);
  if (unique_) {
    const std::span<Row<N>> rows = bucket.rows.span();
    bucket.rows.resize(static_cast<size_t>(std::unique(rows.begin(), rows.end()) - rows.begin()));
  }
  return ok_status();
}

template <size_t N>
Status RowSorter<N>::for_each_piece(Bucket& bucket, const TakeRows<N>& take) {
  constexpr size_t kRowsPerPiece = 16384;
  if (!bucket.extents.empty()) {
    ExtentReader reader(*file_, bucket.extents, kRowsPerPiece * sizeof(Row<N>));
    PageArray<Row<N>> piece;
    while (true) {
      WEFT_TRY(const ByteView bytes, reader.read(kRowsPerPiece * sizeof(Row<N>)));
      if (bytes.empty()) {
        break;
      }
      piece.resize(bytes.size() / sizeof(Row<N>));
      std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(piece.span()).begin());
      WEFT_TRY_STATUS(take(piece.span()));
    }
  }
  return take(bucket.rows.span());
}

// A bucket that does not fit in memory: one more round over a finer range, or the next column.
template <size_t N>
Status RowSorter<N>::emit_large(Bucket& bucket, const TakeRows<N>& take) {
  std::vector<SortColumn> columns = columns_;
  columns.front().value_min = bucket.value_min;
  columns.front().value_max = bucket.value_max;
  if (bucket.value_min == bucket.value_max) {
    columns.erase(columns.begin());
    if (columns.empty()) {
      // In order already; with `unique` all rows are equal.
      bool first = true;
      return for_each_piece(bucket, [&](std::span<const Row<N>> rows) -> Status {
        if (rows.empty() || (unique_ && !first)) {
          return ok_status();
        }
        first = false;
        return take(unique_ ? rows.first(1) : rows);
      });
    }
  }
  ColumnHistogram histogram(columns.front().value_min, columns.front().value_max);
  const size_t column = columns.front().column;
  WEFT_TRY_STATUS(for_each_piece(bucket, [&](std::span<const Row<N>> rows) {
    for (const Row<N>& row : rows) {
      histogram.add(row.at[column]);
    }
    return ok_status();
  }));
  RowSorter<N> finer(std::move(columns), histogram, unique_, *space_);
  WEFT_TRY_STATUS(
      for_each_piece(bucket, [&](std::span<const Row<N>> rows) { return finer.accept(rows); }));
  bucket.rows.release();
  return finer.emit(take);
}

template <size_t N>
Status RowSorter<N>::emit(const TakeRows<N>& take) {
  const size_t width = space_->executor.width();
  const uint64_t large_bytes = std::max<uint64_t>(space_->sort_bytes / (2 * width), kBucketBytes);
  for (Bucket& bucket : buckets_) {
    bucket.row_count += bucket.rows.size();
  }
  size_t next = 0;
  while (next < buckets_.size()) {
    if (buckets_[next].row_count * sizeof(Row<N>) > large_bytes) {
      WEFT_TRY_STATUS(emit_large(buckets_[next], take));
      buckets_[next++].rows.release();
      continue;
    }
    size_t end = next;
    uint64_t bytes = 0;
    while (
        end < buckets_.size() && end - next < 4 * width &&
        buckets_[end].row_count * sizeof(Row<N>) <= large_bytes &&
        (end == next || bytes + buckets_[end].row_count * sizeof(Row<N>) <= large_bytes * width)) {
      bytes += buckets_[end++].row_count * sizeof(Row<N>);
    }
    WEFT_TRY_STATUS(space_->executor.for_each(
        end - next, [&](size_t index) { return load_and_sort(buckets_[next + index]); },
        space_->stop));
    for (; next < end; ++next) {
      WEFT_TRY_STATUS(take(buckets_[next].rows.span()));
      buckets_[next].rows.release();
    }
  }
  buckets_.clear();
  file_.reset();
  return ok_status();
}

template class RowSorter<2>;
template class RowSorter<3>;
template class RowSorter<4>;

}  // namespace weft::rete::build

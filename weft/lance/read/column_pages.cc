#include "weft/lance/read/column_pages.h"

#include <algorithm>

namespace weft::lance::read {

Result<std::shared_ptr<ColumnPages>> ColumnPages::make(LeafPath path,
                                                       layout::ColumnDescription description,
                                                       uint64_t row_count, KeptBudget& kept) {
  std::vector<uint64_t> row_ends;
  uint64_t rows = 0;
  for (const layout::PageDescription& page : description.pages) {
    if (page.length > row_count - rows) {
      return page_damaged("the pages of a column have the rows of the file");
    }
    rows += page.length;
    row_ends.push_back(rows);
  }
  if (rows != row_count) {
    return page_damaged("the pages of a column have the rows of the file");
  }
  return std::make_shared<ColumnPages>(std::move(path), std::move(description), std::move(row_ends),
                                       kept);
}

ColumnPages::ColumnPages(LeafPath path, layout::ColumnDescription description,
                         std::vector<uint64_t> row_ends, KeptBudget& kept)
    : path_(std::move(path)),
      description_(std::move(description)),
      row_ends_(std::move(row_ends)),
      kept_(kept),
      pages_(description_.pages.size()) {
  for (const layout::PageDescription& page : description_.pages) {
    for (const layout::Extent& extent : page.buffers) {
      stored_bytes_ += extent.size;
    }
  }
}

ColumnPages::~ColumnPages() {
  const base::MutexLock lock(mutex_);
  kept_.bytes.fetch_sub(pages_bytes_, std::memory_order_relaxed);
}

Result<std::shared_ptr<KeptPage>> ColumnPages::page(size_t index) {
  const base::MutexLock lock(mutex_);
  if (pages_[index] != nullptr) {
    return pages_[index];
  }
  auto made = std::make_shared<KeptPage>(kept_);
  WEFT_TRY(made->page, make_page(path_, description_.pages[index], made->memory));
  const uint64_t bytes = made->page->kept_bytes();
  if (kept_.bytes.load(std::memory_order_relaxed) + bytes > kept_.bytes_max) {
    std::fill(pages_.begin(), pages_.end(), nullptr);
    kept_.bytes.fetch_sub(pages_bytes_, std::memory_order_relaxed);
    pages_bytes_ = 0;
  }
  kept_.bytes.fetch_add(bytes, std::memory_order_relaxed);
  pages_bytes_ += bytes;
  pages_[index] = made;
  return made;
}

Result<ColumnRead> ColumnPages::request(std::span<const IndexRange> rows, ReadMemory& memory) {
  ColumnRead out;
  size_t next = 0;
  uint64_t done = 0;  // rows up to here are taken
  while (next < rows.size()) {
    const uint64_t from = std::max(rows[next].begin, done);
    const auto index = static_cast<size_t>(
        std::upper_bound(row_ends_.begin(), row_ends_.end(), from) - row_ends_.begin());
    if (index == row_ends_.size()) {
      return page_damaged("the pages of a column have the rows of the file");
    }
    const uint64_t begin = index == 0 ? 0 : row_ends_[index - 1];
    const uint64_t end = row_ends_[index];
    std::vector<IndexRange> inside;
    while (next < rows.size() && rows[next].begin < end) {
      const uint64_t range_end = std::min(rows[next].end, end);
      inside.push_back({std::max(rows[next].begin, done) - begin, range_end - begin});
      done = range_end;
      if (rows[next].end > end) {
        break;
      }
      ++next;
    }
    WEFT_TRY(std::shared_ptr<KeptPage> kept, page(index));
    out.requests.push_back(kept->page->request(std::move(inside), memory));
    out.pages.push_back(std::move(kept));
  }
  return out;
}

}  // namespace weft::lance::read

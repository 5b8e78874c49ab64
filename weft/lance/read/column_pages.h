// The pages of one column of a file of version 2.1 or 2.2, opened when they are first needed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/lance/layout/file_layout.h"
#include "weft/lance/read/leaf_output.h"
#include "weft/lance/read/page.h"

namespace weft::lance::read {

// How much pages keep, for all columns of a file together.
struct KeptBudget {
  base::MemoryBudget* budget = nullptr;
  uint64_t page_bytes_max = 0;  // of one page
  uint64_t bytes_max = 0;       // beyond it, a column lets go of its pages
  std::atomic<uint64_t> bytes = 0;
};

// A page and the memory that it keeps.
struct KeptPage {
  explicit KeptPage(const KeptBudget& budget) : memory(budget.budget, budget.page_bytes_max) {}
  ReadMemory memory;
  std::unique_ptr<Page> page;
};

// What reads some rows of one column.
struct ColumnRead {
  std::vector<std::shared_ptr<KeptPage>> pages;  // keeps them alive
  std::vector<std::unique_ptr<PageRequest>> requests;
};

// Thread-safe.
class ColumnPages {
 public:
  // Errors: kCorrupt if the pages do not have `row_count` rows together.
  static Result<std::shared_ptr<ColumnPages>> make(LeafPath path,
                                                   layout::ColumnDescription description,
                                                   uint64_t row_count, KeptBudget& kept);
  ColumnPages(LeafPath path, layout::ColumnDescription description, std::vector<uint64_t> row_ends,
              KeptBudget& kept);
  ~ColumnPages();
  ColumnPages(const ColumnPages&) = delete;
  ColumnPages& operator=(const ColumnPages&) = delete;

  const LeafPath& path() const { return path_; }
  // Bytes of all pages in the file.
  uint64_t stored_bytes() const { return stored_bytes_; }
  // Where each page ends, in rows.
  const std::vector<uint64_t>& row_ends() const { return row_ends_; }

  // `rows` ascend, do not touch, and are rows of the file.
  Result<ColumnRead> request(std::span<const IndexRange> rows, ReadMemory& memory);

 private:
  Result<std::shared_ptr<KeptPage>> page(size_t index);

  const LeafPath path_;
  const layout::ColumnDescription description_;
  const std::vector<uint64_t> row_ends_;
  uint64_t stored_bytes_ = 0;
  KeptBudget& kept_;
  base::Mutex mutex_;
  std::vector<std::shared_ptr<KeptPage>> pages_ WEFT_GUARDED_BY(mutex_);
  uint64_t pages_bytes_ WEFT_GUARDED_BY(mutex_) = 0;
};

}  // namespace weft::lance::read

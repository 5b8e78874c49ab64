// What overlays and scans hold of their memory budget.
#pragma once

#include <cstdint>
#include <utility>

#include "weft/base/budget.h"
#include "weft/base/result.h"

namespace weft::quads {

// Follows the size of a growing structure; gives everything back when destroyed. Not thread-safe.
class MemoryHold {
 public:
  // `budget` must outlive this object.
  explicit MemoryHold(base::MemoryBudget& budget) : budget_(&budget) {}
  MemoryHold(MemoryHold&& other) noexcept
      : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryHold& operator=(MemoryHold&&) = delete;
  MemoryHold(const MemoryHold&) = delete;
  MemoryHold& operator=(const MemoryHold&) = delete;
  ~MemoryHold() { budget_->give_back(bytes_); }

  // Makes sure that `bytes` in total are reserved. Errors: kLimit, which names the remedy.
  Status cover(uint64_t bytes) {
    if (bytes <= bytes_) {
      return ok_status();
    }
    if (!budget_->try_reserve(bytes - bytes_)) {
      return Error(ErrorKind::kLimit, "memory budget exceeded by changes since the last compaction")
          .with("limit_bytes", budget_->limit_bytes())
          .with("used_bytes", budget_->used_bytes())
          .with("wanted_bytes", bytes - bytes_)
          .with("remedy", "`weft manifest compact`, or a larger --memory");
    }
    bytes_ = bytes;
    return ok_status();
  }
  uint64_t bytes() const { return bytes_; }

 private:
  base::MemoryBudget* budget_;
  uint64_t bytes_ = 0;
};

}  // namespace weft::quads

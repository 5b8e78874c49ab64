// What one structure has taken from the query's memory budget.
#pragma once

#include <cstdint>

#include "weft/base/budget.h"
#include "weft/base/result.h"

namespace weft::exec {

// Follows the size of a growing structure: call cover() before it grows. Gives everything back when
// destroyed. Not thread-safe.
class MemoryCharge {
 public:
  // `budget` must outlive this object.
  explicit MemoryCharge(base::MemoryBudget* budget) : budget_(budget) {}
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  ~MemoryCharge() { budget_->give_back(held_bytes_); }

  // Makes sure that `bytes` in total are reserved. Errors: kLimit, naming the budget.
  Status cover(uint64_t bytes) {
    if (bytes <= held_bytes_) {
      return ok_status();
    }
    return take(bytes);
  }
  // Gives back what is held beyond `bytes`.
  void shrink(uint64_t bytes) {
    if (bytes < held_bytes_) {
      budget_->give_back(held_bytes_ - bytes);
      held_bytes_ = bytes;
    }
  }
  uint64_t held_bytes() const { return held_bytes_; }
  base::MemoryBudget* budget() const { return budget_; }

 private:
  Status take(uint64_t bytes);

  base::MemoryBudget* budget_;
  uint64_t held_bytes_ = 0;
};

}  // namespace weft::exec

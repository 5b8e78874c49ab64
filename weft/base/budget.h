// A bound on memory that several parts of one operation share. Parts reserve before they allocate;
// what does not fit is kLimit (or a spill), never an out-of-memory kill.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "weft/base/result.h"

namespace weft::base {

class MemoryBudget;

// Gives its bytes back when destroyed. Movable. Must not outlive its budget.
class Reservation {
 public:
  Reservation() = default;
  Reservation(MemoryBudget* budget, uint64_t bytes) : budget_(budget), bytes_(bytes) {}
  Reservation(Reservation&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Reservation& operator=(Reservation&& other) noexcept;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() { release(); }

  uint64_t bytes() const { return bytes_; }
  void release();

 private:
  MemoryBudget* budget_ = nullptr;
  uint64_t bytes_ = 0;
};

// Thread-safe.
class MemoryBudget {
 public:
  // `name` and `limit_bytes` appear in the error: name the option that raises the limit.
  MemoryBudget(std::string name, uint64_t limit_bytes);

  // Errors: kLimit.
  Result<Reservation> reserve(uint64_t bytes);
  // False if it does not fit.
  bool try_reserve(uint64_t bytes);
  void give_back(uint64_t bytes);

  uint64_t limit_bytes() const { return limit_bytes_; }
  uint64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  uint64_t peak_bytes() const { return peak_bytes_.load(std::memory_order_relaxed); }

 private:
  std::string name_;
  uint64_t limit_bytes_;
  std::atomic<uint64_t> used_bytes_ = 0;
  std::atomic<uint64_t> peak_bytes_ = 0;
};

}  // namespace weft::base

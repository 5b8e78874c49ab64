#include "weft/base/budget.h"

namespace weft::base {

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    release();
    budget_ = std::exchange(other.budget_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void Reservation::release() {
  if (budget_ != nullptr) {
    budget_->give_back(bytes_);
    budget_ = nullptr;
    bytes_ = 0;
  }
}

MemoryBudget::MemoryBudget(std::string name, uint64_t limit_bytes)
    : name_(std::move(name)), limit_bytes_(limit_bytes) {}

bool MemoryBudget::try_reserve(uint64_t bytes) {
  uint64_t used = used_bytes_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_bytes_ - used) {
      return false;
    }
  } while (!used_bytes_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  uint64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  while (peak < used + bytes &&
         !peak_bytes_.compare_exchange_weak(peak, used + bytes, std::memory_order_relaxed)) {
  }
  return true;
}

Result<Reservation> MemoryBudget::reserve(uint64_t bytes) {
  if (!try_reserve(bytes)) {
    return Error(ErrorKind::kLimit, "memory budget exceeded")
        .with("budget", name_)
        .with("limit_bytes", limit_bytes_)
        .with("used_bytes", used_bytes())
        .with("wanted_bytes", bytes);
  }
  return Reservation(this, bytes);
}

void MemoryBudget::give_back(uint64_t bytes) {
  const uint64_t before = used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  WEFT_CHECK(before >= bytes);
}

}  // namespace weft::base

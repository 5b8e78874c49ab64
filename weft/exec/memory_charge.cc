#include "weft/exec/memory_charge.h"

namespace weft::exec {
namespace {
// Reserving in steps keeps the shared counter out of hot loops.
constexpr uint64_t kStepBytes = uint64_t{64} << 10U;
}  // namespace

Status MemoryCharge::take(uint64_t bytes) {
  const uint64_t missing = bytes - held_bytes_;
  const uint64_t rounded = missing < kStepBytes ? kStepBytes : missing;
  if (budget_->try_reserve(rounded)) {
    held_bytes_ += rounded;
    return ok_status();
  }
  // Near the limit only what is needed counts.
  if (budget_->try_reserve(missing)) {
    held_bytes_ += missing;
    return ok_status();
  }
  Result<base::Reservation> refused = budget_->reserve(missing);
  if (!refused.ok()) {
    return std::move(refused).error();
  }
  // Somebody gave memory back in between.
  refused->release();
  return take(bytes);
}

}  // namespace weft::exec

// Asks whether a query is still wanted and still in time.
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>

#include "weft/base/clock.h"
#include "weft/base/result.h"

namespace weft::exec {

// Not thread-safe. `clock` must outlive it.
class Interrupt {
 public:
  // `timeout_ms` counts from now; 0 is none.
  Interrupt(std::stop_token stop, const base::Clock* clock, uint64_t timeout_ms)
      : stop_(std::move(stop)), clock_(clock), timeout_ms_(timeout_ms) {
    if (timeout_ms_ != 0) {
      started_microseconds_ = clock_->monotonic_microseconds();
    }
  }

  // Ask once per batch. Errors: kCancelled if the stop was requested, kLimit if the time is over.
  Status check() const {
    if (stop_.stop_requested()) {
      return Error(ErrorKind::kCancelled, "query was stopped");
    }
    if (timeout_ms_ != 0 &&
        static_cast<uint64_t>(clock_->monotonic_microseconds() - started_microseconds_) / 1000 >=
            timeout_ms_) {
      return Error(ErrorKind::kLimit, "query takes longer than its timeout")
          .with("timeout_ms", timeout_ms_);
    }
    return ok_status();
  }
  const std::stop_token& stop() const { return stop_; }
  // The same time, and another stop.
  Interrupt with(std::stop_token stop) const {
    Interrupt other = *this;
    other.stop_ = std::move(stop);
    return other;
  }

 private:
  std::stop_token stop_;
  const base::Clock* clock_;
  uint64_t timeout_ms_;
  int64_t started_microseconds_ = 0;
};

}  // namespace weft::exec

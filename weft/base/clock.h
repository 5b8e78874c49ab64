// Time enters only through a Clock, so that a simulated run can replay.
#pragma once

#include <compare>
#include <cstdint>

namespace weft::base {

// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
struct WallTime {
  int64_t microseconds = 0;
  friend auto operator<=>(const WallTime&, const WallTime&) = default;
};

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // May jump.
  virtual WallTime now() const = 0;
  // Microseconds since some fixed instant, counting suspended time too; never goes back.
  virtual int64_t monotonic_microseconds() const = 0;
  virtual void sleep_microseconds(int64_t duration) const = 0;
};

// The machine's clocks (CLOCK_REALTIME, CLOCK_BOOTTIME).
class SystemClock final : public Clock {
 public:
  WallTime now() const override;
  int64_t monotonic_microseconds() const override;
  void sleep_microseconds(int64_t duration) const override;
};

}  // namespace weft::base

#include "weft/base/clock.h"

#include <ctime>

namespace weft::base {
namespace {

int64_t read_clock(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

}  // namespace

WallTime SystemClock::now() const {
  return WallTime{read_clock(CLOCK_REALTIME)};
}

int64_t SystemClock::monotonic_microseconds() const {
  return read_clock(CLOCK_BOOTTIME);
}

void SystemClock::sleep_microseconds(int64_t duration) const {
  timespec rest{duration / 1'000'000, (duration % 1'000'000) * 1'000};
  while (nanosleep(&rest, &rest) != 0) {
  }
}

}  // namespace weft::base

// A machine that sleeps in the middle of an operation on a store, for tests: its clock goes on, and
// others go on with the graph meanwhile.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "weft/base/clock.h"
#include "weft/storage/steps.h"

namespace weft::graph {

// Time moves when a test says so, and a little with each look at it. For one thread.
class SteppedClock final : public base::Clock {
 public:
  base::WallTime now() const override { return {++microseconds_}; }
  int64_t monotonic_microseconds() const override { return ++microseconds_; }
  void sleep_microseconds(int64_t duration) const override { microseconds_ += duration; }

 private:
  mutable int64_t microseconds_ = 1'800'000'000'000'000;
};

// Listens to a MemoryStore: `meanwhile` happens once, before the first step `action` ("show",
// "sync") on an object whose name begins with `prefix`. What it returns is that step's: an error is
// the end of the operation.
class SleepsBefore final : public storage::StepListener {
 public:
  SleepsBefore(std::string action, std::string prefix, std::function<Status()> meanwhile)
      : action_(std::move(action)), prefix_(std::move(prefix)), meanwhile_(std::move(meanwhile)) {}

  bool has_slept() const { return has_slept_; }
  Status before(const storage::Step& step) override {
    if (has_slept_ || step.action != action_ || !step.name.starts_with(prefix_)) {
      return ok_status();
    }
    has_slept_ = true;
    return meanwhile_();
  }

 private:
  const std::string action_;
  const std::string prefix_;
  const std::function<Status()> meanwhile_;
  bool has_slept_ = false;
};

}  // namespace weft::graph

// The progress line of long work: on a terminal only, only after a second, ten times a second at
// most.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/clock.h"
#include "weft/base/mutex.h"

namespace weft::cli {

// Thread-safe. Clears its line when destroyed.
class ProgressLine {
 public:
  // Silent if `enabled` is false or standard error is no terminal. `clock` must outlive this
  // object.
  ProgressLine(const base::Clock& clock, bool enabled);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `total` 0: not known.
  void update(std::string_view phase, uint64_t done, uint64_t total);

 private:
  const base::Clock& clock_;
  bool enabled_;
  int64_t started_;
  base::Mutex mutex_;
  int64_t last_shown_ WEFT_GUARDED_BY(mutex_);
  bool shown_ WEFT_GUARDED_BY(mutex_) = false;
};

// 1234567 -> "1,234,567".
std::string with_separators(uint64_t value);
// 1234567 -> "1.2 MB".
std::string readable_bytes(uint64_t bytes);

}  // namespace weft::cli

#include "cli/progress.h"

#include <array>
#include <cstdio>

#include <unistd.h>

namespace weft::cli {
namespace {

constexpr int64_t kQuietMicroseconds = 1'000'000;
constexpr int64_t kIntervalMicroseconds = 100'000;

}  // namespace

ProgressLine::ProgressLine(const base::Clock& clock, bool enabled)
    : clock_(clock),
      enabled_(enabled && isatty(STDERR_FILENO) == 1),
      started_(clock.monotonic_microseconds()),
      last_shown_(started_) {}

ProgressLine::~ProgressLine() {
  if (shown_) {
    std::fputs("\r\033[K", stderr);
  }
}

void ProgressLine::update(std::string_view phase, uint64_t done, uint64_t total) {
  if (!enabled_) {
    return;
  }
  const int64_t now = clock_.monotonic_microseconds();
  const base::MutexLock lock(mutex_);
  if (now - started_ < kQuietMicroseconds || now - last_shown_ < kIntervalMicroseconds) {
    return;
  }
  last_shown_ = now;
  shown_ = true;
  const std::string count = with_separators(done);
  if (total > 0) {
    std::fprintf(stderr, "\r\033[K%.*s %s (%.0f %%)", static_cast<int>(phase.size()), phase.data(),
                 count.c_str(), 100.0 * static_cast<double>(done) / static_cast<double>(total));
  } else {
    std::fprintf(stderr, "\r\033[K%.*s %s", static_cast<int>(phase.size()), phase.data(),
                 count.c_str());
  }
  std::fflush(stderr);
}

std::string with_separators(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string readable_bytes(uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

}  // namespace weft::cli

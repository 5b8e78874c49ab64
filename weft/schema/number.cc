#include "weft/schema/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "weft/base/check.h"

namespace weft::schema {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64);

int order(long double left, long double right) {
  return left < right ? -1 : (left > right ? 1 : 0);
}

}  // namespace

std::optional<Number> Number::parse(std::string_view digits, bool negative) {
  Number number;
  number.negative_ = negative;
  number.integer_ = digits.find('.') == std::string_view::npos;
  const char* const end = digits.data() + digits.size();
  if (number.integer_) {
    const auto [rest, failed] = std::from_chars(digits.data(), end, number.magnitude_);
    constexpr uint64_t kLowest = uint64_t{1} << 63U;
    if (failed != std::errc() || rest != end || (negative && number.magnitude_ > kLowest)) {
      return std::nullopt;
    }
    number.value_ = static_cast<double>(number.magnitude_);
  } else {
    const auto [rest, failed] = std::from_chars(digits.data(), end, number.value_);
    if (failed != std::errc() || rest != end || !std::isfinite(number.value_)) {
      return std::nullopt;
    }
  }
  number.value_ = negative ? -number.value_ : number.value_;
  return number;
}

std::optional<int64_t> Number::as_int64() const {
  constexpr uint64_t kHighest = std::numeric_limits<int64_t>::max();
  if (!integer_ || magnitude_ > kHighest + (negative_ ? 1 : 0)) {
    return std::nullopt;
  }
  return negative_ ? static_cast<int64_t>(~magnitude_ + 1) : static_cast<int64_t>(magnitude_);
}

long double Number::wide() const {
  if (!integer_) {
    return value_;
  }
  const auto magnitude = static_cast<long double>(magnitude_);
  return negative_ ? -magnitude : magnitude;
}

int Number::compare(int64_t value) const {
  return order(wide(), static_cast<long double>(value));
}

int Number::compare(uint64_t value) const {
  return order(wide(), static_cast<long double>(value));
}

int Number::compare(double value) const {
  constexpr int kNoNumber = 2;
  return std::isnan(value) ? kNoNumber : order(wide(), value);
}

int Number::compare(const Number& other) const {
  return order(wide(), other.wide());
}

std::string Number::to_string() const {
  if (integer_) {
    return (negative_ && magnitude_ > 0 ? "-" : "") + std::to_string(magnitude_);
  }
  // Fixed notation, since neither language has exponents: 309 digits at most before the point, and
  // 1,074 behind it.
  std::array<char, 1500> buffer{};
  const auto [end, failed] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value_, std::chars_format::fixed);
  WEFT_CHECK(failed == std::errc());
  std::string text(buffer.data(), end);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

}  // namespace weft::schema

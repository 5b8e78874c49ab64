// Arithmetic on dates and durations: XPath and XQuery Functions and Operators 3.1 §8.4 and §9.7.
#include <cmath>
#include <limits>
#include <utility>

#include "weft/rdf/value_internal.h"

namespace weft::rdf {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kSecondsPerMinute = 60;
constexpr int64_t kAttosecondsPerSecond = 1'000'000'000'000'000'000;
// Years within kYearMax, in seconds; what leaves it is an error.
constexpr int64_t kSecondsMax = (kYearMax + 1) * 366 * kSecondsPerDay;

bool is_duration(const Value& value) {
  return value.kind() >= ValueKind::kDuration && value.kind() <= ValueKind::kDayTimeDuration;
}

bool is_point(const Value& value) {
  return value.kind() == ValueKind::kDateTime || value.kind() == ValueKind::kDate ||
         value.kind() == ValueKind::kTime;
}

// A duration as one exact number of attoseconds.
Int128 attoseconds(const ValueAccess::Seconds& parts) {
  return Int128{parts.seconds} * kAttosecondsPerSecond + parts.attoseconds;
}

// Seconds and fraction with one sign; nullopt if they do not fit.
std::optional<ValueAccess::Seconds> from_attoseconds(Int128 total) {
  const Int128 seconds = total / kAttosecondsPerSecond;
  if (seconds > std::numeric_limits<int64_t>::max() ||
      seconds <= std::numeric_limits<int64_t>::min()) {
    return std::nullopt;
  }
  return ValueAccess::Seconds{0, static_cast<int64_t>(seconds),
                              static_cast<int64_t>(total % kAttosecondsPerSecond)};
}

Value make_duration(ValueKind kind, int64_t months, const ValueAccess::Seconds& seconds) {
  const bool mixed = (months > 0 && (seconds.seconds < 0 || seconds.attoseconds < 0)) ||
                     (months < 0 && (seconds.seconds > 0 || seconds.attoseconds > 0));
  if (mixed || months == std::numeric_limits<int64_t>::min()) {
    return {};  // has no lexical form
  }
  return ValueAccess::time(kind, {months, seconds.seconds, seconds.attoseconds}, std::nullopt);
}

Value negated(const Value& duration) {
  const ValueAccess::Seconds& parts = ValueAccess::seconds(duration);
  return ValueAccess::time(duration.kind(), {-parts.months, -parts.seconds, -parts.attoseconds},
                           std::nullopt);
}

Value add_durations(const Value& a, const Value& b) {
  const ValueAccess::Seconds& left = ValueAccess::seconds(a);
  const ValueAccess::Seconds& right = ValueAccess::seconds(b);
  int64_t months = 0;
  const Int128 total = attoseconds(left) + attoseconds(right);
  const auto seconds = from_attoseconds(total);
  if (__builtin_add_overflow(left.months, right.months, &months) || !seconds.has_value()) {
    return {};
  }
  const ValueKind kind = a.kind() == b.kind() ? a.kind() : ValueKind::kDuration;
  return make_duration(kind, months, *seconds);
}

// XSD 1.1 part 2, E.3.3: months first, the day cut to the month's end, then seconds.
Value add_to_point(const Value& point, const Value& duration) {
  const ValueAccess::Seconds& span = ValueAccess::seconds(duration);
  const ValueAccess::Seconds& start = ValueAccess::seconds(point);
  if (point.kind() == ValueKind::kTime && span.months != 0) {
    return {};
  }
  int64_t seconds = start.seconds;
  if (span.months != 0) {
    const DateTimeParts parts = point.date_time_parts().value_or(DateTimeParts{});
    int64_t month_number = 0;
    if (__builtin_add_overflow(parts.year * 12 + parts.month - 1, span.months, &month_number) ||
        month_number / 12 > kYearMax || month_number / 12 < -kYearMax) {
      return {};
    }
    const int64_t year = month_number >= 0 ? month_number / 12 : (month_number - 11) / 12;
    const auto month = static_cast<uint32_t>(month_number - year * 12 + 1);
    const uint32_t day = std::min<uint32_t>(parts.day, days_in_month(year, month));
    const int64_t in_day = parts.hour * 3600 + parts.minute * 60 + parts.second;
    seconds = days_from_civil(year, month, day) * kSecondsPerDay + in_day;
  }
  Int128 total = Int128{seconds} * kAttosecondsPerSecond + start.attoseconds + attoseconds(span);
  const Int128 whole_day = Int128{kSecondsPerDay} * kAttosecondsPerSecond;
  if (point.kind() == ValueKind::kTime) {
    const Int128 day = Int128{start.seconds / kSecondsPerDay} * whole_day;
    total = ((total - day) % whole_day + whole_day) % whole_day + day;
  } else if (point.kind() == ValueKind::kDate) {
    total -= (total % whole_day + whole_day) % whole_day;
  }
  Int128 fraction = total % kAttosecondsPerSecond;
  fraction += fraction < 0 ? kAttosecondsPerSecond : 0;
  const Int128 result = (total - fraction) / kAttosecondsPerSecond;
  if (result > kSecondsMax || result < -kSecondsMax) {
    return {};
  }
  return ValueAccess::time(point.kind(),
                           {0, static_cast<int64_t>(result), static_cast<int64_t>(fraction)},
                           ValueAccess::timezone(point));
}

Value subtract_points(const Value& a, const Value& b) {
  const auto left_zone = ValueAccess::timezone(a);
  const auto right_zone = ValueAccess::timezone(b);
  if (left_zone.has_value() != right_zone.has_value()) {
    return {};
  }
  const ValueAccess::Seconds& left = ValueAccess::seconds(a);
  const ValueAccess::Seconds& right = ValueAccess::seconds(b);
  const Int128 zones = (Int128{right_zone.value_or(0)} - left_zone.value_or(0)) *
                       kSecondsPerMinute * kAttosecondsPerSecond;
  const auto seconds = from_attoseconds(attoseconds(left) - attoseconds(right) + zones);
  return seconds.has_value() ? make_duration(ValueKind::kDayTimeDuration, 0, *seconds) : Value();
}

}  // namespace

Value add_times(const Value& a, const Value& b) {
  if (is_duration(a) && is_duration(b)) {
    return add_durations(a, b);
  }
  if (is_point(a) && is_duration(b)) {
    return add_to_point(a, b);
  }
  return is_point(b) && is_duration(a) ? add_to_point(b, a) : Value();
}

Value subtract_times(const Value& a, const Value& b) {
  if (is_duration(a) && is_duration(b)) {
    return add_durations(a, negated(b));
  }
  if (is_point(a) && is_duration(b)) {
    return add_to_point(a, negated(b));
  }
  return is_point(a) && a.kind() == b.kind() ? subtract_points(a, b) : Value();
}

// §8.4.3, §8.4.8: months are rounded half up, seconds exact to the attosecond.
Value scale_duration(const Value& duration, const Value& factor) {
  const bool months = duration.kind() == ValueKind::kYearMonthDuration;
  if ((!months && duration.kind() != ValueKind::kDayTimeDuration) || !factor.is_numeric() ||
      !std::isfinite(factor.as_double())) {
    return {};
  }
  const ValueAccess::Seconds& parts = ValueAccess::seconds(duration);
  const Decimal by = factor.kind() >= ValueKind::kFloat ? exact_decimal(factor.as_double())
                                                        : ValueAccess::exact(factor);
  const BigInteger whole =
      months ? BigInteger(parts.months)
             : BigInteger(parts.seconds) * kAttosecondsPerSecond + parts.attoseconds;
  const BigInteger result =
      round_to_integer(multiply({whole, 0}, by), Rounding::kHalfUp).coefficient;
  const BigInteger limit =
      months ? BigInteger(std::numeric_limits<int64_t>::max())
             : BigInteger(std::numeric_limits<int64_t>::max()) * kAttosecondsPerSecond;
  if (result > limit || result < -limit) {
    return {};
  }
  if (months) {
    return make_duration(duration.kind(), static_cast<int64_t>(result), {0, 0, 0});
  }
  const BigInteger seconds = result / kAttosecondsPerSecond;
  const BigInteger rest = result % kAttosecondsPerSecond;
  return make_duration(duration.kind(), 0,
                       {0, static_cast<int64_t>(seconds), static_cast<int64_t>(rest)});
}

// Duration ÷ number is a duration; duration ÷ duration of one kind is a decimal.
Value divide_duration(const Value& a, const Value& b) {
  const bool months = a.kind() == ValueKind::kYearMonthDuration;
  if (!months && a.kind() != ValueKind::kDayTimeDuration) {
    return {};
  }
  if (b.is_numeric()) {
    const Value inverse = divide(Value::integer(1), b);
    if (b.kind() >= ValueKind::kFloat) {
      return scale_duration(a, inverse);
    }
    // Exact operands: divide once, not by a rounded inverse.
    const Decimal by = ValueAccess::exact(b);
    if (by.coefficient.is_zero()) {
      return {};
    }
    const ValueAccess::Seconds& parts = ValueAccess::seconds(a);
    const Decimal whole =
        months ? Decimal{BigInteger(parts.months), 0}
               : Decimal{BigInteger(parts.seconds) * kAttosecondsPerSecond + parts.attoseconds, 0};
    const Decimal quotient = divide(whole, by);
    const Value unit = ValueAccess::time(
        a.kind(), months ? ValueAccess::Seconds{1, 0, 0} : ValueAccess::Seconds{0, 0, 1},
        std::nullopt);
    const Value factor =
        ValueAccess::integer(round_to_integer(quotient, Rounding::kHalfUp).coefficient);
    return factor.is_defined() ? scale_duration(unit, factor) : Value();
  }
  if (b.kind() != a.kind()) {
    return {};
  }
  const ValueAccess::Seconds& left = ValueAccess::seconds(a);
  const ValueAccess::Seconds& right = ValueAccess::seconds(b);
  const auto number = [months](const ValueAccess::Seconds& parts) {
    return months ? BigInteger(parts.months)
                  : BigInteger(parts.seconds) * kAttosecondsPerSecond + parts.attoseconds;
  };
  const BigInteger divisor = number(right);
  return divisor.is_zero() ? Value()
                           : ValueAccess::decimal(divide({number(left), 0}, {divisor, 0}));
}

}  // namespace weft::rdf

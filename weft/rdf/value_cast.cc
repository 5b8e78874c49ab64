// Casts: XPath and XQuery Functions and Operators 3.1 §19 as SPARQL 1.1 §17.5 uses them.
#include <cmath>
#include <limits>
#include <utility>

#include "weft/rdf/term.h"
#include "weft/rdf/value_internal.h"

namespace weft::rdf {
namespace {

// The whitespace facet "collapse" of all types but xsd:string.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// §19.1.2.2: plain notation between 10^-6 and 10^6, whole numbers without a point.
template <typename Float>
std::string cast_text(Float number) {
  constexpr Float kLeast = static_cast<Float>(1e-6);
  constexpr Float kMost = static_cast<Float>(1e6);
  if (number == 0) {
    return std::signbit(number) ? "-0" : "0";
  }
  const Float size = std::fabs(number);
  if (!(size >= kLeast && size < kMost)) {
    return canonical_text(number);
  }
  // The shortest digits that name this number, in plain notation.
  const std::string canonical = canonical_text(number);
  const size_t mark = canonical.find('E');
  const int exponent = std::stoi(canonical.substr(mark + 1));
  std::optional<Decimal> mantissa = parse_decimal(std::string_view(canonical).substr(0, mark));
  Decimal result = std::move(*mantissa);
  if (exponent >= 0) {
    result.coefficient *= power_of_ten(static_cast<uint32_t>(exponent));
  } else {
    result.scale += static_cast<uint32_t>(-exponent);
  }
  normalise(result);
  return to_text(result);
}

std::optional<std::string> string_of(const Value& a) {
  if (a.kind() == ValueKind::kFloat) {
    return cast_text(ValueAccess::float_value(a));
  }
  if (a.kind() == ValueKind::kDouble) {
    return cast_text(ValueAccess::double_value(a));
  }
  return a.lexical();
}

Value to_boolean(const Value& a) {
  if (!a.is_numeric()) {
    return {};
  }
  const std::optional<bool> value = effective_boolean(a);
  return value.has_value() ? Value::boolean(*value) : Value();
}

// kInteger or kDecimal of a number or boolean.
Value to_exact(const Value& a, bool integer) {
  Decimal number;
  switch (a.kind()) {
    case ValueKind::kBoolean:
      number.coefficient = a.as_boolean() ? 1 : 0;
      break;
    case ValueKind::kInteger:
    case ValueKind::kDecimal:
      number = ValueAccess::exact(a);
      break;
    case ValueKind::kFloat:
    case ValueKind::kDouble:
      if (!std::isfinite(a.as_double())) {
        return {};
      }
      number = exact_decimal(a.as_double());
      break;
    default:
      return {};
  }
  if (!integer) {
    return ValueAccess::decimal(number);
  }
  return ValueAccess::integer(round_to_integer(number, Rounding::kTruncate).coefficient);
}

Value to_floating(const Value& a, ValueKind target) {
  const bool is_float = target == ValueKind::kFloat;
  if (a.kind() == ValueKind::kBoolean) {
    return is_float ? Value::float_number(a.as_boolean() ? 1.0F : 0.0F)
                    : Value::double_number(a.as_boolean() ? 1.0 : 0.0);
  }
  if (!a.is_numeric()) {
    return {};
  }
  if (!is_float) {
    return Value::double_number(a.as_double());
  }
  if (a.kind() == ValueKind::kInteger || a.kind() == ValueKind::kDecimal) {
    return Value::float_number(to_float(ValueAccess::exact(a)));
  }
  return Value::float_number(static_cast<float>(a.as_double()));
}

// dateTime to date or time, date to dateTime.
Value to_time(const Value& a, ValueKind target) {
  constexpr int64_t kSecondsPerDay = 86'400;
  const auto zone = ValueAccess::timezone(a);
  const bool from_date_time = a.kind() == ValueKind::kDateTime;
  if (from_date_time && target == ValueKind::kDateTime) {
    return ValueAccess::derived(a, Derived::kNone);
  }
  const ValueAccess::Seconds& parts = ValueAccess::seconds(a);
  if (a.kind() == ValueKind::kDate && target == ValueKind::kDateTime) {
    return ValueAccess::time(target, parts, zone);
  }
  if (!from_date_time) {
    return {};
  }
  int64_t in_day = parts.seconds % kSecondsPerDay;
  in_day += in_day < 0 ? kSecondsPerDay : 0;
  if (target == ValueKind::kDate) {
    return ValueAccess::time(target, {0, parts.seconds - in_day, 0}, zone);
  }
  const Value midnight = parse_time("00:00:00", ValueKind::kTime);
  return ValueAccess::time(
      target, {0, ValueAccess::seconds(midnight).seconds + in_day, parts.attoseconds}, zone);
}

Value to_duration(const Value& a, ValueKind target) {
  if (a.kind() < ValueKind::kDuration || a.kind() > ValueKind::kDayTimeDuration) {
    return {};
  }
  ValueAccess::Seconds parts = ValueAccess::seconds(a);
  if (target == ValueKind::kYearMonthDuration) {
    parts.seconds = 0;
    parts.attoseconds = 0;
  } else if (target == ValueKind::kDayTimeDuration) {
    parts.months = 0;
  }
  return ValueAccess::time(target, parts, std::nullopt);
}

}  // namespace

Value cast(const Value& a, ValueKind target) {
  if (target == ValueKind::kString) {
    if (a.kind() == ValueKind::kLangString) {
      return Value::string(a.text());
    }
    const std::optional<std::string> text = string_of(a);
    return text.has_value() ? Value::string(*text) : Value();
  }
  if (!a.is_literal() || a.kind() == ValueKind::kOther) {
    return {};
  }
  if (a.kind() == ValueKind::kString) {
    return parse_typed(trimmed(a.text()), target, Derived::kNone);
  }
  if (a.kind() == target) {
    return ValueAccess::derived(a, Derived::kNone);
  }
  switch (target) {
    case ValueKind::kBoolean:
      return to_boolean(a);
    case ValueKind::kInteger:
    case ValueKind::kDecimal:
      return to_exact(a, target == ValueKind::kInteger);
    case ValueKind::kFloat:
    case ValueKind::kDouble:
      return to_floating(a, target);
    case ValueKind::kDateTime:
    case ValueKind::kDate:
    case ValueKind::kTime:
      return to_time(a, target);
    case ValueKind::kDuration:
    case ValueKind::kYearMonthDuration:
    case ValueKind::kDayTimeDuration:
      return to_duration(a, target);
    default:
      return {};
  }
}

}  // namespace weft::rdf

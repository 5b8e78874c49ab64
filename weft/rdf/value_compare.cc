// Comparison: XPath and XQuery Functions and Operators 3.1 §4.3, §8.2 and §9.4 as SPARQL 1.1 §17.3
// uses them, and the order of ORDER BY.
#include <cmath>
#include <limits>
#include <utility>

#include "weft/rdf/term.h"
#include "weft/rdf/value_internal.h"

namespace weft::rdf {
namespace {

enum class Outcome : uint8_t { kLess, kEqual, kGreater, kUnordered, kError };

Outcome from_sign(int sign) {
  return sign < 0 ? Outcome::kLess : sign > 0 ? Outcome::kGreater : Outcome::kEqual;
}

template <typename Number>
Outcome compare_plain(Number a, Number b) {
  if (a < b) {
    return Outcome::kLess;
  }
  if (b < a) {
    return Outcome::kGreater;
  }
  return a == b ? Outcome::kEqual : Outcome::kUnordered;  // NaN
}

// Two of kInteger and kDecimal.
int compare_exact(const Value& a, const Value& b) {
  if (ValueAccess::is_small(a) && ValueAccess::is_small(b)) {
    const ValueAccess::Small left = ValueAccess::small(a);
    const ValueAccess::Small right = ValueAccess::small(b);
    if (left.scale <= kSmallScaleMax && right.scale <= kSmallScaleMax) {
      const uint32_t scale = std::max(left.scale, right.scale);
      const Int128 l = Int128{left.coefficient} * small_power_of_ten(scale - left.scale);
      const Int128 r = Int128{right.coefficient} * small_power_of_ten(scale - right.scale);
      return l < r ? -1 : l > r ? 1 : 0;
    }
  }
  return compare(ValueAccess::exact(a), ValueAccess::exact(b));
}

bool is_exact(const Value& value) {
  return value.kind() == ValueKind::kInteger || value.kind() == ValueKind::kDecimal;
}

float as_float(const Value& value) {
  if (value.kind() == ValueKind::kFloat) {
    return ValueAccess::float_value(value);
  }
  if (const std::optional<int64_t> small = value.as_int64()) {
    return static_cast<float>(*small);
  }
  return to_float(ValueAccess::exact(value));
}

Outcome compare_numbers(const Value& a, const Value& b) {
  if (is_exact(a) && is_exact(b)) {
    return from_sign(compare_exact(a, b));
  }
  if (a.kind() == ValueKind::kDouble || b.kind() == ValueKind::kDouble) {
    return compare_plain(a.as_double(), b.as_double());
  }
  return compare_plain(as_float(a), as_float(b));
}

bool is_time(ValueKind kind) {
  return kind >= ValueKind::kDateTime && kind <= ValueKind::kGDay;
}

bool is_duration(ValueKind kind) {
  return kind >= ValueKind::kDuration && kind <= ValueKind::kDayTimeDuration;
}

int compare_points(int64_t a_seconds, int64_t a_atto, int64_t b_seconds, int64_t b_atto) {
  if (a_seconds != b_seconds) {
    return a_seconds < b_seconds ? -1 : 1;
  }
  return a_atto < b_atto ? -1 : a_atto > b_atto ? 1 : 0;
}

// XSD 1.1 part 2, D.2.2: a value without timezone may lie 14 hours to either side.
Outcome compare_times(const Value& a, const Value& b) {
  constexpr int64_t kSecondsPerMinute = 60;
  constexpr int64_t kWidestSeconds = int64_t{14} * 3600;
  const ValueAccess::Seconds& left = ValueAccess::seconds(a);
  const ValueAccess::Seconds& right = ValueAccess::seconds(b);
  const auto left_zone = ValueAccess::timezone(a);
  const auto right_zone = ValueAccess::timezone(b);
  const int64_t l = left.seconds - left_zone.value_or(0) * kSecondsPerMinute;
  const int64_t r = right.seconds - right_zone.value_or(0) * kSecondsPerMinute;
  if (left_zone.has_value() == right_zone.has_value()) {
    return from_sign(compare_points(l, left.attoseconds, r, right.attoseconds));
  }
  const int64_t early = left_zone.has_value() ? 0 : -kWidestSeconds;
  const int64_t late = left_zone.has_value() ? 0 : kWidestSeconds;
  const int64_t other_early = right_zone.has_value() ? 0 : -kWidestSeconds;
  const int64_t other_late = right_zone.has_value() ? 0 : kWidestSeconds;
  if (compare_points(l + late, left.attoseconds, r + other_early, right.attoseconds) < 0) {
    return Outcome::kLess;
  }
  if (compare_points(l + early, left.attoseconds, r + other_late, right.attoseconds) > 0) {
    return Outcome::kGreater;
  }
  return Outcome::kError;
}

// Durations of months only, or of seconds only, have an order; others are equal or unordered.
Outcome compare_durations(const Value& a, const Value& b) {
  const ValueAccess::Seconds& left = ValueAccess::seconds(a);
  const ValueAccess::Seconds& right = ValueAccess::seconds(b);
  const int by_seconds =
      compare_points(left.seconds, left.attoseconds, right.seconds, right.attoseconds);
  if (left.months == right.months) {
    return from_sign(by_seconds);
  }
  if (by_seconds == 0) {
    return from_sign(left.months < right.months ? -1 : 1);
  }
  return Outcome::kUnordered;
}

bool comparable_families(const Value& a, const Value& b) {
  return (a.is_numeric() && b.is_numeric()) || a.kind() == b.kind() ||
         (is_duration(a.kind()) && is_duration(b.kind()));
}

// Two literals of one family.
Outcome compare_values(const Value& a, const Value& b) {
  if (a.is_numeric()) {
    return compare_numbers(a, b);
  }
  if (is_time(a.kind())) {
    return compare_times(a, b);
  }
  if (is_duration(a.kind())) {
    return compare_durations(a, b);
  }
  if (a.kind() == ValueKind::kBoolean) {
    return from_sign(static_cast<int>(a.as_boolean()) - static_cast<int>(b.as_boolean()));
  }
  if (a.kind() == ValueKind::kString) {
    return from_sign(a.text().compare(b.text()));
  }
  return Outcome::kError;
}

bool same_text(const Value& a, const Value& b) {
  return a.kind() == b.kind() && a.text() == b.text() && a.language() == b.language() &&
         a.direction() == b.direction();
}

// Only where `<` is defined (SPARQL 1.1 §17.3, with dates and durations as XPath has them).
Outcome ordered(const Value& a, const Value& b) {
  if (!a.is_defined() || !b.is_defined() || !comparable_families(a, b)) {
    return Outcome::kError;
  }
  const Outcome outcome = compare_values(a, b);
  // Durations of mixed kinds have no order.
  return outcome == Outcome::kUnordered && is_duration(a.kind()) ? Outcome::kError : outcome;
}

// Triple terms: equal if their parts are.
std::optional<bool> equal_triples(const Value& a, const Value& b) {
  if (a.text() == b.text()) {
    return true;
  }
  const std::optional<TripleParts> left = split_triple(a.text());
  const std::optional<TripleParts> right = split_triple(b.text());
  if (!left.has_value() || !right.has_value()) {
    return false;
  }
  bool unknown = false;
  for (const auto& [x, y] :
       {std::pair(left->subject, right->subject), std::pair(left->predicate, right->predicate),
        std::pair(left->object, right->object)}) {
    const std::optional<bool> part = equal(Value::from_token(x), Value::from_token(y));
    if (part == std::optional<bool>(false)) {
      return false;
    }
    unknown = unknown || !part.has_value();
  }
  return unknown ? std::nullopt : std::optional<bool>(true);
}

}  // namespace

std::optional<bool> effective_boolean(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBoolean:
      return value.as_boolean();
    case ValueKind::kString:
      return !value.text().empty();
    case ValueKind::kInteger:
    case ValueKind::kDecimal:
      // Big numbers are never zero.
      return !ValueAccess::is_small(value) || ValueAccess::small(value).coefficient != 0;
    case ValueKind::kFloat:
    case ValueKind::kDouble: {
      const double number = value.as_double();
      return !std::isnan(number) && number != 0;
    }
    default:
      return std::nullopt;
  }
}

std::optional<bool> equal(const Value& a, const Value& b) {
  if (!a.is_defined() || !b.is_defined()) {
    return std::nullopt;
  }
  if (!a.is_literal() || !b.is_literal()) {
    if (a.kind() == ValueKind::kTriple && b.kind() == ValueKind::kTriple) {
      return equal_triples(a, b);
    }
    return same_text(a, b);
  }
  if (a.kind() == ValueKind::kOther || b.kind() == ValueKind::kOther) {
    // Whatever an unknown datatype means, it means no string with a language.
    const bool language = a.kind() == ValueKind::kLangString || b.kind() == ValueKind::kLangString;
    return language          ? std::optional<bool>(false)
           : same_text(a, b) ? std::optional<bool>(true)
                             : std::nullopt;
  }
  if (!comparable_families(a, b)) {
    return false;  // value spaces that have nothing in common
  }
  if (a.kind() == ValueKind::kLangString) {
    return same_text(a, b);
  }
  const Outcome outcome = compare_values(a, b);
  return outcome == Outcome::kError ? std::nullopt
                                    : std::optional<bool>(outcome == Outcome::kEqual);
}

std::optional<bool> less(const Value& a, const Value& b) {
  const Outcome outcome = ordered(a, b);
  return outcome == Outcome::kError ? std::nullopt : std::optional<bool>(outcome == Outcome::kLess);
}

std::optional<bool> less_or_equal(const Value& a, const Value& b) {
  const Outcome outcome = ordered(a, b);
  return outcome == Outcome::kError
             ? std::nullopt
             : std::optional<bool>(outcome == Outcome::kLess || outcome == Outcome::kEqual);
}

bool same_term(const Value& a, const Value& b) {
  return a.is_defined() && b.is_defined() && a.to_token() == b.to_token();
}

namespace {

// Families in the order of ORDER BY. Within one the order is total.
int rank(const Value& value) {
  const ValueKind kind = value.kind();
  if (value.is_numeric()) {
    return static_cast<int>(ValueKind::kInteger);
  }
  if (is_duration(kind)) {
    return static_cast<int>(ValueKind::kDuration);
  }
  return static_cast<int>(kind);
}

// Promotion rounds, which would make the order intransitive: compare exact values.
std::weak_ordering order_numbers(const Value& a, const Value& b) {
  if (is_exact(a) && is_exact(b)) {
    return compare_exact(a, b) <=> 0;
  }
  const double left = a.as_double();
  const double right = b.as_double();
  if (std::isnan(left) || std::isnan(right)) {
    return static_cast<int>(!std::isnan(left)) <=> static_cast<int>(!std::isnan(right));
  }
  if (left != right) {
    return left < right ? std::weak_ordering::less : std::weak_ordering::greater;
  }
  if (std::isinf(left) || (!is_exact(a) && !is_exact(b))) {
    // A number too large for a double is less than infinity.
    const int a_side = std::isinf(left) && is_exact(a) ? 1 : 0;
    const int b_side = std::isinf(left) && is_exact(b) ? 1 : 0;
    if (a_side == 1 && b_side == 1) {
      return compare_exact(a, b) <=> 0;
    }
    return left > 0 ? b_side <=> a_side : a_side <=> b_side;
  }
  const Decimal exact_left = is_exact(a) ? ValueAccess::exact(a) : exact_decimal(left);
  const Decimal exact_right = is_exact(b) ? ValueAccess::exact(b) : exact_decimal(right);
  return compare(exact_left, exact_right) <=> 0;
}

// A missing timezone counts as Z, and comes first among equals.
std::weak_ordering order_times(const Value& a, const Value& b) {
  constexpr int64_t kSecondsPerMinute = 60;
  const ValueAccess::Seconds& left = ValueAccess::seconds(a);
  const ValueAccess::Seconds& right = ValueAccess::seconds(b);
  const auto left_zone = ValueAccess::timezone(a);
  const auto right_zone = ValueAccess::timezone(b);
  const int sign =
      compare_points(left.seconds - left_zone.value_or(0) * kSecondsPerMinute, left.attoseconds,
                     right.seconds - right_zone.value_or(0) * kSecondsPerMinute, right.attoseconds);
  if (sign != 0) {
    return sign <=> 0;
  }
  return static_cast<int>(left_zone.has_value()) <=> static_cast<int>(right_zone.has_value());
}

std::weak_ordering order_texts(const Value& a, const Value& b) {
  if (const int sign = a.text().compare(b.text()); sign != 0) {
    return sign <=> 0;
  }
  if (const int sign = a.language().compare(b.language()); sign != 0) {
    return sign <=> 0;
  }
  return a.direction().compare(b.direction()) <=> 0;
}

std::weak_ordering order_triples(const Value& a, const Value& b) {
  const std::optional<TripleParts> left = split_triple(a.text());
  const std::optional<TripleParts> right = split_triple(b.text());
  if (left.has_value() && right.has_value()) {
    for (const auto& [x, y] :
         {std::pair(left->subject, right->subject), std::pair(left->predicate, right->predicate),
          std::pair(left->object, right->object)}) {
      const std::weak_ordering part = order(Value::from_token(x), Value::from_token(y));
      if (part != std::weak_ordering::equivalent) {
        return part;
      }
    }
  }
  return order_texts(a, b);
}

}  // namespace

std::weak_ordering order(const Value& a, const Value& b) {
  const int left = rank(a);
  const int right = rank(b);
  if (left != right) {
    return left <=> right;
  }
  if (a.is_numeric()) {
    return order_numbers(a, b);
  }
  if (is_time(a.kind())) {
    return order_times(a, b);
  }
  if (is_duration(a.kind())) {
    // Months first; `<` agrees where it is defined.
    const ValueAccess::Seconds& x = ValueAccess::seconds(a);
    const ValueAccess::Seconds& y = ValueAccess::seconds(b);
    if (x.months != y.months) {
      return x.months <=> y.months;
    }
    return compare_points(x.seconds, x.attoseconds, y.seconds, y.attoseconds) <=> 0;
  }
  if (a.kind() == ValueKind::kBoolean) {
    return static_cast<int>(a.as_boolean()) <=> static_cast<int>(b.as_boolean());
  }
  if (a.kind() == ValueKind::kTriple) {
    return order_triples(a, b);
  }
  return order_texts(a, b);
}

}  // namespace weft::rdf

// Arithmetic: XPath and XQuery Functions and Operators 3.1 §4.2 and §4.4 on numbers; dates and
// durations in value_time_arithmetic.cc.
#include <cmath>
#include <limits>
#include <utility>

#include "weft/rdf/value_internal.h"

namespace weft::rdf {
namespace {

enum class Operator : uint8_t { kAdd, kSubtract, kMultiply, kDivide };

float as_float(const Value& value) {
  if (value.kind() == ValueKind::kFloat) {
    return ValueAccess::float_value(value);
  }
  return to_float(ValueAccess::exact(value));
}

template <typename Float>
Float compute(Operator operation, Float a, Float b) {
  switch (operation) {
    case Operator::kAdd:
      return a + b;
    case Operator::kSubtract:
      return a - b;
    case Operator::kMultiply:
      return a * b;
    case Operator::kDivide:
      return a / b;  // by zero: infinity or NaN, as IEEE 754 has it
  }
  return a;
}

// int64 without overflow; kUndefined: try otherwise.
Value small_integers(Operator operation, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = true;
  switch (operation) {
    case Operator::kAdd:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Operator::kSubtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Operator::kMultiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Operator::kDivide:
      break;
  }
  return overflow ? Value() : Value::integer(result);
}

bool fits(Int128 number) {
  return number >= std::numeric_limits<int64_t>::min() &&
         number <= std::numeric_limits<int64_t>::max();
}

// Sums, differences and products of decimals in 128 bits; kUndefined: try otherwise.
Value small_decimals(Operator operation, ValueAccess::Small a, ValueAccess::Small b) {
  if (a.scale > kSmallScaleMax || b.scale > kSmallScaleMax || operation == Operator::kDivide) {
    return {};
  }
  if (operation == Operator::kMultiply) {
    const Int128 product = Int128{a.coefficient} * b.coefficient;
    return fits(product)
               ? ValueAccess::small_decimal(static_cast<int64_t>(product), a.scale + b.scale)
               : Value();
  }
  const uint32_t scale = std::max(a.scale, b.scale);
  const Int128 left = Int128{a.coefficient} * small_power_of_ten(scale - a.scale);
  const Int128 right = Int128{b.coefficient} * small_power_of_ten(scale - b.scale);
  const Int128 sum = operation == Operator::kAdd ? left + right : left - right;
  return fits(sum) ? ValueAccess::small_decimal(static_cast<int64_t>(sum), scale) : Value();
}

Decimal exact_result(Operator operation, const Decimal& a, const Decimal& b) {
  switch (operation) {
    case Operator::kAdd:
      return add(a, b);
    case Operator::kSubtract:
      return subtract(a, b);
    case Operator::kMultiply:
      return multiply(a, b);
    case Operator::kDivide:
      return divide(a, b);
  }
  return {};
}

// Two of kInteger and kDecimal.
Value compute_exact(Operator operation, const Value& a, const Value& b) {
  const bool integers = a.kind() == ValueKind::kInteger && b.kind() == ValueKind::kInteger &&
                        operation != Operator::kDivide;
  if (ValueAccess::is_small(a) && ValueAccess::is_small(b)) {
    Value result = integers
                       ? small_integers(operation, *a.as_int64(), *b.as_int64())
                       : small_decimals(operation, ValueAccess::small(a), ValueAccess::small(b));
    if (result.is_defined()) {
      return result;
    }
  }
  const Decimal right = ValueAccess::exact(b);
  if (operation == Operator::kDivide && right.coefficient.is_zero()) {
    return {};
  }
  const Decimal result = exact_result(operation, ValueAccess::exact(a), right);
  return integers ? ValueAccess::integer(result.coefficient) : ValueAccess::decimal(result);
}

Value compute_numbers(Operator operation, const Value& a, const Value& b) {
  const bool exact = a.kind() <= ValueKind::kDecimal && b.kind() <= ValueKind::kDecimal;
  if (exact) {
    return compute_exact(operation, a, b);
  }
  if (a.kind() == ValueKind::kDouble || b.kind() == ValueKind::kDouble) {
    return Value::double_number(compute(operation, a.as_double(), b.as_double()));
  }
  return Value::float_number(compute(operation, as_float(a), as_float(b)));
}

Value round_exact(const Value& a, Rounding rounding) {
  const Decimal result = round_to_integer(ValueAccess::exact(a), rounding);
  return a.kind() == ValueKind::kInteger ? ValueAccess::integer(result.coefficient)
                                         : ValueAccess::decimal(result);
}

// fn:round of floating numbers: half towards positive infinity, -0.0 kept.
template <typename Float>
Float round_floating(Float number) {
  const Float down = std::floor(number);
  const Float result = number - down < Float{0.5} ? down : std::ceil(number);
  return std::copysign(result, number);
}

// Applies one of four functions according to the kind.
template <typename Floating>
Value apply(const Value& a, Rounding rounding, Floating floating) {
  switch (a.kind()) {
    case ValueKind::kInteger:
    case ValueKind::kDecimal:
      return round_exact(a, rounding);
    case ValueKind::kFloat:
      return Value::float_number(floating(ValueAccess::float_value(a)));
    case ValueKind::kDouble:
      return Value::double_number(floating(ValueAccess::double_value(a)));
    default:
      return {};
  }
}

}  // namespace

Value add(const Value& a, const Value& b) {
  if (a.is_numeric() && b.is_numeric()) {
    return compute_numbers(Operator::kAdd, a, b);
  }
  return add_times(a, b);
}

Value subtract(const Value& a, const Value& b) {
  if (a.is_numeric() && b.is_numeric()) {
    return compute_numbers(Operator::kSubtract, a, b);
  }
  return subtract_times(a, b);
}

Value multiply(const Value& a, const Value& b) {
  if (a.is_numeric() && b.is_numeric()) {
    return compute_numbers(Operator::kMultiply, a, b);
  }
  return a.is_numeric() ? scale_duration(b, a) : scale_duration(a, b);
}

Value divide(const Value& a, const Value& b) {
  if (a.is_numeric() && b.is_numeric()) {
    return compute_numbers(Operator::kDivide, a, b);
  }
  return divide_duration(a, b);
}

Value negate(const Value& a) {
  switch (a.kind()) {
    case ValueKind::kInteger:
    case ValueKind::kDecimal:
      return compute_exact(Operator::kSubtract, Value::integer(0), a);
    case ValueKind::kFloat:
      return Value::float_number(-ValueAccess::float_value(a));
    case ValueKind::kDouble:
      return Value::double_number(-ValueAccess::double_value(a));
    default:
      return {};
  }
}

Value unary_plus(const Value& a) {
  return a.is_numeric() ? ValueAccess::derived(a, Derived::kNone) : Value();
}

Value absolute(const Value& a) {
  switch (a.kind()) {
    case ValueKind::kInteger:
    case ValueKind::kDecimal: {
      const bool negative = ValueAccess::is_small(a) ? ValueAccess::small(a).coefficient < 0
                                                     : ValueAccess::exact(a).coefficient < 0;
      return negative ? negate(a) : unary_plus(a);
    }
    case ValueKind::kFloat:
      return Value::float_number(std::fabs(ValueAccess::float_value(a)));
    case ValueKind::kDouble:
      return Value::double_number(std::fabs(ValueAccess::double_value(a)));
    default:
      return {};
  }
}

Value ceiling(const Value& a) {
  return apply(a, Rounding::kCeiling, [](auto number) { return std::ceil(number); });
}

Value floor(const Value& a) {
  return apply(a, Rounding::kFloor, [](auto number) { return std::floor(number); });
}

Value round(const Value& a) {
  return apply(a, Rounding::kHalfUp, [](auto number) { return round_floating(number); });
}

}  // namespace weft::rdf

// What the source files of Value share: making and opening values of the kinds that have no public
// constructor. For them only.
#pragma once

#include <optional>
#include <string_view>

#include "weft/rdf/number.h"
#include "weft/rdf/value.h"

namespace weft::rdf {

struct ValueAccess {
  using Seconds = Value::Seconds;

  // kUndefined past kNumberDigitsMax. `number` must be normal, for integers of scale 0.
  static Value integer(const BigInteger& number);
  static Value decimal(const Decimal& number);
  static Value small_decimal(int64_t coefficient, uint32_t scale);  // any zeros
  static Value derived(Value value, Derived derived);
  // kDateTime to kDayTimeDuration.
  static Value time(ValueKind kind, Seconds seconds, std::optional<int16_t> timezone_minutes);

  static const Seconds& seconds(const Value& value) { return value.payload_.time; }
  static std::optional<int16_t> timezone(const Value& value) {
    return value.has_timezone_ ? std::optional<int16_t>(value.timezone_minutes_) : std::nullopt;
  }
  // kInteger or kDecimal with an inline payload.
  static bool is_small(const Value& value) { return value.storage_ == Value::Storage::kInline; }
  static int64_t small_integer(const Value& value) { return value.payload_.integer; }
  struct Small {
    int64_t coefficient;
    uint32_t scale;
  };
  // kInteger or kDecimal that is small.
  static Small small(const Value& value);
  // kInteger or kDecimal.
  static Decimal exact(const Value& value);
  static float float_value(const Value& value) { return value.payload_.float_number; }
  static double double_value(const Value& value) { return value.payload_.double_number; }
};

// 10^0 to 10^18.
inline constexpr uint32_t kSmallScaleMax = 18;
constexpr int64_t small_power_of_ten(uint32_t exponent) {
  int64_t power = 1;
  for (uint32_t i = 0; i < exponent; ++i) {
    power *= 10;
  }
  return power;
}

// The value of a literal of this datatype, given its lexical form; kUndefined if it has none.
// (value_parse.cc)
Value parse_typed(std::string_view lexical, ValueKind kind, Derived derived);
// (value_time.cc)
Value parse_time(std::string_view lexical, ValueKind kind);
Value parse_duration(std::string_view lexical, ValueKind kind);
std::string time_text(const Value& value);
std::string duration_text(const Value& value);

// Whole years, months, days of a day number since 1970-01-01, and back (proleptic Gregorian).
struct CivilDate {
  int64_t year = 0;
  uint8_t month = 0;
  uint8_t day = 0;
};
CivilDate civil_from_days(int64_t days);
int64_t days_from_civil(int64_t year, uint32_t month, uint32_t day);
uint32_t days_in_month(int64_t year, uint32_t month);

// Kind and derivation of an XSD datatype, by IRI without brackets; kOther for unknown ones.
struct Datatype {
  ValueKind kind = ValueKind::kOther;
  Derived derived = Derived::kNone;
};
Datatype find_datatype(std::string_view iri);
std::string_view derived_iri(Derived derived);
// Dates and durations under + - × ÷; kUndefined for all else. (value_time_arithmetic.cc)
Value add_times(const Value& a, const Value& b);
Value subtract_times(const Value& a, const Value& b);
Value scale_duration(const Value& duration, const Value& factor);
Value divide_duration(const Value& a, const Value& b);
// The lexical form of what is stored as a value, not as text.
std::string canonical_lexical(const Value& value);

}  // namespace weft::rdf

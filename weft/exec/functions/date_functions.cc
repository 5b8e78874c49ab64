#include <string>

#include "weft/exec/functions/functions.h"
#include "weft/rdf/term.h"

namespace weft::exec {
namespace {

using rdf::Value;
using rdf::ValueKind;
using sparql::Function;

std::string two_digits(int value) {
  return {static_cast<char>('0' + value / 10 % 10), static_cast<char>('0' + value % 10)};
}

// "Z", "+05:30", "" without a timezone.
std::string timezone_text(const rdf::DateTimeParts& parts) {
  if (!parts.timezone_minutes) {
    return "";
  }
  const int minutes = *parts.timezone_minutes;
  if (minutes == 0) {
    return "Z";
  }
  const int size = minutes < 0 ? -minutes : minutes;
  return (minutes < 0 ? "-" : "+") + two_digits(size / 60) + ":" + two_digits(size % 60);
}

Value seconds_of(const rdf::DateTimeParts& parts) {
  std::string text = std::to_string(parts.second);
  if (parts.attosecond != 0) {
    std::string fraction = std::to_string(parts.attosecond);
    fraction.insert(0, 18 - fraction.size(), '0');
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += "." + fraction;
  }
  return Value::from_token(rdf::make_literal(text, {}, {}, std::string(rdf::kXsd) + "decimal"));
}

// The datatype may lack the part that is asked for.
bool has_part(ValueKind kind, Function function) {
  switch (function) {
    case Function::kYear:
      return kind == ValueKind::kDateTime || kind == ValueKind::kDate ||
             kind == ValueKind::kGYear || kind == ValueKind::kGYearMonth;
    case Function::kMonth:
      return kind == ValueKind::kDateTime || kind == ValueKind::kDate ||
             kind == ValueKind::kGYearMonth || kind == ValueKind::kGMonth ||
             kind == ValueKind::kGMonthDay;
    case Function::kDay:
      return kind == ValueKind::kDateTime || kind == ValueKind::kDate ||
             kind == ValueKind::kGMonthDay || kind == ValueKind::kGDay;
    case Function::kHours:
    case Function::kMinutes:
    case Function::kSeconds:
      return kind == ValueKind::kDateTime || kind == ValueKind::kTime;
    default:
      return true;
  }
}

Value timezone_duration(const rdf::DateTimeParts& parts) {
  if (!parts.timezone_minutes) {
    return {};
  }
  const int minutes = *parts.timezone_minutes;
  const int size = minutes < 0 ? -minutes : minutes;
  std::string text = minutes < 0 ? "-PT" : "PT";
  if (size >= 60) {
    text += std::to_string(size / 60) + "H";
  }
  if (size % 60 != 0) {
    text += std::to_string(size % 60) + "M";
  }
  if (size == 0) {
    text += "0S";
  }
  return Value::from_token(
      rdf::make_literal(text, {}, {}, std::string(rdf::kXsd) + "dayTimeDuration"));
}

}  // namespace

Value date_function(Function function, const Value& value) {
  const std::optional<rdf::DateTimeParts> parts = value.date_time_parts();
  if (!parts || !has_part(value.kind(), function)) {
    return {};
  }
  switch (function) {
    case Function::kYear:
      return Value::integer(parts->year);
    case Function::kMonth:
      return Value::integer(parts->month);
    case Function::kDay:
      return Value::integer(parts->day);
    case Function::kHours:
      return Value::integer(parts->hour);
    case Function::kMinutes:
      return Value::integer(parts->minute);
    case Function::kSeconds:
      return seconds_of(*parts);
    case Function::kTimezone:
      return timezone_duration(*parts);
    case Function::kTz:
      return Value::string(timezone_text(*parts));
    default:
      return {};
  }
}

}  // namespace weft::exec

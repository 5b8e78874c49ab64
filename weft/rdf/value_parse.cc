// From tokens to values.
#include <charconv>
#include <limits>
#include <utility>

#include "weft/base/check.h"
#include "weft/rdf/term.h"
#include "weft/rdf/value_internal.h"

namespace weft::rdf {
namespace {

template <typename Integer>
bool fits(const BigInteger& number) {
  return number >= std::numeric_limits<Integer>::min() &&
         number <= std::numeric_limits<Integer>::max();
}

bool in_range(const BigInteger& number, Derived derived) {
  switch (derived) {
    case Derived::kNone:
    case Derived::kDateTimeStamp:
      return true;
    case Derived::kNonPositiveInteger:
      return number <= 0;
    case Derived::kNegativeInteger:
      return number < 0;
    case Derived::kNonNegativeInteger:
      return number >= 0;
    case Derived::kPositiveInteger:
      return number > 0;
    case Derived::kLong:
      return fits<int64_t>(number);
    case Derived::kInt:
      return fits<int32_t>(number);
    case Derived::kShort:
      return fits<int16_t>(number);
    case Derived::kByte:
      return fits<int8_t>(number);
    case Derived::kUnsignedLong:
      return fits<uint64_t>(number);
    case Derived::kUnsignedInt:
      return fits<uint32_t>(number);
    case Derived::kUnsignedShort:
      return fits<uint16_t>(number);
    case Derived::kUnsignedByte:
      return fits<uint8_t>(number);
  }
  return false;
}

Value parse_integer(std::string_view lexical, Derived derived) {
  std::string_view digits = lexical;
  if (!digits.empty() && (digits.front() == '+' || digits.front() == '-')) {
    digits.remove_prefix(1);
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return {};
  }
  int64_t small = 0;
  const char* begin = lexical.data() + (lexical.front() == '+' ? 1 : 0);
  const char* end = lexical.data() + lexical.size();
  if (std::from_chars(begin, end, small).ec == std::errc()) {
    if (derived != Derived::kNone && !in_range(small, derived)) {
      return {};
    }
    return ValueAccess::derived(Value::integer(small), derived);
  }
  const std::optional<Decimal> number = parse_decimal(lexical);
  if (!number.has_value() || !in_range(number->coefficient, derived)) {
    return {};
  }
  Value result = ValueAccess::integer(number->coefficient);
  return result.is_defined() ? ValueAccess::derived(std::move(result), derived) : Value();
}

// Up to 18 digits without big numbers.
Value parse_small_decimal(std::string_view lexical) {
  constexpr size_t kDigitsMax = 18;
  int64_t coefficient = 0;
  uint32_t scale = 0;
  size_t digits = 0;
  bool point = false;
  bool negative = false;
  for (size_t i = 0; i < lexical.size(); ++i) {
    const char c = lexical[i];
    if (i == 0 && (c == '+' || c == '-')) {
      negative = c == '-';
    } else if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9' && digits < kDigitsMax) {
      coefficient = coefficient * 10 + (c - '0');
      scale += point ? 1 : 0;
      ++digits;
    } else {
      return {};
    }
  }
  return digits == 0 ? Value()
                     : ValueAccess::small_decimal(negative ? -coefficient : coefficient, scale);
}

Value literal(std::string_view token) {
  const LiteralParts parts = split_literal(token);
  const bool plain = parts.escaped.find('\\') == std::string_view::npos;
  std::string unescaped;
  std::string_view lexical = parts.escaped;
  if (!plain) {
    std::optional<std::string> text = unescape(parts.escaped);
    if (!text.has_value()) {
      return Value::term(ValueKind::kOther, token);
    }
    unescaped = std::move(*text);
    lexical = unescaped;
  }
  if (!parts.language.empty()) {
    return Value::lang_string(lexical, parts.language, parts.direction);
  }
  if (parts.datatype.empty()) {
    return Value::string(lexical);
  }
  const Datatype datatype = find_datatype(parts.datatype);
  if (datatype.kind != ValueKind::kOther) {
    Value result = parse_typed(lexical, datatype.kind, datatype.derived);
    if (result.is_defined()) {
      return result;
    }
  }
  return Value::term(ValueKind::kOther, token);
}

}  // namespace

Value parse_typed(std::string_view lexical, ValueKind kind, Derived derived) {
  switch (kind) {
    case ValueKind::kString:
      return Value::string(lexical);
    case ValueKind::kBoolean:
      if (lexical == "true" || lexical == "1") {
        return Value::boolean(true);
      }
      return lexical == "false" || lexical == "0" ? Value::boolean(false) : Value();
    case ValueKind::kInteger:
      return parse_integer(lexical, derived);
    case ValueKind::kDecimal: {
      Value small = parse_small_decimal(lexical);
      if (small.is_defined()) {
        return small;
      }
      const std::optional<Decimal> number = parse_decimal(lexical);
      return number.has_value() ? ValueAccess::decimal(*number) : Value();
    }
    case ValueKind::kFloat: {
      const std::optional<float> number = parse_float(lexical);
      return number.has_value() ? Value::float_number(*number) : Value();
    }
    case ValueKind::kDouble: {
      const std::optional<double> number = parse_double(lexical);
      return number.has_value() ? Value::double_number(*number) : Value();
    }
    case ValueKind::kDateTime: {
      Value value = parse_time(lexical, kind);
      if (derived == Derived::kDateTimeStamp && !ValueAccess::timezone(value).has_value()) {
        return {};
      }
      return value.is_defined() ? ValueAccess::derived(std::move(value), derived) : Value();
    }
    case ValueKind::kDate:
    case ValueKind::kTime:
    case ValueKind::kGYear:
    case ValueKind::kGYearMonth:
    case ValueKind::kGMonth:
    case ValueKind::kGMonthDay:
    case ValueKind::kGDay:
      return parse_time(lexical, kind);
    case ValueKind::kDuration:
    case ValueKind::kYearMonthDuration:
    case ValueKind::kDayTimeDuration:
      return parse_duration(lexical, kind);
    case ValueKind::kUndefined:
    case ValueKind::kBlankNode:
    case ValueKind::kIri:
    case ValueKind::kLangString:
    case ValueKind::kOther:
    case ValueKind::kTriple:
      return {};
  }
  return {};
}

Value Value::from_token(std::string_view token) {
  if (token.empty()) {
    return {};
  }
  switch (kind_of(token)) {
    case TermKind::kIri:
      return term(ValueKind::kIri, iri_of(token));
    case TermKind::kBlankNode:
      return term(ValueKind::kBlankNode, token);
    case TermKind::kTriple:
      return term(ValueKind::kTriple, token);
    case TermKind::kLiteral:
      return literal(token);
  }
  return {};
}

}  // namespace weft::rdf

#include "weft/rdf/value.h"

#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "weft/base/check.h"
#include "weft/rdf/term.h"
#include "weft/rdf/value_internal.h"

namespace weft::rdf {

// Text, language and direction behind one header, in one allocation.
struct Value::SharedText {
  std::atomic<uint32_t> references{1};
  uint32_t language_length = 0;
  uint32_t direction_length = 0;
  size_t text_length = 0;

  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
};

struct Value::SharedNumber {
  std::atomic<uint32_t> references{1};
  Decimal number;
};

Value::Value(const Value& other) noexcept
    : kind_(other.kind_),
      derived_(other.derived_),
      storage_(other.storage_),
      text_length_(other.text_length_),
      has_timezone_(other.has_timezone_),
      timezone_minutes_(other.timezone_minutes_),
      payload_(other.payload_) {
  if (storage_ == Storage::kText) {
    payload_.shared_text->references.fetch_add(1, std::memory_order_relaxed);
  } else if (storage_ == Storage::kNumber) {
    payload_.shared_number->references.fetch_add(1, std::memory_order_relaxed);
  }
}

Value::Value(Value&& other) noexcept
    : kind_(std::exchange(other.kind_, ValueKind::kUndefined)),
      derived_(other.derived_),
      storage_(std::exchange(other.storage_, Storage::kInline)),
      text_length_(other.text_length_),
      has_timezone_(other.has_timezone_),
      timezone_minutes_(other.timezone_minutes_),
      payload_(other.payload_) {}

Value& Value::operator=(const Value& other) noexcept {
  if (this != &other) {
    Value copy(other);
    *this = std::move(copy);
  }
  return *this;
}

Value& Value::operator=(Value&& other) noexcept {
  if (this != &other) {
    release();
    kind_ = std::exchange(other.kind_, ValueKind::kUndefined);
    derived_ = other.derived_;
    storage_ = std::exchange(other.storage_, Storage::kInline);
    text_length_ = other.text_length_;
    has_timezone_ = other.has_timezone_;
    timezone_minutes_ = other.timezone_minutes_;
    payload_ = other.payload_;
  }
  return *this;
}

void Value::release() noexcept {
  if (storage_ == Storage::kText) {
    if (payload_.shared_text->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      payload_.shared_text->~SharedText();
      ::operator delete(payload_.shared_text);
    }
  } else if (storage_ == Storage::kNumber) {
    if (payload_.shared_number->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete payload_.shared_number;
    }
  }
}

Value Value::boolean(bool value) {
  Value result;
  result.kind_ = ValueKind::kBoolean;
  result.payload_.boolean = value;
  return result;
}

Value Value::integer(int64_t value) {
  Value result;
  result.kind_ = ValueKind::kInteger;
  result.payload_.integer = value;
  return result;
}

Value Value::float_number(float value) {
  Value result;
  result.kind_ = ValueKind::kFloat;
  result.payload_.float_number = value;
  return result;
}

Value Value::double_number(double value) {
  Value result;
  result.kind_ = ValueKind::kDouble;
  result.payload_.double_number = value;
  return result;
}

Value Value::string(std::string_view text) {
  return term(ValueKind::kString, text);
}

Value Value::lang_string(std::string_view text, std::string_view language,
                         std::string_view direction) {
  Value result;
  void* memory =
      ::operator new(sizeof(SharedText) + text.size() + language.size() + direction.size());
  auto* shared = new (memory) SharedText;
  shared->text_length = text.size();
  shared->language_length = static_cast<uint32_t>(language.size());
  shared->direction_length = static_cast<uint32_t>(direction.size());
  char* out = shared->bytes();
  for (const std::string_view part : {text, language, direction}) {
    if (!part.empty()) {
      std::memcpy(out, part.data(), part.size());
      out += part.size();
    }
  }
  result.kind_ = ValueKind::kLangString;
  result.storage_ = Storage::kText;
  result.payload_.shared_text = shared;
  return result;
}

Value Value::term(ValueKind kind, std::string_view token) {
  if (token.size() > sizeof(Payload::text)) {
    Value result = lang_string(token, {});
    result.kind_ = kind;
    return result;
  }
  Value result;
  result.kind_ = kind;
  result.text_length_ = static_cast<uint8_t>(token.size());
  if (!token.empty()) {
    std::memcpy(result.payload_.text, token.data(), token.size());
  }
  return result;
}

Value Value::date_time(int64_t unix_milliseconds) {
  constexpr int64_t kPerSecond = 1000;
  constexpr int64_t kAttosecondsPerMillisecond = 1'000'000'000'000'000;
  int64_t seconds = unix_milliseconds / kPerSecond;
  int64_t rest = unix_milliseconds % kPerSecond;
  if (rest < 0) {
    rest += kPerSecond;
    --seconds;
  }
  return ValueAccess::time(ValueKind::kDateTime, {0, seconds, rest * kAttosecondsPerMillisecond},
                           int16_t{0});
}

std::optional<int64_t> Value::as_int64() const {
  if (kind_ != ValueKind::kInteger || storage_ != Storage::kInline) {
    return std::nullopt;
  }
  return payload_.integer;
}

double Value::as_double() const {
  switch (kind_) {
    case ValueKind::kInteger:
      if (storage_ == Storage::kInline) {
        return static_cast<double>(payload_.integer);
      }
      return to_double(payload_.shared_number->number);
    case ValueKind::kDecimal: {
      // Both parts exact as doubles: one division rounds correctly.
      constexpr int64_t kExact = int64_t{1} << 53U;
      if (storage_ == Storage::kInline && payload_.decimal.scale <= kSmallScaleMax &&
          payload_.decimal.coefficient <= kExact && payload_.decimal.coefficient >= -kExact) {
        return static_cast<double>(payload_.decimal.coefficient) /
               static_cast<double>(small_power_of_ten(payload_.decimal.scale));
      }
      return to_double(ValueAccess::exact(*this));
    }
    case ValueKind::kFloat:
      return static_cast<double>(payload_.float_number);
    case ValueKind::kDouble:
      return payload_.double_number;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

std::string_view Value::text() const& {
  if (storage_ == Storage::kText) {
    return {payload_.shared_text->bytes(), payload_.shared_text->text_length};
  }
  const bool is_text = kind_ == ValueKind::kString || kind_ == ValueKind::kIri ||
                       kind_ == ValueKind::kBlankNode || kind_ == ValueKind::kTriple ||
                       kind_ == ValueKind::kOther;
  return is_text ? std::string_view(payload_.text, text_length_) : std::string_view();
}

std::string_view Value::language() const& {
  if (kind_ != ValueKind::kLangString) {
    return {};
  }
  const SharedText& shared = *payload_.shared_text;
  return {shared.bytes() + shared.text_length, shared.language_length};
}

std::string_view Value::direction() const& {
  if (kind_ != ValueKind::kLangString) {
    return {};
  }
  const SharedText& shared = *payload_.shared_text;
  return {shared.bytes() + shared.text_length + shared.language_length, shared.direction_length};
}

Value ValueAccess::integer(const BigInteger& number) {
  if (number >= std::numeric_limits<int64_t>::min() &&
      number <= std::numeric_limits<int64_t>::max()) {
    return Value::integer(static_cast<int64_t>(number));
  }
  Value result = decimal({number, 0});
  if (result.is_defined()) {
    result.kind_ = ValueKind::kInteger;
  }
  return result;
}

Value ValueAccess::decimal(const Decimal& number) {
  if (!within_limit(number)) {
    return {};
  }
  Value result;
  result.kind_ = ValueKind::kDecimal;
  if (number.coefficient >= std::numeric_limits<int64_t>::min() &&
      number.coefficient <= std::numeric_limits<int64_t>::max()) {
    result.payload_.decimal = {static_cast<int64_t>(number.coefficient), number.scale};
    return result;
  }
  auto* shared = new Value::SharedNumber;
  shared->number = number;
  result.storage_ = Value::Storage::kNumber;
  result.payload_.shared_number = shared;
  return result;
}

Value ValueAccess::small_decimal(int64_t coefficient, uint32_t scale) {
  constexpr int64_t kTen = 10;
  while (scale > 0 && coefficient % kTen == 0) {
    coefficient /= kTen;
    --scale;
  }
  Value result;
  result.kind_ = ValueKind::kDecimal;
  result.payload_.decimal = {coefficient, scale};
  return result;
}

Value ValueAccess::derived(Value value, Derived derived) {
  value.derived_ = derived;
  return value;
}

Value ValueAccess::time(ValueKind kind, Seconds seconds, std::optional<int16_t> timezone_minutes) {
  Value result;
  result.kind_ = kind;
  result.has_timezone_ = timezone_minutes.has_value();
  result.timezone_minutes_ = timezone_minutes.value_or(0);
  result.payload_.time = seconds;
  return result;
}

ValueAccess::Small ValueAccess::small(const Value& value) {
  if (value.kind_ == ValueKind::kInteger) {
    return {value.payload_.integer, 0};
  }
  return {value.payload_.decimal.coefficient, value.payload_.decimal.scale};
}

Decimal ValueAccess::exact(const Value& value) {
  if (value.storage_ == Value::Storage::kNumber) {
    return value.payload_.shared_number->number;
  }
  const Small parts = small(value);
  return {BigInteger(parts.coefficient), parts.scale};
}

}  // namespace weft::rdf

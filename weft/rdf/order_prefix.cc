#include "weft/rdf/order_prefix.h"

#include <bit>
#include <cmath>
#include <string_view>

#include "weft/rdf/value_internal.h"

namespace weft::rdf {
namespace {

// The family stands in front (as order() ranks it), what is in it takes the other bits.
constexpr unsigned kFamilyShift = 58;
constexpr unsigned kDroppedBits = 64 - kFamilyShift;
constexpr uint64_t kSign = uint64_t{1} << 63U;

uint64_t within_numbers(double number) {
  if (std::isnan(number)) {
    return 0;
  }
  const auto bits = std::bit_cast<uint64_t>(number + 0.0);  // one zero only
  return ((bits & kSign) != 0 ? ~bits : bits | kSign) >> kDroppedBits;
}

uint64_t within_texts(std::string_view text) {
  constexpr size_t kBytes = 7;
  uint64_t bytes = 0;
  for (size_t i = 0; i < kBytes; ++i) {
    bytes = bytes << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return bytes;
}

uint64_t within_times(const Value& value) {
  constexpr int64_t kSecondsPerMinute = 60;
  const int64_t seconds = ValueAccess::seconds(value).seconds -
                          ValueAccess::timezone(value).value_or(0) * kSecondsPerMinute;
  return (static_cast<uint64_t>(seconds) ^ kSign) >> kDroppedBits;
}

uint64_t family(ValueKind kind, uint64_t within) {
  return static_cast<uint64_t>(kind) << kFamilyShift | within;
}

}  // namespace

uint64_t order_prefix(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kInteger:
    case ValueKind::kDecimal:
    case ValueKind::kFloat:
    case ValueKind::kDouble:
      return family(ValueKind::kInteger, within_numbers(value.as_double()));
    case ValueKind::kDuration:
    case ValueKind::kYearMonthDuration:
    case ValueKind::kDayTimeDuration:
      return family(ValueKind::kDuration, 0);
    case ValueKind::kDateTime:
    case ValueKind::kDate:
    case ValueKind::kTime:
    case ValueKind::kGYear:
    case ValueKind::kGYearMonth:
    case ValueKind::kGMonth:
    case ValueKind::kGMonthDay:
    case ValueKind::kGDay:
      return family(value.kind(), within_times(value));
    case ValueKind::kBlankNode:
    case ValueKind::kIri:
    case ValueKind::kString:
    case ValueKind::kLangString:
    case ValueKind::kOther:
      return family(value.kind(), within_texts(value.text()));
    case ValueKind::kBoolean:
      return family(value.kind(), value.as_boolean() ? 1 : 0);
    case ValueKind::kUndefined:
    case ValueKind::kTriple:
      return family(value.kind(), 0);
  }
  return 0;
}

}  // namespace weft::rdf

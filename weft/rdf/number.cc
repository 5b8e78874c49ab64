#include "weft/rdf/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "weft/base/check.h"
#include "weft/rdf/value.h"

namespace weft::rdf {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Raises both to the larger scale.
void align(Decimal& a, Decimal& b) {
  if (a.scale < b.scale) {
    a.coefficient *= power_of_ten(b.scale - a.scale);
    a.scale = b.scale;
  } else if (b.scale < a.scale) {
    b.coefficient *= power_of_ten(a.scale - b.scale);
    b.scale = a.scale;
  }
}

struct Lexical {
  bool negative = false;
  std::string digits;    // without leading zeros
  int64_t exponent = 0;  // of the last digit
};

// The number in a decimal or double lexical form; nullopt if it is none.
std::optional<Lexical> scan(std::string_view text, bool exponent_allowed) {
  Lexical result;
  size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) {
    result.negative = text[i++] == '-';
  }
  size_t digit_count = 0;
  int64_t fraction = 0;
  bool point = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    ++digit_count;
    fraction += point ? 1 : 0;
    if (text[i] != '0' || !result.digits.empty()) {
      result.digits.push_back(text[i]);
    }
  }
  if (digit_count == 0) {
    return std::nullopt;
  }
  result.exponent = -fraction;
  if (exponent_allowed && i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && text[i] == '+') {
      ++i;
      if (i < text.size() && text[i] == '-') {
        return std::nullopt;
      }
    }
    int64_t exponent = 0;
    const auto parsed = std::from_chars(text.data() + i, text.data() + text.size(), exponent);
    if (parsed.ec == std::errc::invalid_argument) {
      return std::nullopt;
    }
    if (parsed.ec == std::errc::result_out_of_range) {
      exponent = text[i] == '-' ? -1'000'000'000'000 : 1'000'000'000'000;
    }
    constexpr int64_t kFar = 1'000'000'000'000;
    result.exponent += std::max(-kFar, std::min(kFar, exponent));
    i = static_cast<size_t>(parsed.ptr - text.data());
  }
  if (i != text.size()) {
    return std::nullopt;
  }
  return result;
}

template <typename Float>
std::optional<Float> parse_floating(std::string_view text) {
  if (text == "NaN") {
    return std::numeric_limits<Float>::quiet_NaN();
  }
  if (text == "INF" || text == "+INF") {
    return std::numeric_limits<Float>::infinity();
  }
  if (text == "-INF") {
    return -std::numeric_limits<Float>::infinity();
  }
  const std::optional<Lexical> parts = scan(text, true);
  if (!parts.has_value()) {
    return std::nullopt;
  }
  if (text.front() == '+') {
    text.remove_prefix(1);
  }
  Float value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) {
    const bool large = static_cast<int64_t>(parts->digits.size()) + parts->exponent > 0;
    value = large ? std::numeric_limits<Float>::infinity() : Float{0};
    return parts->negative ? -value : value;
  }
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

template <typename Float>
std::string canonical_floating(Float value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "INF" : "-INF";
  }
  std::array<char, 64> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(written.ptr - buffer.data()));
  const size_t mark = text.find('e');
  std::string result(text.substr(0, mark));
  if (result.find('.') == std::string::npos) {
    result += ".0";
  }
  std::string_view exponent = text.substr(mark + 1);
  result += exponent.front() == '-' ? "E-" : "E";
  exponent.remove_prefix(1);
  while (exponent.size() > 1 && exponent.front() == '0') {
    exponent.remove_prefix(1);
  }
  return result.append(exponent);
}

}  // namespace

BigInteger power_of_ten(uint32_t exponent) {
  return boost::multiprecision::pow(BigInteger(10), exponent);
}

void normalise(Decimal& number) {
  if (number.coefficient.is_zero()) {
    number.scale = 0;
    return;
  }
  // Whole blocks first: one division per zero would be quadratic.
  for (const uint32_t block : {1024U, 128U, 16U, 4U, 1U}) {
    if (number.scale < block) {
      continue;
    }
    const BigInteger divisor = power_of_ten(block);
    while (number.scale >= block) {
      BigInteger quotient;
      BigInteger remainder;
      boost::multiprecision::divide_qr(number.coefficient, divisor, quotient, remainder);
      if (!remainder.is_zero()) {
        break;
      }
      number.coefficient = std::move(quotient);
      number.scale -= block;
    }
  }
}

bool within_limit(const Decimal& number) {
  if (number.scale > kNumberDigitsMax) {
    return false;
  }
  // 3321928 / 10^6 < log2(10): quick answers for most, exact for those near the limit.
  const auto bits =
      number.coefficient.is_zero()
          ? 0
          : boost::multiprecision::msb(boost::multiprecision::abs(number.coefficient));
  if (bits < uint64_t{kNumberDigitsMax} * 3'321'928 / 1'000'000) {
    return true;
  }
  return boost::multiprecision::abs(number.coefficient) < power_of_ten(kNumberDigitsMax);
}

std::string to_text(const Decimal& number) {
  std::string digits = BigInteger(boost::multiprecision::abs(number.coefficient)).str();
  if (number.scale > 0) {
    if (digits.size() <= number.scale) {
      digits.insert(0, number.scale - digits.size() + 1, '0');
    }
    digits.insert(digits.size() - number.scale, 1, '.');
  }
  return (number.coefficient < 0 ? "-" : "") + digits;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  std::optional<Lexical> parts = scan(text, false);
  if (!parts.has_value()) {
    return std::nullopt;
  }
  while (parts->exponent < 0 && !parts->digits.empty() && parts->digits.back() == '0') {
    parts->digits.pop_back();
    ++parts->exponent;
  }
  Decimal result;
  if (parts->digits.empty()) {
    return result;
  }
  if (parts->digits.size() > kNumberDigitsMax || -parts->exponent > int64_t{kNumberDigitsMax}) {
    return std::nullopt;
  }
  result.coefficient = BigInteger(parts->digits);
  if (parts->negative) {
    result.coefficient = -result.coefficient;
  }
  result.scale = static_cast<uint32_t>(-parts->exponent);
  return result;
}

int compare(const Decimal& a, const Decimal& b) {
  Decimal left = a;
  Decimal right = b;
  align(left, right);
  return left.coefficient.compare(right.coefficient);
}

Decimal add(const Decimal& a, const Decimal& b) {
  Decimal left = a;
  Decimal right = b;
  align(left, right);
  left.coefficient += right.coefficient;
  normalise(left);
  return left;
}

Decimal subtract(const Decimal& a, const Decimal& b) {
  return add(a, {-b.coefficient, b.scale});
}

Decimal multiply(const Decimal& a, const Decimal& b) {
  Decimal result{a.coefficient * b.coefficient, a.scale + b.scale};
  normalise(result);
  return result;
}

Decimal divide(const Decimal& a, const Decimal& b) {
  WEFT_CHECK(!b.coefficient.is_zero());
  const uint32_t digits = std::max({kQuotientDigits, a.scale, b.scale});
  // a / b at scale `digits`: a.coefficient × 10^(digits + b.scale - a.scale) / b.coefficient.
  const BigInteger numerator = a.coefficient * power_of_ten(digits + b.scale - a.scale);
  Decimal result;
  BigInteger remainder;
  boost::multiprecision::divide_qr(numerator, b.coefficient, result.coefficient, remainder);
  result.scale = digits;
  const int half = BigInteger(boost::multiprecision::abs(remainder) * 2)
                       .compare(boost::multiprecision::abs(b.coefficient));
  const bool odd =
      boost::multiprecision::bit_test(boost::multiprecision::abs(result.coefficient), 0);
  if (half > 0 || (half == 0 && odd)) {
    const bool negative = (numerator < 0) != (b.coefficient < 0);
    result.coefficient += negative ? -1 : 1;
  }
  normalise(result);
  return result;
}

Decimal round_to_integer(const Decimal& number, Rounding rounding) {
  if (number.scale == 0) {
    return number;
  }
  const BigInteger unit = power_of_ten(number.scale);
  BigInteger quotient;
  BigInteger remainder;  // has the sign of the number
  boost::multiprecision::divide_qr(number.coefficient, unit, quotient, remainder);
  const bool negative = remainder < 0;
  switch (rounding) {
    case Rounding::kTruncate:
      break;
    case Rounding::kFloor:
      quotient -= negative ? 1 : 0;
      break;
    case Rounding::kCeiling:
      quotient += !negative && !remainder.is_zero() ? 1 : 0;
      break;
    case Rounding::kHalfUp: {
      const int half = BigInteger(boost::multiprecision::abs(remainder) * 2).compare(unit);
      if (negative) {
        quotient -= half > 0 ? 1 : 0;
      } else {
        quotient += half >= 0 ? 1 : 0;
      }
      break;
    }
  }
  return {std::move(quotient), 0};
}

double to_double(const Decimal& number) {
  return parse_double(to_text(number)).value_or(std::numeric_limits<double>::quiet_NaN());
}

float to_float(const Decimal& number) {
  return parse_float(to_text(number)).value_or(std::numeric_limits<float>::quiet_NaN());
}

Decimal exact_decimal(double value) {
  WEFT_CHECK(std::isfinite(value));
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  constexpr int kMantissaBits = std::numeric_limits<double>::digits;
  const auto mantissa = static_cast<int64_t>(std::ldexp(fraction, kMantissaBits));
  exponent -= kMantissaBits;
  Decimal result{BigInteger(mantissa), 0};
  if (exponent >= 0) {
    result.coefficient <<= exponent;
    return result;
  }
  // m / 2^k = m × 5^k / 10^k
  result.scale = static_cast<uint32_t>(-exponent);
  result.coefficient *= boost::multiprecision::pow(BigInteger(5), result.scale);
  normalise(result);
  return result;
}

std::string canonical_text(double value) {
  return canonical_floating(value);
}

std::string canonical_text(float value) {
  return canonical_floating(value);
}

std::optional<double> parse_double(std::string_view text) {
  return parse_floating<double>(text);
}

std::optional<float> parse_float(std::string_view text) {
  return parse_floating<float>(text);
}

}  // namespace weft::rdf

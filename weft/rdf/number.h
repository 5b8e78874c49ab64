// Exact numbers of any size for values (value.h, V1): integers and decimals over Boost's cpp_int.
// Heavy to include: for the .cc files of values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/multiprecision/cpp_int.hpp>

namespace weft::rdf {

using BigInteger = boost::multiprecision::cpp_int;
__extension__ using Int128 = __int128;

// coefficient × 10^-scale. Normal: no trailing zero in the coefficient unless the scale is 0.
struct Decimal {
  BigInteger coefficient;
  uint32_t scale = 0;
};

BigInteger power_of_ten(uint32_t exponent);
// Removes trailing zeros of the fraction.
void normalise(Decimal& number);
// False if it has more than kNumberDigitsMax digits (before or after the point).
bool within_limit(const Decimal& number);

// "-?digits(.digits)?" of a normal decimal; canonical for xsd:integer and xsd:decimal of XSD 1.1.
std::string to_text(const Decimal& number);
// An optional sign, digits and a point, at least one digit. nullopt for anything else, and past
// kNumberDigitsMax.
std::optional<Decimal> parse_decimal(std::string_view text);

int compare(const Decimal& a, const Decimal& b);
Decimal add(const Decimal& a, const Decimal& b);
Decimal subtract(const Decimal& a, const Decimal& b);
Decimal multiply(const Decimal& a, const Decimal& b);
// `b` is not zero. V1 says how it rounds.
Decimal divide(const Decimal& a, const Decimal& b);

enum class Rounding : uint8_t { kTruncate, kFloor, kCeiling, kHalfUp };
// To an integer.
Decimal round_to_integer(const Decimal& number, Rounding rounding);

// The nearest double; infinite if too large.
double to_double(const Decimal& number);
float to_float(const Decimal& number);
// The exact value of a finite number.
Decimal exact_decimal(double value);

// XSD 1.1 canonical forms: "1.5E0", "INF", "NaN".
std::string canonical_text(double value);
std::string canonical_text(float value);
// Lexical forms of xsd:double and xsd:float, "+INF" among them. nullopt for others.
std::optional<double> parse_double(std::string_view text);
std::optional<float> parse_float(std::string_view text);

}  // namespace weft::rdf

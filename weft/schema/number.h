// Numbers as the schema and the query language write them, exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::schema {

// A decimal number, kept as an integer where it is one. A value.
class Number {
 public:
  Number() = default;
  // `digits` as the scanner gives a kNumber. nullopt: an integer beyond 64 bits, a float beyond
  // what F64 holds.
  static std::optional<Number> parse(std::string_view digits, bool negative);

  bool is_integer() const { return integer_; }
  bool is_negative() const { return negative_; }
  // Without the sign; only of an integer.
  uint64_t magnitude() const { return magnitude_; }
  // The value as a signed integer, if it is one and fits.
  std::optional<int64_t> as_int64() const;
  double as_double() const { return value_; }

  // This number against a value of a property: exact, also for 64-bit integers against floats.
  // -1, 0, 1: below, equal, above; 2 if `value` is no number.
  int compare(int64_t value) const;
  int compare(uint64_t value) const;
  int compare(double value) const;
  int compare(const Number& other) const;

  // Shortest decimal spelling: "-5", "1.5".
  std::string to_string() const;
  friend bool operator==(const Number& a, const Number& b) {
    return a.integer_ == b.integer_ && a.compare(b) == 0;
  }

 private:
  // Long double has 64 bits of mantissa or more wherever weft runs (checked in number.cc): it holds
  // every I64, U64 and F64.
  long double wide() const;

  bool integer_ = true;
  bool negative_ = false;
  uint64_t magnitude_ = 0;
  double value_ = 0;
};

}  // namespace weft::schema

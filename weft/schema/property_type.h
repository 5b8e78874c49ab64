// Types of properties and parameters: eleven scalars, lists of them, vectors of floats, enums.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::schema {

enum class Scalar : uint8_t {
  kString,
  kBlob,
  kBool,
  kI32,
  kI64,
  kU32,
  kU64,
  kF32,
  kF64,
  kDate,      // days since 1970-01-01, 32 bits
  kDateTime,  // milliseconds since 1970-01-01T00:00Z, 64 bits
};
inline constexpr size_t kScalarCount = 11;

std::string_view scalar_name(Scalar scalar);
std::optional<Scalar> find_scalar(std::string_view name);
bool is_integer(Scalar scalar);
bool is_numeric(Scalar scalar);  // integers and floats

// A value. An enum is a String with a closed set of values.
struct PropertyType {
  Scalar scalar = Scalar::kString;
  bool is_list = false;
  // Items of a Vector (whose scalar is kF32); 0: no vector. 1 to 2^31 - 1.
  uint32_t vector_width = 0;
  // Sorted by bytes, unique; empty: no enum.
  std::vector<std::string> enum_values;
  bool nullable = false;

  bool is_vector() const { return vector_width > 0; }
  bool is_enum() const { return !enum_values.empty(); }
  bool is_plain() const { return !is_list && !is_vector(); }  // one scalar; enums too
  bool has_enum_value(std::string_view value) const;
  // "[String]?", "Vector(3)", "enum(a, b)?".
  std::string to_string() const;
  friend bool operator==(const PropertyType&, const PropertyType&) = default;
};

}  // namespace weft::schema

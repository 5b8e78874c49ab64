#include "weft/schema/property_type.h"

#include <algorithm>
#include <array>

namespace weft::schema {
namespace {

constexpr std::array<std::string_view, kScalarCount> kNames = {
    "String", "Blob", "Bool", "I32", "I64", "U32", "U64", "F32", "F64", "Date", "DateTime"};

}  // namespace

std::string_view scalar_name(Scalar scalar) {
  return kNames[static_cast<size_t>(scalar)];
}

std::optional<Scalar> find_scalar(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    return std::nullopt;
  }
  return static_cast<Scalar>(found - kNames.begin());
}

bool is_integer(Scalar scalar) {
  return scalar >= Scalar::kI32 && scalar <= Scalar::kU64;
}

bool is_numeric(Scalar scalar) {
  return scalar >= Scalar::kI32 && scalar <= Scalar::kF64;
}

bool PropertyType::has_enum_value(std::string_view value) const {
  return std::binary_search(enum_values.begin(), enum_values.end(), value);
}

std::string PropertyType::to_string() const {
  std::string text;
  if (is_vector()) {
    text = "Vector(" + std::to_string(vector_width) + ")";
  } else if (is_enum()) {
    text = "enum(";
    for (const std::string& value : enum_values) {
      text += (&value == enum_values.data() ? "" : ", ") + value;
    }
    text += ')';
  } else if (is_list) {
    text = "[" + std::string(scalar_name(scalar)) + "]";
  } else {
    text = scalar_name(scalar);
  }
  return nullable ? text + "?" : text;
}

}  // namespace weft::schema

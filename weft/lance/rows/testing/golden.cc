#include "weft/lance/rows/testing/golden.h"

#include <cmath>

namespace weft::lance {
namespace {

using columns::Array;
using columns::TypeId;

bool same_float(double value, const json::Value& expected) {
  if (const std::string* const text = expected.as_string(); text != nullptr) {
    return (*text == "nan" && std::isnan(value)) || (*text == "inf" && value == HUGE_VAL) ||
           (*text == "-inf" && value == -HUGE_VAL);
  }
  return expected.as_double() == value;
}

double half(uint16_t bits) {
  const int exponent = (bits >> 10U) & 0x1f;
  const double fraction = bits & 0x3ffU;
  const double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000U) != 0 ? -value : value;
}

bool same(const Array& array, size_t index, const json::Value& expected);

bool same_items(const Array& array, size_t index, const json::Value& expected) {
  const auto [from, to] = array.list_range(index);
  if (!expected.is_array() || expected.items().size() != to - from) {
    return false;
  }
  for (size_t i = from; i < to; ++i) {
    const json::Value& item = expected.items()[i - from];
    const Array& child = *array.child(0);
    if (array.id() == TypeId::kMap) {
      const size_t position = child.parts().offset + i;
      if (item.items().size() != 2 || !same(*child.child(0), position, item.items()[0]) ||
          !same(*child.child(1), position, item.items()[1])) {
        return false;
      }
    } else if (!same(child, i, item)) {
      return false;
    }
  }
  return true;
}

bool same_members(const Array& array, size_t index, const json::Value& expected) {
  const auto& members = array.type()->children();
  for (size_t i = 0; i < members.size(); ++i) {
    const json::Value* const member = expected.find(members[i].name);
    if (member == nullptr || !same(*array.child(i), array.parts().offset + index, *member)) {
      return false;
    }
  }
  return expected.members().size() == members.size();
}

bool same(const Array& array, size_t index, const json::Value& expected) {
  if (array.is_null(index) || expected.is_null()) {
    return array.is_null(index) && expected.is_null();
  }
  switch (array.id()) {
    case TypeId::kBool:
      return expected.as_boolean() == array.boolean(index);
    case TypeId::kHalf:
      return same_float(half(array.value<uint16_t>(index)), expected);
    case TypeId::kFloat:
      return same_float(array.value<float>(index), expected);
    case TypeId::kDouble:
      return same_float(array.value<double>(index), expected);
    case TypeId::kString:
    case TypeId::kLargeString:
      return expected.as_string() != nullptr && *expected.as_string() == array.text(index);
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
    case TypeId::kFixedBinary:
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return expected.as_string() != nullptr &&
             *expected.as_string() == columns::element_text(array, index);
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kFixedSizeList:
    case TypeId::kMap:
      return same_items(array, index, expected);
    case TypeId::kStruct:
      return same_members(array, index, expected);
    case TypeId::kDictionary:
      return same(*array.parts().dictionary, static_cast<size_t>(array.integer(index)), expected);
    case TypeId::kUint64:
      return expected.number_spelling() == std::to_string(array.value<uint64_t>(index));
    default:
      return expected.number_spelling() == std::to_string(array.integer(index));
  }
}

}  // namespace

std::string golden_difference(const Array& array, size_t index, const json::Value& value) {
  return same(array, index, value) ? std::string()
                                   : columns::element_text(array, index) + " instead of " +
                                         json::write(value, {.indent = 0}).substr(0, 200);
}

}  // namespace weft::lance

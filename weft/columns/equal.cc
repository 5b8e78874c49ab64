#include <cmath>

#include "weft/columns/array.h"

namespace weft::columns {
namespace {

bool is_half_nan(uint16_t bits) {
  return (bits & 0x7c00U) == 0x7c00U && (bits & 0x03ffU) != 0;
}

bool equal_fixed(const Array& left, size_t i, const Array& right, size_t j) {
  switch (left.id()) {
    case TypeId::kBool:
      return left.boolean(i) == right.boolean(j);
    case TypeId::kHalf: {
      const auto a = left.value<uint16_t>(i);
      const auto b = right.value<uint16_t>(j);
      return a == b || (is_half_nan(a) && is_half_nan(b));
    }
    case TypeId::kFloat:
      if (std::isnan(left.value<float>(i)) && std::isnan(right.value<float>(j))) {
        return true;
      }
      break;
    case TypeId::kDouble:
      if (std::isnan(left.value<double>(i)) && std::isnan(right.value<double>(j))) {
        return true;
      }
      break;
    default:
      break;
  }
  const ByteView a = left.fixed(i);
  const ByteView b = right.fixed(j);
  return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

bool equal_items(const Array& left, size_t i, const Array& right, size_t j) {
  const auto [from, to] = left.list_range(i);
  const auto [other_from, other_to] = right.list_range(j);
  if (to - from != other_to - other_from) {
    return false;
  }
  for (size_t k = 0; k < to - from; ++k) {
    if (!equal_at(*left.child(0), from + k, *right.child(0), other_from + k)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool equal_at(const Array& left, size_t left_index, const Array& right, size_t right_index) {
  const bool valid = left.is_valid(left_index);
  if (valid != right.is_valid(right_index)) {
    return false;
  }
  if (!valid) {
    return true;
  }
  const TypeId id = left.id();
  if (id == TypeId::kDictionary) {
    return equal_at(*left.parts().dictionary, static_cast<size_t>(left.integer(left_index)),
                    *right.parts().dictionary, static_cast<size_t>(right.integer(right_index)));
  }
  if (is_binary_like(id)) {
    return left.text(left_index) == right.text(right_index);
  }
  if (is_list_like(id) || id == TypeId::kFixedSizeList) {
    return equal_items(left, left_index, right, right_index);
  }
  if (id == TypeId::kStruct) {
    for (size_t k = 0; k < left.parts().children.size(); ++k) {
      if (!equal_at(*left.child(k), left.parts().offset + left_index, *right.child(k),
                    right.parts().offset + right_index)) {
        return false;
      }
    }
    return true;
  }
  return equal_fixed(left, left_index, right, right_index);
}

bool equal(const Array& left, const Array& right) {
  if (left.length() != right.length() || !(*left.type() == *right.type())) {
    return false;
  }
  for (size_t i = 0; i < left.length(); ++i) {
    if (!equal_at(left, i, right, i)) {
      return false;
    }
  }
  return true;
}

}  // namespace weft::columns

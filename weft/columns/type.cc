#include "weft/columns/type.h"

#include <array>

namespace weft::columns {

struct TypeMaker {
  static std::shared_ptr<Type> make(TypeId id) {
    auto type = std::make_shared<Type>();
    type->id_ = id;
    return type;
  }
  static TypePtr with_unit(TypeId id, TimeUnit unit, std::string zone = {}) {
    auto type = make(id);
    type->unit_ = unit;
    type->zone_ = std::move(zone);
    return type;
  }
  static TypePtr with_width(TypeId id, int32_t width, int32_t scale = 0) {
    auto type = make(id);
    type->width_ = width;
    type->scale_ = scale;
    return type;
  }
  static TypePtr with_children(TypeId id, std::vector<Field> children, int32_t width = 0) {
    auto type = make(id);
    type->children_ = std::move(children);
    type->width_ = width;
    return type;
  }
  static TypePtr dictionary(TypePtr index, TypePtr value) {
    auto type = make(TypeId::kDictionary);
    type->index_type_ = std::move(index);
    type->value_type_ = std::move(value);
    return type;
  }
};

namespace {

constexpr std::array<std::string_view, kTypeIdCount> kNames = {"null",
                                                               "bool",
                                                               "int8",
                                                               "int16",
                                                               "int32",
                                                               "int64",
                                                               "uint8",
                                                               "uint16",
                                                               "uint32",
                                                               "uint64",
                                                               "halffloat",
                                                               "float",
                                                               "double",
                                                               "string",
                                                               "large_string",
                                                               "binary",
                                                               "large_binary",
                                                               "fixed_size_binary",
                                                               "date32[day]",
                                                               "date64[ms]",
                                                               "time32",
                                                               "time64",
                                                               "timestamp",
                                                               "duration",
                                                               "decimal128",
                                                               "decimal256",
                                                               "list",
                                                               "large_list",
                                                               "fixed_size_list",
                                                               "struct",
                                                               "map",
                                                               "dictionary"};

std::string field_text(const Field& field) {
  return field.name + ": " + field.type->to_string() + (field.nullable ? "" : " not null");
}

bool same_pointer_or_equal(const TypePtr& left, const TypePtr& right) {
  return left == right || (left != nullptr && right != nullptr && *left == *right);
}

}  // namespace

std::string_view time_unit_name(TimeUnit unit) {
  constexpr std::array<std::string_view, 4> kUnits = {"s", "ms", "us", "ns"};
  return kUnits[static_cast<size_t>(unit)];
}

const std::string* Field::find_metadata(std::string_view key) const {
  for (const auto& [name_of, value] : metadata) {
    if (name_of == key) {
      return &value;
    }
  }
  return nullptr;
}

bool operator==(const Field& left, const Field& right) {
  return left.name == right.name && left.nullable == right.nullable &&
         same_pointer_or_equal(left.type, right.type);
}

std::string Type::to_string() const {
  std::string out(kNames[static_cast<size_t>(id_)]);
  const std::string unit(time_unit_name(unit_));
  switch (id_) {
    case TypeId::kTime32:
    case TypeId::kTime64:
    case TypeId::kDuration:
      return out + "[" + unit + "]";
    case TypeId::kTimestamp:
      return out + "[" + unit + (zone_.empty() ? "" : ", tz=" + zone_) + "]";
    case TypeId::kFixedBinary:
      return out + "[" + std::to_string(width_) + "]";
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return out + "(" + std::to_string(width_) + ", " + std::to_string(scale_) + ")";
    case TypeId::kList:
    case TypeId::kLargeList:
      return out + "<" + field_text(children_[0]) + ">";
    case TypeId::kFixedSizeList:
      return out + "<" + field_text(children_[0]) + ">[" + std::to_string(width_) + "]";
    case TypeId::kMap: {
      const std::vector<Field>& entry = children_[0].type->children();
      return out + "<" + entry[0].type->to_string() + ", " + entry[1].type->to_string() + ">";
    }
    case TypeId::kStruct: {
      out += "<";
      for (size_t i = 0; i < children_.size(); ++i) {
        out += (i == 0 ? "" : ", ") + field_text(children_[i]);
      }
      return out + ">";
    }
    case TypeId::kDictionary:
      return out + "<values=" + value_type_->to_string() + ", indices=" + index_type_->to_string() +
             ", ordered=0>";
    default:
      return out;
  }
}

bool operator==(const Type& left, const Type& right) {
  if (left.id() != right.id() || left.unit() != right.unit() || left.zone() != right.zone() ||
      left.width() != right.width() || left.scale() != right.scale() ||
      left.children().size() != right.children().size()) {
    return false;
  }
  if (left.id() == TypeId::kDictionary) {
    return same_pointer_or_equal(left.index_type(), right.index_type()) &&
           same_pointer_or_equal(left.value_type(), right.value_type());
  }
  for (size_t i = 0; i < left.children().size(); ++i) {
    const Field& a = left.children()[i];
    const Field& b = right.children()[i];
    if (left.id() == TypeId::kMap) {
      const std::vector<Field>& entry_a = a.type->children();
      const std::vector<Field>& entry_b = b.type->children();
      return same_pointer_or_equal(entry_a[0].type, entry_b[0].type) &&
             same_pointer_or_equal(entry_a[1].type, entry_b[1].type) &&
             entry_a[1].nullable == entry_b[1].nullable;
    }
    const bool same = left.id() == TypeId::kStruct
                          ? a == b
                          : a.nullable == b.nullable && same_pointer_or_equal(a.type, b.type);
    if (!same) {
      return false;
    }
  }
  return true;
}

TypePtr simple_type(TypeId id) {
  static const std::array<TypePtr, kTypeIdCount> kSimple = [] {
    std::array<TypePtr, kTypeIdCount> types;
    for (size_t i = 0; i < kTypeIdCount; ++i) {
      const auto each = static_cast<TypeId>(i);
      const bool simple =
          each <= TypeId::kLargeBinary || each == TypeId::kDate32 || each == TypeId::kDate64;
      types[i] = simple ? TypeMaker::make(each) : nullptr;
    }
    return types;
  }();
  WEFT_CHECK(kSimple[static_cast<size_t>(id)] != nullptr);
  return kSimple[static_cast<size_t>(id)];
}

TypePtr fixed_binary(int32_t width) {
  return TypeMaker::with_width(TypeId::kFixedBinary, width);
}
TypePtr time32(TimeUnit unit) {
  return TypeMaker::with_unit(TypeId::kTime32, unit);
}
TypePtr time64(TimeUnit unit) {
  return TypeMaker::with_unit(TypeId::kTime64, unit);
}
TypePtr timestamp(TimeUnit unit, std::string zone) {
  return TypeMaker::with_unit(TypeId::kTimestamp, unit, std::move(zone));
}
TypePtr duration(TimeUnit unit) {
  return TypeMaker::with_unit(TypeId::kDuration, unit);
}
TypePtr decimal128(int32_t precision, int32_t scale) {
  return TypeMaker::with_width(TypeId::kDecimal128, precision, scale);
}
TypePtr decimal256(int32_t precision, int32_t scale) {
  return TypeMaker::with_width(TypeId::kDecimal256, precision, scale);
}
TypePtr list_of(Field item) {
  return TypeMaker::with_children(TypeId::kList, {std::move(item)});
}
TypePtr list_of(TypePtr item) {
  return list_of(Field{"item", std::move(item), true, {}});
}
TypePtr large_list_of(Field item) {
  return TypeMaker::with_children(TypeId::kLargeList, {std::move(item)});
}
TypePtr fixed_size_list_of(Field item, int32_t size) {
  return TypeMaker::with_children(TypeId::kFixedSizeList, {std::move(item)}, size);
}
TypePtr fixed_size_list_of(TypePtr item, int32_t size) {
  return fixed_size_list_of(Field{"item", std::move(item), true, {}}, size);
}
TypePtr struct_of(std::vector<Field> members) {
  return TypeMaker::with_children(TypeId::kStruct, std::move(members));
}
TypePtr map_of(TypePtr key, Field value) {
  std::vector<Field> members;
  members.push_back(Field{"key", std::move(key), false, {}});
  members.push_back(std::move(value));
  return map_of(Field{"entries", struct_of(std::move(members)), false, {}});
}
TypePtr map_of(Field entries) {
  WEFT_CHECK(entries.type->id() == TypeId::kStruct && entries.type->children().size() == 2);
  return TypeMaker::with_children(TypeId::kMap, {std::move(entries)});
}
TypePtr dictionary_of(TypePtr index, TypePtr value) {
  return TypeMaker::dictionary(std::move(index), std::move(value));
}

uint32_t bit_width(const Type& type) {
  switch (type.id()) {
    case TypeId::kBool:
      return 1;
    case TypeId::kInt8:
    case TypeId::kUint8:
      return 8;
    case TypeId::kInt16:
    case TypeId::kUint16:
    case TypeId::kHalf:
      return 16;
    case TypeId::kInt32:
    case TypeId::kUint32:
    case TypeId::kFloat:
    case TypeId::kDate32:
    case TypeId::kTime32:
      return 32;
    case TypeId::kInt64:
    case TypeId::kUint64:
    case TypeId::kDouble:
    case TypeId::kDate64:
    case TypeId::kTime64:
    case TypeId::kTimestamp:
    case TypeId::kDuration:
      return 64;
    case TypeId::kDecimal128:
      return 128;
    case TypeId::kDecimal256:
      return 256;
    case TypeId::kFixedBinary:
      return static_cast<uint32_t>(type.width()) * 8;
    case TypeId::kDictionary:
      return bit_width(*type.index_type());
    default:
      return 0;
  }
}

bool is_binary_like(TypeId id) {
  return id >= TypeId::kString && id <= TypeId::kLargeBinary;
}
bool has_large_offsets(TypeId id) {
  return id == TypeId::kLargeString || id == TypeId::kLargeBinary || id == TypeId::kLargeList;
}
bool is_list_like(TypeId id) {
  return id == TypeId::kList || id == TypeId::kLargeList || id == TypeId::kMap;
}

}  // namespace weft::columns

#include <charconv>
#include <optional>

#include "weft/lance/layout/field.h"

namespace weft::lance::layout {
namespace {

using columns::TimeUnit;
using columns::Type;
using columns::TypeId;
using columns::TypePtr;

struct SimpleName {
  std::string_view name;
  TypeId id;
};
constexpr SimpleName kSimpleNames[] = {
    {"null", TypeId::kNull},
    {"bool", TypeId::kBool},
    {"int8", TypeId::kInt8},
    {"int16", TypeId::kInt16},
    {"int32", TypeId::kInt32},
    {"int64", TypeId::kInt64},
    {"uint8", TypeId::kUint8},
    {"uint16", TypeId::kUint16},
    {"uint32", TypeId::kUint32},
    {"uint64", TypeId::kUint64},
    {"halffloat", TypeId::kHalf},
    {"float", TypeId::kFloat},
    {"double", TypeId::kDouble},
    {"string", TypeId::kString},
    {"large_string", TypeId::kLargeString},
    {"binary", TypeId::kBinary},
    {"large_binary", TypeId::kLargeBinary},
    {"json", TypeId::kLargeBinary},  // JSONB, told apart by the field's logical type
    {"date32:day", TypeId::kDate32},
    {"date64:ms", TypeId::kDate64},
};
constexpr std::string_view kFixedList = "fixed_size_list:";

Error unknown_type(std::string_view logical_type) {
  return Error(ErrorKind::kUnsupported, "a logical type is not supported")
      .with("logical_type", logical_type);
}

std::optional<TimeUnit> unit_of(std::string_view text) {
  for (const TimeUnit unit :
       {TimeUnit::kSecond, TimeUnit::kMilli, TimeUnit::kMicro, TimeUnit::kNano}) {
    if (text == columns::time_unit_name(unit)) {
      return unit;
    }
  }
  return std::nullopt;
}

std::optional<int32_t> number_of(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Cuts `text` at the last ':' and gives what stands behind it.
std::optional<std::string_view> cut_last(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view last = text.substr(colon + 1);
  text = text.substr(0, colon);
  return last;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

// nullptr: none of these.
TypePtr time_type(std::string_view text) {
  const bool is_time32 = take_prefix(text, "time32:");
  if (is_time32 || take_prefix(text, "time64:")) {
    const auto unit = unit_of(text);
    if (!unit || (*unit <= TimeUnit::kMilli) != is_time32) {
      return nullptr;
    }
    return is_time32 ? columns::time32(*unit) : columns::time64(*unit);
  }
  if (take_prefix(text, "duration:")) {
    const auto unit = unit_of(text);
    return unit ? columns::duration(*unit) : nullptr;
  }
  if (take_prefix(text, "timestamp:")) {
    const size_t colon = text.find(':');
    const auto unit = unit_of(text.substr(0, colon));
    if (!unit) {
      return nullptr;
    }
    const std::string_view zone =
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    return columns::timestamp(*unit, zone == "-" ? std::string() : std::string(zone));
  }
  return nullptr;
}

TypePtr decimal_type(std::string_view text) {
  const bool is_128 = take_prefix(text, "decimal:128:");
  if (!is_128 && !take_prefix(text, "decimal:256:")) {
    return nullptr;
  }
  const auto scale_text = cut_last(text);
  const auto precision = number_of(text);
  const auto scale = scale_text ? number_of(*scale_text) : std::nullopt;
  const int32_t precision_max = is_128 ? 38 : 76;
  if (!precision || !scale || *precision < 1 || *precision > precision_max) {
    return nullptr;
  }
  const int32_t digits = precision.value_or(0);
  const int32_t behind = scale.value_or(0);
  return is_128 ? columns::decimal128(digits, behind) : columns::decimal256(digits, behind);
}

Result<TypePtr> leaf_type_within(std::string_view logical_type, uint64_t values_max);

Result<TypePtr> fixed_list_type(std::string_view logical_type, uint64_t values_max) {
  std::string_view text = logical_type.substr(kFixedList.size());
  const auto last = cut_last(text);
  const auto size = last ? number_of(*last) : std::nullopt;
  if (!size || *size < 1) {
    return unknown_type(logical_type);
  }
  const auto items = static_cast<uint64_t>(*size);
  if (items > values_max) {
    return Error(ErrorKind::kLimit, "a fixed-size list is too long")
        .with("logical_type", logical_type)
        .with("values_max", kFixedListValuesMax);
  }
  WEFT_TRY(TypePtr item, leaf_type_within(text, values_max / items));
  if (columns::bit_width(*item) == 0 && item->id() != TypeId::kFixedSizeList) {
    return unknown_type(logical_type);
  }
  return columns::fixed_size_list_of(std::move(item), *size);
}

Result<TypePtr> dictionary_type(std::string_view logical_type) {
  std::string_view text = logical_type;
  take_prefix(text, "dict:");
  const auto ordered = cut_last(text);
  const auto key = cut_last(text);
  if (!ordered || !key) {
    return unknown_type(logical_type);
  }
  WEFT_TRY(TypePtr value, leaf_type_within(text, 1));
  WEFT_TRY(TypePtr index, leaf_type_within(*key, 1));
  if (index->id() < TypeId::kInt8 || index->id() > TypeId::kUint64 ||
      value->id() == TypeId::kDictionary ||
      (columns::bit_width(*value) == 0 && !columns::is_binary_like(value->id()))) {
    return unknown_type(logical_type);
  }
  return columns::dictionary_of(std::move(index), std::move(value));
}

Result<TypePtr> leaf_type_within(std::string_view logical_type, uint64_t values_max) {
  for (const SimpleName& simple : kSimpleNames) {
    if (logical_type == simple.name) {
      return columns::simple_type(simple.id);
    }
  }
  if (logical_type.starts_with(kFixedList)) {
    return fixed_list_type(logical_type, values_max);
  }
  if (logical_type.starts_with("dict:")) {
    return dictionary_type(logical_type);
  }
  std::string_view text = logical_type;
  if (take_prefix(text, "fixed_size_binary:")) {
    const auto width = number_of(text);
    if (!width || *width < 1 || static_cast<uint64_t>(*width) > kFixedListValuesMax) {
      return unknown_type(logical_type);
    }
    return columns::fixed_binary(*width);
  }
  TypePtr type = time_type(logical_type);
  if (type == nullptr) {
    type = decimal_type(logical_type);
  }
  if (type == nullptr) {
    return unknown_type(logical_type);
  }
  return type;
}

}  // namespace

Result<TypePtr> leaf_type(std::string_view logical_type) {
  return leaf_type_within(logical_type, kFixedListValuesMax);
}

Result<std::string> logical_type_of(const Type& type) {
  for (const SimpleName& simple : kSimpleNames) {
    if (type.id() == simple.id) {
      return std::string(simple.name);
    }
  }
  const std::string unit(columns::time_unit_name(type.unit()));
  const auto decimal = [&](const char* bits) {
    return std::string("decimal:") + bits + ":" + std::to_string(type.precision()) + ":" +
           std::to_string(type.scale());
  };
  const auto list = [&](const char* name) {
    const bool of_structs = type.children()[0].type->id() == TypeId::kStruct;
    return std::string(name) + (of_structs ? ".struct" : "");
  };
  switch (type.id()) {
    case TypeId::kFixedBinary:
      return "fixed_size_binary:" + std::to_string(type.width());
    case TypeId::kTime32:
      return "time32:" + unit;
    case TypeId::kTime64:
      return "time64:" + unit;
    case TypeId::kTimestamp:
      return "timestamp:" + unit + ":" + (type.zone().empty() ? std::string("-") : type.zone());
    case TypeId::kDuration:
      return "duration:" + unit;
    case TypeId::kDecimal128:
      return decimal("128");
    case TypeId::kDecimal256:
      return decimal("256");
    case TypeId::kList:
      return list("list");
    case TypeId::kLargeList:
      return list("large_list");
    case TypeId::kStruct:
      return std::string("struct");
    case TypeId::kMap:
      return std::string("map");
    case TypeId::kFixedSizeList: {
      const Type& item = *type.children()[0].type;
      if (columns::bit_width(item) == 0 && item.id() != TypeId::kFixedSizeList) {
        return Error(ErrorKind::kUnsupported, "a fixed-size list of such items is not supported")
            .with("type", type.to_string());
      }
      WEFT_TRY(const std::string inner, logical_type_of(item));
      return std::string(kFixedList) + inner + ":" + std::to_string(type.list_size());
    }
    case TypeId::kDictionary: {
      WEFT_TRY(const std::string value, logical_type_of(*type.value_type()));
      WEFT_TRY(const std::string index, logical_type_of(*type.index_type()));
      return "dict:" + value + ":" + index + ":false";
    }
    default:
      return Error(ErrorKind::kInternal, "a type without a logical type")
          .with("type", type.to_string());
  }
}

}  // namespace weft::lance::layout

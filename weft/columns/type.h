// The data types of a column: those of the Lance schema language, which are Arrow's without views,
// unions, intervals and run-end encoding.
//
// Values, immutable once shared. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/result.h"

namespace weft::columns {

enum class TypeId : uint8_t {
  kNull,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kHalf,
  kFloat,
  kDouble,
  kString,       // UTF-8, offsets of 32 bits
  kLargeString,  // offsets of 64 bits
  kBinary,
  kLargeBinary,
  kFixedBinary,  // width() bytes
  kDate32,       // days since 1970-01-01
  kDate64,       // milliseconds since then
  kTime32,       // kSecond or kMilli
  kTime64,       // kMicro or kNano
  kTimestamp,    // since 1970-01-01T00:00 UTC if there is a zone, else on the wall
  kDuration,
  kDecimal128,
  kDecimal256,
  kList,           // one child, offsets of 32 bits
  kLargeList,      // one child, offsets of 64 bits
  kFixedSizeList,  // one child, list_size() items each
  kStruct,         // any number of children
  kMap,            // one child: a struct, not null, of a key, not null, and a value
  kDictionary,     // index_type() into values of value_type()
};
inline constexpr size_t kTypeIdCount = 32;

enum class TimeUnit : uint8_t { kSecond, kMilli, kMicro, kNano };
// "s", "ms", "us", "ns".
std::string_view time_unit_name(TimeUnit unit);

class Type;
using TypePtr = std::shared_ptr<const Type>;

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct Field {
  std::string name;
  TypePtr type;
  bool nullable = true;
  Metadata metadata;

  // The value of a key, or null.
  const std::string* find_metadata(std::string_view key) const;
};
// Name, type and nullability; metadata is not compared.
bool operator==(const Field& left, const Field& right);

class Type {
 public:
  TypeId id() const { return id_; }
  TimeUnit unit() const { return unit_; }
  // Of a timestamp; empty if it has none.
  const std::string& zone() const { return zone_; }
  // Bytes of a kFixedBinary.
  int32_t width() const { return width_; }
  // Items of a kFixedSizeList.
  int32_t list_size() const { return width_; }
  // Digits in all and behind the point of a decimal.
  int32_t precision() const { return width_; }
  int32_t scale() const { return scale_; }
  // Lists: the item. Maps: the entries. Structs: the members. Dictionaries: none.
  const std::vector<Field>& children() const { return children_; }
  // Of a kDictionary.
  const TypePtr& index_type() const { return index_type_; }
  const TypePtr& value_type() const { return value_type_; }

  // "list<item: int32>", "timestamp[us, tz=UTC]", as pyarrow prints types.
  std::string to_string() const;

 private:
  friend struct TypeMaker;
  TypeId id_ = TypeId::kNull;
  TimeUnit unit_ = TimeUnit::kSecond;
  int32_t width_ = 0;
  int32_t scale_ = 0;
  std::string zone_;
  std::vector<Field> children_;
  TypePtr index_type_;
  TypePtr value_type_;
};
// Field names inside lists and maps are not compared (writers differ), those of structs are.
bool operator==(const Type& left, const Type& right);

// Types without parameters: kNull to kBinary … kDate64. Stops the process for the others.
TypePtr simple_type(TypeId id);
TypePtr fixed_binary(int32_t width);
TypePtr time32(TimeUnit unit);
TypePtr time64(TimeUnit unit);
TypePtr timestamp(TimeUnit unit, std::string zone = {});
TypePtr duration(TimeUnit unit);
TypePtr decimal128(int32_t precision, int32_t scale);
TypePtr decimal256(int32_t precision, int32_t scale);
TypePtr list_of(Field item);
TypePtr list_of(TypePtr item);  // a nullable field named "item"
TypePtr large_list_of(Field item);
TypePtr fixed_size_list_of(Field item, int32_t size);
TypePtr fixed_size_list_of(TypePtr item, int32_t size);
TypePtr struct_of(std::vector<Field> members);
TypePtr map_of(TypePtr key, Field value);
// From its entries field: a struct of two members.
TypePtr map_of(Field entries);
TypePtr dictionary_of(TypePtr index, TypePtr value);

// Bits of one value in the values buffer, 1 for kBool; 0 if values have no fixed width there
// (kNull, strings, lists, structs, maps). A dictionary has the width of its index.
uint32_t bit_width(const Type& type);
bool is_binary_like(TypeId id);     // strings and binaries, small and large
bool has_large_offsets(TypeId id);  // kLargeString, kLargeBinary, kLargeList
bool is_list_like(TypeId id);       // kList, kLargeList, kMap: offsets and one child

}  // namespace weft::columns

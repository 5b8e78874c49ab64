#include "weft/columns/select.h"

#include <gtest/gtest.h>

#include "weft/columns/builder.h"

namespace weft::columns {
namespace {

std::vector<TypePtr> all_types() {
  std::vector<TypePtr> types;
  for (size_t i = 0; i <= static_cast<size_t>(TypeId::kLargeBinary); ++i) {
    types.push_back(simple_type(static_cast<TypeId>(i)));
  }
  const TypePtr row = struct_of({{"a", simple_type(TypeId::kInt64), true, {}},
                                 {"b", list_of(simple_type(TypeId::kString)), true, {}}});
  types.push_back(decimal128(10, 2));
  types.push_back(decimal256(10, 2));
  types.push_back(fixed_binary(3));
  types.push_back(fixed_size_list_of(simple_type(TypeId::kFloat), 3));
  types.push_back(fixed_size_list_of(simple_type(TypeId::kBool), 9));
  types.push_back(row);
  types.push_back(list_of(row));
  types.push_back(large_list_of({"item", row, true, {}}));
  types.push_back(map_of(simple_type(TypeId::kString), {"value", row, true, {}}));
  return types;
}

// A varied element: number `seed` of its type.
void append_some(ArrayBuilder& builder, unsigned seed, bool nullable = true) {
  const TypeId id = builder.type()->id();
  if (nullable && (seed % 5 == 2 || id == TypeId::kNull)) {
    builder.append_null();
  } else if (id == TypeId::kBool) {
    builder.append_boolean(seed % 2 == 0);
  } else if (is_binary_like(id)) {
    builder.append_text(std::string(seed % 11, static_cast<char>('a' + seed % 26)));
  } else if (id == TypeId::kStruct) {
    builder.append_struct();
    const auto& members = builder.type()->children();
    for (size_t i = 0; i < members.size(); ++i) {
      append_some(builder.child(i), seed + static_cast<unsigned>(i), members[i].nullable);
    }
  } else if (is_list_like(id)) {
    builder.append_list(seed % 4);
    for (unsigned i = 0; i < seed % 4; ++i) {
      append_some(builder.child(0), seed * 3 + i, id != TypeId::kMap);
    }
  } else if (id == TypeId::kFixedSizeList) {
    builder.append_fixed_list();
    for (int32_t i = 0; i < builder.type()->list_size(); ++i) {
      append_some(builder.child(0), seed + static_cast<unsigned>(i) * 10, false);
    }
  } else {
    std::string bytes(bit_width(*builder.type()) / 8, static_cast<char>(seed));
    builder.append_fixed(as_bytes(bytes));
  }
}

ArrayPtr some(const TypePtr& type, size_t length) {
  ArrayBuilder builder(type);
  for (size_t i = 0; i < length; ++i) {
    append_some(builder, static_cast<unsigned>(i));
  }
  return builder.finish();
}

TEST(Take, EveryTypeGivesTheChosenElementsInOrder) {
  const std::vector<uint64_t> indices = {7, 0, 0, 12, 3, 2, 39};
  for (const TypePtr& type : all_types()) {
    const ArrayPtr whole = some(type, 60);
    ASSERT_TRUE(whole->check().ok()) << type->to_string();
    for (const ArrayPtr& array : {whole, whole->slice(5, 40)}) {
      const Result<ArrayPtr> taken = take(array, indices);
      ASSERT_TRUE(taken.ok());
      ASSERT_TRUE((*taken)->check().ok()) << type->to_string();
      for (size_t i = 0; i < indices.size(); ++i) {
        EXPECT_TRUE(equal_at(**taken, i, *array, indices[i])) << type->to_string() << " " << i;
      }
    }
  }
}

TEST(Concat, EveryTypeKeepsAllElements) {
  for (const TypePtr& type : all_types()) {
    const ArrayPtr whole = some(type, 60);
    const Result<ArrayPtr> joined =
        concat({whole->slice(0, 13), whole->slice(13, 0), whole->slice(13, 47)});
    ASSERT_TRUE(joined.ok());
    ASSERT_TRUE((*joined)->check().ok()) << type->to_string();
    EXPECT_TRUE(equal(**joined, *whole)) << type->to_string();
  }
}

TEST(Concat, DifferentTypesAreRefused) {
  EXPECT_FALSE(
      concat({some(simple_type(TypeId::kInt32), 2), some(simple_type(TypeId::kInt64), 2)}).ok());
}

TEST(Dictionary, EncodedValuesDecodeToThemselves) {
  for (const TypeId id : {TypeId::kString, TypeId::kInt64, TypeId::kBool, TypeId::kLargeString}) {
    const ArrayPtr values = some(simple_type(id), 50);
    const TypePtr type = dictionary_of(simple_type(TypeId::kUint8), values->type());
    const Result<ArrayPtr> encoded = dictionary_encode(values, type);
    ASSERT_TRUE(encoded.ok());
    ASSERT_TRUE((*encoded)->check().ok());
    const Result<ArrayPtr> decoded = dictionary_decode(*encoded);
    ASSERT_TRUE(decoded.ok());
    EXPECT_TRUE(equal(**decoded, *values));
    const Result<ArrayPtr> joined = concat({*encoded, *encoded});
    ASSERT_TRUE(joined.ok());
    EXPECT_EQ((*joined)->length(), 100U);
    EXPECT_TRUE(equal_at(**joined, 53, **encoded, 3));
  }
}

TEST(Dictionary, AsManyValuesAsTheIndexCountsAndNoMore) {
  for (const size_t count : {size_t{128}, size_t{129}}) {
    ArrayBuilder builder(simple_type(TypeId::kInt32));
    for (size_t i = 0; i < count; ++i) {
      builder.append_integer(static_cast<int64_t>(i));
    }
    const Result<ArrayPtr> encoded = dictionary_encode(
        builder.finish(), dictionary_of(simple_type(TypeId::kInt8), simple_type(TypeId::kInt32)));
    EXPECT_EQ(encoded.ok(), count <= 128);
    EXPECT_TRUE(encoded.ok() || encoded.error().kind() == ErrorKind::kLimit);
  }
}

}  // namespace
}  // namespace weft::columns

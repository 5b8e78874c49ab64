#include "weft/columns/array.h"

#include <gtest/gtest.h>

#include "weft/columns/batch.h"
#include "weft/columns/builder.h"

namespace weft::columns {
namespace {

ArrayPtr integers(const std::vector<int64_t>& values, TypeId id = TypeId::kInt32) {
  ArrayBuilder builder(simple_type(id));
  for (const int64_t value : values) {
    builder.append_integer(value);
  }
  return builder.finish();
}

ArrayPtr texts(const std::vector<const char*>& values, TypeId id = TypeId::kString) {
  ArrayBuilder builder(simple_type(id));
  for (const char* value : values) {
    if (value == nullptr) {
      builder.append_null();
    } else {
      builder.append_text(value);
    }
  }
  return builder.finish();
}

std::string one_text(const TypePtr& type, int64_t value) {
  ArrayBuilder builder(type);
  builder.append_integer(value);
  return element_text(*builder.finish(), 0);
}

TEST(Array, NullsAndValuesKeepTheirPlaces) {
  ArrayBuilder builder(simple_type(TypeId::kInt64));
  for (int i = 0; i < 300; ++i) {
    if (i % 7 == 3) {
      builder.append_null();
    } else {
      builder.append_integer(i);
    }
  }
  const ArrayPtr array = builder.finish();
  ASSERT_TRUE(array->check().ok());
  EXPECT_EQ(array->length(), 300U);
  EXPECT_EQ(array->null_count(), 43U);
  for (size_t i = 0; i < 300; ++i) {
    ASSERT_EQ(array->is_null(i), i % 7 == 3) << i;
    if (i % 7 != 3) {
      ASSERT_EQ(array->integer(i), static_cast<int64_t>(i));
    }
  }
}

TEST(Array, ASliceCountsItsOwnNulls) {
  ArrayBuilder builder(simple_type(TypeId::kBool));
  for (int i = 0; i < 500; ++i) {
    if (i % 3 == 0) {
      builder.append_null();
    } else {
      builder.append_boolean(i % 2 == 0);
    }
  }
  const ArrayPtr array = builder.finish();
  for (size_t from = 0; from < 200; from += 7) {
    for (size_t count = 0; count < 300; count += 61) {
      const ArrayPtr slice = array->slice(from, count);
      size_t nulls = 0;
      for (size_t i = 0; i < count; ++i) {
        nulls += slice->is_null(i) ? 1U : 0U;
        EXPECT_TRUE(equal_at(*slice, i, *array, from + i));
      }
      EXPECT_EQ(slice->null_count(), nulls);
      EXPECT_TRUE(slice->check().ok());
    }
  }
}

TEST(Array, NestedElementsArePrintedAsBuilt) {
  const TypePtr row = struct_of({{"a", simple_type(TypeId::kInt32), true, {}},
                                 {"b", simple_type(TypeId::kString), true, {}}});
  ArrayBuilder builder(list_of(row));
  builder.append_list(2);
  builder.child(0).append_struct();
  builder.child(0).child(0).append_integer(1);
  builder.child(0).child(1).append_text("x\"y");
  builder.child(0).append_null();
  builder.append_null();
  builder.append_list(0);
  const ArrayPtr array = builder.finish();
  ASSERT_TRUE(array->check().ok());
  EXPECT_EQ(array_text(*array), R"([[{a: 1, b: "x\"y"}, null], null, []])");
  EXPECT_EQ(array_text(*array->slice(1, 2)), "[null, []]");
  EXPECT_EQ(array_text(*array, 1), R"([[{a: 1, b: "x\"y"}, null], … 2 more])");
}

TEST(Array, MapsVectorsAndDictionariesArePrinted) {
  ArrayBuilder map(
      map_of(simple_type(TypeId::kString), {"value", simple_type(TypeId::kInt64), true, {}}));
  map.append_list(1);
  map.child(0).append_struct();
  map.child(0).child(0).append_text("k");
  map.child(0).child(1).append_null();
  EXPECT_EQ(element_text(*map.finish(), 0), R"({"k": null})");
  ArrayBuilder vector(fixed_size_list_of(simple_type(TypeId::kFloat), 2));
  vector.append_null();
  vector.append_fixed_list();
  vector.child(0).append_float(0.5F);
  vector.child(0).append_float(-2);
  EXPECT_EQ(array_text(*vector.finish()), "[null, [0.5, -2]]");
  ArrayBuilder dictionary(dictionary_of(simple_type(TypeId::kInt8), simple_type(TypeId::kString)));
  dictionary.append_integer(1);
  dictionary.append_null();
  dictionary.set_dictionary(texts({"red", "blue"}));
  EXPECT_EQ(array_text(*dictionary.finish()), R"(["blue", null])");
}

TEST(Array, TimesAndDecimalsReadAsPeopleWriteThem) {
  EXPECT_EQ(one_text(simple_type(TypeId::kDate32), 0), "1970-01-01");
  EXPECT_EQ(one_text(simple_type(TypeId::kDate32), -1), "1969-12-31");
  EXPECT_EQ(one_text(simple_type(TypeId::kDate32), 19'782), "2024-02-29");
  EXPECT_EQ(one_text(time32(TimeUnit::kSecond), 3661), "01:01:01");
  EXPECT_EQ(one_text(time64(TimeUnit::kMicro), 1), "00:00:00.000001");
  EXPECT_EQ(one_text(timestamp(TimeUnit::kMilli), -1), "1969-12-31T23:59:59.999");
  EXPECT_EQ(one_text(timestamp(TimeUnit::kSecond, "UTC"), 1'700'000'000), "2023-11-14T22:13:20Z");
  EXPECT_EQ(one_text(duration(TimeUnit::kNano), -5), "-5ns");
  const auto decimal = [](const TypePtr& type, int64_t value) {
    std::vector<int64_t> words(bit_width(*type) / 64, value < 0 ? -1 : 0);
    words[0] = value;
    ArrayBuilder builder(type);
    builder.append_fixed(std::as_bytes(std::span<const int64_t>(words)));
    return element_text(*builder.finish(), 0);
  };
  EXPECT_EQ(decimal(decimal128(20, 2), -5), "-0.05");
  EXPECT_EQ(decimal(decimal128(20, 0), 0), "0");
  EXPECT_EQ(decimal(decimal256(50, 1), 12'345), "1234.5");
  EXPECT_EQ(decimal(decimal128(20, -2), 7), "700");
}

TEST(Array, EqualityLooksAtElementsNotAtBytes) {
  EXPECT_TRUE(equal(*integers({1, 2}), *integers({0, 1, 2})->slice(1, 2)));
  EXPECT_FALSE(equal(*integers({1, 2}), *integers({1, 3})));
  EXPECT_FALSE(equal(*integers({1}), *integers({1}, TypeId::kInt64)));
  ArrayBuilder nan(simple_type(TypeId::kDouble));
  nan.append_double(std::numeric_limits<double>::quiet_NaN());
  ArrayBuilder other(simple_type(TypeId::kDouble));
  other.append_double(-std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(equal(*nan.finish(), *other.finish()));
  EXPECT_FALSE(equal(*texts({"a", nullptr}), *texts({"a", ""})));
}

TEST(Array, DamagedBuffersAreFound) {
  const ArrayPtr good = texts({"ab", "c"});
  ArrayParts parts = good->parts();
  parts.offsets = Buffer::from(std::vector<int32_t>{0, 3, 2});
  EXPECT_FALSE(Array(parts).check().ok());
  parts.offsets = Buffer::from(std::vector<int32_t>{0, 2, 4});
  EXPECT_FALSE(Array(parts).check().ok());
  parts.offsets = Buffer::from(std::vector<int32_t>{-1, 2, 3});
  EXPECT_FALSE(Array(parts).check().ok());
  parts.offsets = Buffer::from(std::vector<int32_t>{0, 2});
  EXPECT_FALSE(Array(parts).check().ok());
  parts = integers({1, 2, 3})->parts();
  parts.length = 4;
  EXPECT_FALSE(Array(parts).check().ok());
  parts.length = 3;
  parts.validity = Buffer::from(std::vector<uint8_t>{});
  EXPECT_TRUE(Array(parts).check().ok());
  ArrayBuilder dictionary(dictionary_of(simple_type(TypeId::kInt8), simple_type(TypeId::kString)));
  dictionary.append_integer(2);
  dictionary.set_dictionary(texts({"red", "blue"}));
  EXPECT_FALSE(dictionary.finish()->check().ok());
}

TEST(Array, ArraysOfNullsFitEveryType) {
  const TypePtr row =
      struct_of({{"a", simple_type(TypeId::kBool), true, {}},
                 {"v", fixed_size_list_of(simple_type(TypeId::kFloat), 3), true, {}}});
  for (const TypePtr& type :
       {simple_type(TypeId::kNull), simple_type(TypeId::kBool), simple_type(TypeId::kLargeBinary),
        list_of(row), row, dictionary_of(simple_type(TypeId::kInt32), simple_type(TypeId::kString)),
        map_of(simple_type(TypeId::kString), {"value", row, true, {}})}) {
    for (const size_t length : {size_t{0}, size_t{1}, size_t{17}}) {
      const ArrayPtr array = null_array(type, length);
      EXPECT_TRUE(array->check().ok()) << type->to_string();
      EXPECT_EQ(array->null_count(), length);
      ArrayBuilder builder(type);
      for (size_t i = 0; i < length; ++i) {
        builder.append_null();
      }
      EXPECT_TRUE(equal(*array, *builder.finish()));
    }
  }
}

TEST(Batch, ColumnsMustFitTheSchema) {
  const auto schema =
      std::make_shared<const Schema>(Schema{{{"id", simple_type(TypeId::kInt32), false, {}}}, {}});
  EXPECT_TRUE(Batch::make(schema, {integers({1, 2})}, 2).ok());
  EXPECT_FALSE(Batch::make(schema, {integers({1, 2})}, 3).ok());
  EXPECT_FALSE(Batch::make(schema, {}, 2).ok());
  EXPECT_FALSE(Batch::make(schema, {texts({"a", "b"})}, 2).ok());
  const Result<Batch> batch = Batch::make(schema, {integers({1, 2, 3})}, 3);
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(array_text(*batch->slice(1, 2).column(0)), "[2, 3]");
}

TEST(Type, IsPrintedAsPyarrowPrintsIt) {
  EXPECT_EQ(list_of(simple_type(TypeId::kInt32))->to_string(), "list<item: int32>");
  EXPECT_EQ(timestamp(TimeUnit::kMicro, "UTC")->to_string(), "timestamp[us, tz=UTC]");
  EXPECT_EQ(fixed_size_list_of(simple_type(TypeId::kFloat), 3)->to_string(),
            "fixed_size_list<item: float>[3]");
  EXPECT_EQ(map_of(simple_type(TypeId::kString), {"value", simple_type(TypeId::kInt64), true, {}})
                ->to_string(),
            "map<string, int64>");
}

}  // namespace
}  // namespace weft::columns

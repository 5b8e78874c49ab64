#include "weft/columns/arrow_c.h"

#include <gtest/gtest.h>

#include "weft/columns/builder.h"

namespace weft::columns {
namespace {

Schema wide_schema() {
  const auto simple = [](TypeId id) { return simple_type(id); };
  const TypePtr row = struct_of({{"a", simple(TypeId::kInt64), false, {{"k", "v"}}},
                                 {"b", list_of(simple(TypeId::kString)), true, {}}});
  Schema schema;
  const auto add = [&](TypePtr type) {
    schema.fields.push_back(
        {"c" + std::to_string(schema.fields.size()), std::move(type), true, {}});
  };
  for (size_t i = 0; i <= static_cast<size_t>(TypeId::kLargeBinary); ++i) {
    add(simple(static_cast<TypeId>(i)));
  }
  add(simple(TypeId::kDate32));
  add(simple(TypeId::kDate64));
  for (const TimeUnit unit :
       {TimeUnit::kSecond, TimeUnit::kMilli, TimeUnit::kMicro, TimeUnit::kNano}) {
    add(unit <= TimeUnit::kMilli ? time32(unit) : time64(unit));
    add(timestamp(unit));
    add(timestamp(unit, "Europe/Zurich"));
    add(duration(unit));
  }
  add(decimal128(20, 2));
  add(decimal256(50, -3));
  add(fixed_binary(7));
  add(fixed_size_list_of(fixed_size_list_of(simple(TypeId::kFloat), 3), 2));
  add(row);
  add(list_of(row));
  add(large_list_of({"x", row, false, {}}));
  add(map_of(simple(TypeId::kString), {"value", row, true, {}}));
  add(dictionary_of(simple(TypeId::kInt16), simple(TypeId::kString)));
  schema.metadata = {{"app", "test"}, {"empty", ""}};
  return schema;
}

TEST(ArrowC, EverySchemaComesBackAsItWent) {
  const Schema schema = wide_schema();
  ArrowSchema exported;
  export_schema(schema, &exported);
  const Result<Schema> again = import_schema(&exported);
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_EQ(exported.release, nullptr);
  EXPECT_EQ(*again, schema);
  EXPECT_EQ(again->metadata, schema.metadata);
  EXPECT_EQ(import_schema(&exported).error().kind(), ErrorKind::kInvalid);
}

TEST(ArrowC, EveryArrayComesBackWithoutACopy) {
  for (const Field& field : wide_schema().fields) {
    ArrayBuilder builder(field.type);
    for (int i = 0; i < 9; ++i) {
      builder.append_null();
    }
    const ArrayPtr array = builder.finish()->slice(2, 5);
    ArrowArray exported;
    export_array(array, &exported);
    const Result<ArrayPtr> again = import_array(&exported, field.type);
    ASSERT_TRUE(again.ok()) << field.type->to_string() << " " << again.error().to_string();
    EXPECT_TRUE(equal(**again, *array)) << field.type->to_string();
    EXPECT_EQ((*again)->parts().validity.data(), array->parts().validity.data());
  }
}

TEST(ArrowC, BuffersLiveAsLongAsTheImportedArray) {
  ArrayPtr imported;
  const std::byte* address = nullptr;
  {
    ArrayBuilder builder(simple_type(TypeId::kString));
    builder.append_text("some text that must not go away");
    const ArrayPtr array = builder.finish();
    address = array->parts().values.data();
    ArrowArray exported;
    export_array(array, &exported);
    Result<ArrayPtr> again = import_array(&exported, array->type());
    ASSERT_TRUE(again.ok());
    imported = *again;
  }
  EXPECT_EQ(imported->parts().values.data(), address);
  EXPECT_EQ(imported->text(0), "some text that must not go away");
}

TEST(ArrowC, ABatchGoesAndComesAsAStruct) {
  ArrayBuilder ids(simple_type(TypeId::kInt32));
  ids.append_integer(1);
  ids.append_integer(2);
  const auto schema =
      std::make_shared<const Schema>(Schema{{{"id", simple_type(TypeId::kInt32), true, {}}}, {}});
  const Result<Batch> batch = Batch::make(schema, {ids.finish()}, 2);
  ASSERT_TRUE(batch.ok());
  ArrowArray exported;
  export_batch(*batch, &exported);
  const Result<Batch> again = import_batch(&exported, schema);
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_TRUE(equal(*again, *batch));
}

TEST(ArrowC, WhatIsReleasedInPartsIsFreedOnce) {
  // A consumer may move a child out and release it alone (the address sanitizer looks on).
  ArrayBuilder builder(list_of(simple_type(TypeId::kInt32)));
  builder.append_list(1);
  builder.child(0).append_integer(7);
  ArrowArray exported;
  export_array(builder.finish(), &exported);
  ArrowArray child = *exported.children[0];
  exported.children[0]->release = nullptr;
  exported.release(&exported);
  EXPECT_EQ(static_cast<const int32_t*>(child.buffers[1])[0], 7);
  child.release(&child);
  EXPECT_EQ(child.release, nullptr);
}

TEST(ArrowC, UnknownFormatsAreNamed) {
  for (const char* format : {"vu", "tiM", "+r", "+us:1", "x", "", "w:0", "d:99,1"}) {
    ArrowSchema schema{};
    schema.format = format;
    schema.name = "c";
    schema.release = [](ArrowSchema* released) { released->release = nullptr; };
    const Result<Field> field = import_field(&schema);
    EXPECT_FALSE(field.ok()) << format;
    EXPECT_EQ(schema.release, nullptr);
  }
}

TEST(ArrowC, NestingToTheLimitAndNoDeeper) {
  for (const size_t depth : {kArrowDepthMax, kArrowDepthMax + 1}) {
    TypePtr type = simple_type(TypeId::kInt32);
    for (size_t i = 0; i < depth; ++i) {
      type = list_of(type);
    }
    ArrowSchema exported;
    export_field(Field{"c", type, true, {}}, &exported);
    EXPECT_EQ(import_field(&exported).ok(), depth <= kArrowDepthMax);
  }
}

TEST(ArrowC, BadOffsetsOfOthersAreRefused) {
  ArrayBuilder builder(simple_type(TypeId::kString));
  builder.append_text("abc");
  builder.append_text("def");
  ArrowArray exported;
  export_array(builder.finish(), &exported);
  const int32_t offsets[] = {0, 5, 4};
  exported.buffers[1] = offsets;
  EXPECT_FALSE(import_array(&exported, simple_type(TypeId::kString)).ok());
  EXPECT_EQ(exported.release, nullptr);
}

}  // namespace
}  // namespace weft::columns

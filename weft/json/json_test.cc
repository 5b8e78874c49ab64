#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/json/value.h"

namespace weft::json {
namespace {

std::string rewritten(std::string_view text, WriteOptions options = {.indent = 0}) {
  const Result<Value> value = parse(text);
  return value.ok() ? write(*value, options) : value.error().to_string();
}

TEST(Json, WhatIsReadIsWrittenAgain) {
  for (const std::string_view text :
       {R"(null)", R"(true)", R"(false)", R"(0)", R"(-0)", R"(-12)", R"(1.0)", R"(1e3)", R"(1E-2)",
        R"(18446744073709551615)", R"(-9223372036854775808)", R"("")", R"("é€😀")", R"([])",
        R"({})", R"([1,[2,[3]],{}])", R"({"z":1,"a":{"y":[],"b":null}})",
        R"("\\\"\b\f\n\r\t\u0000\u001f")"}) {
    EXPECT_EQ(rewritten(text), text == "-0" ? "0" : text);
  }
}

TEST(Json, NumbersBeyondSixtyFourBitsKeepTheirSpelling) {
  EXPECT_EQ(rewritten("18446744073709551616"), "18446744073709551616");
  EXPECT_EQ(rewritten("0.10000000000000000000000001"), "0.10000000000000000000000001");
}

TEST(Json, TheLastOfEquallyNamedMembersCounts) {
  EXPECT_EQ(rewritten(R"({"a":1,"b":2,"a":3,"c":4,"b":5})"), R"({"a":3,"c":4,"b":5})");
}

TEST(Json, MembersCanBeWrittenInAlphabeticalOrder) {
  EXPECT_EQ(rewritten(R"({"b":{"d":1,"c":2},"a":[],"é":{}})", {.indent = 2, .sort_members = true}),
            "{\n  \"a\": [],\n  \"b\": {\n    \"c\": 2,\n    \"d\": 1\n  },\n  \"é\": {}\n}");
}

TEST(Json, OnlyIntegersReadAsIntegers) {
  for (const std::string_view text :
       {"1.0", "1e0", "\"1\"", "-1", "18446744073709551616", "true"}) {
    EXPECT_EQ(parse(text).value().as_uint64(), std::nullopt) << text;
  }
  EXPECT_EQ(parse("18446744073709551615").value().as_uint64(), UINT64_MAX);
  EXPECT_EQ(parse("-1").value().as_int64(), -1);
  EXPECT_EQ(parse("1.5").value().as_double(), 1.5);
}

TEST(Json, MembersAreFoundSetAndRemoved) {
  Value value = parse(R"({"a":1})").value();
  value.set("b", Value::string("x"));
  value.set("a", Value::boolean(true));
  EXPECT_EQ(write(value, {.indent = 0}), R"({"a":true,"b":"x"})");
  value.remove("a");
  EXPECT_EQ(value.find("a"), nullptr);
  EXPECT_EQ(*value.find("b")->as_string(), "x");
  EXPECT_EQ(Value::number(0.1).as_double(), 0.1);
  EXPECT_TRUE(Value::number(HUGE_VAL).is_null());
}

TEST(Json, WhatIsNoJsonIsRefusedWithItsPlace) {
  for (const std::string_view text :
       {"", "{", "[1,]", "{\"a\":1,}", "nul", "01", "1 2", "'a'", "\"\x01\"", "\"\\ud800\"",
        "\"\xff\"", "\xEF\xBB\xBF{}", "1e999", "[1}", "\"a"}) {
    const Result<Value> value = parse(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().kind(), ErrorKind::kInvalid) << text;
  }
  const Result<Value> value = parse("{\n  \"a\": x\n}");
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().fact("line"), "2");
  EXPECT_EQ(value.error().fact("column"), "8");
}

TEST(Json, DepthIsLimited) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse(nested(128)).ok());
  EXPECT_EQ(parse(nested(129)).error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(parse(std::string(1'000'000, '[')).error().kind(), ErrorKind::kLimit);
}

TEST(Json, SizeAndNumberOfValuesAreLimited) {
  EXPECT_TRUE(parse("[1,2]", {.size_max_bytes = 5}).ok());
  EXPECT_EQ(parse("[1,2]", {.size_max_bytes = 4}).error().kind(), ErrorKind::kLimit);
  EXPECT_TRUE(parse("[1,2]", {.values_max = 3}).ok());
  EXPECT_EQ(parse("[1,2]", {.values_max = 2}).error().kind(), ErrorKind::kLimit);
}

}  // namespace
}  // namespace weft::json

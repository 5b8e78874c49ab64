#include "weft/gqexec/parameters.h"

#include <gtest/gtest.h>

#include "weft/gq/check.h"
#include "weft/gqexec/answer_text.h"

namespace weft::gqexec {
namespace {

// The value of $x of this type as JSON, or the error.
std::string read(const std::string& type, const std::string& json) {
  auto queries = gq::parse_file("query q($x: " + type + ") { match { $p: P } return { $x as x } }");
  if (!queries.ok()) {
    return queries.error().to_string();
  }
  const auto values = read_parameters(queries->front(), json);
  if (!values.ok()) {
    return values.error().to_string();
  }
  std::string text;
  append_json_value(*values->values.find("x")->second, 0, text);
  return text;
}

TEST(Parameters, TakeEveryTypeInItsForms) {
  EXPECT_EQ(read("String", R"({"x":"é\u0000"})"), R"("é\u0000")");
  EXPECT_EQ(read("I32", R"({"x":-2147483648})"), "-2147483648");
  EXPECT_EQ(read("I64", R"({"x":"9223372036854775807"})"), "9223372036854775807");
  EXPECT_EQ(read("U32", R"({"x":4294967295})"), "4294967295");
  EXPECT_EQ(read("U64", R"({"x":18446744073709551615})"), "18446744073709551615");
  EXPECT_EQ(read("U64", R"({"x":"18446744073709551615"})"), "18446744073709551615");
  EXPECT_EQ(read("F32", R"({"x":0.1})"), "0.10000000149011612");
  EXPECT_EQ(read("F64", R"({"x":2})"), "2.0");
  EXPECT_EQ(read("Bool", R"({"x":false})"), "false");
  EXPECT_EQ(read("Date", R"({"x":"2024-2-9"})"), R"("2024-02-09")");
  EXPECT_EQ(read("DateTime", R"({"x":"2024-01-02T05:04:05+02:00"})"),
            R"("2024-01-02T03:04:05.000Z")");
  EXPECT_EQ(read("[I32]", R"({"x":[1,2]})"), "[1,2]");
  EXPECT_EQ(read("Vector(2)", R"({"x":[1,2.5]})"), "[1.0,2.5]");
  EXPECT_EQ(read("I32?", R"({"x":null})"), "null");
  EXPECT_EQ(read("I32?", "{}"), "null");
  EXPECT_EQ(read("I32?", ""), "null");
}

TEST(Parameters, SayWhatDoesNotFit) {
  EXPECT_EQ(read("I32", R"({"x":2147483648})"),
            "parameter x is I32: 2147483648 does not fit: parameter=x, type=I32");
  for (const char* const value : {"30.0", "true", "\"a\"", "\"\"", "[1]", "{}", "1e2"}) {
    EXPECT_NE(read("I32", R"({"x":)" + std::string(value) + "}").find("does not fit"),
              std::string::npos)
        << value;
  }
  EXPECT_NE(read("U32", R"({"x":-1})").find("-1 does not fit"), std::string::npos);
  EXPECT_NE(read("U64", R"({"x":18446744073709551616})").find("does not fit"), std::string::npos);
  EXPECT_NE(read("F64", R"({"x":"1.5"})").find("does not fit"), std::string::npos);
  EXPECT_NE(read("F64", R"({"x":1e400})").find("parameter"), std::string::npos);
  EXPECT_NE(read("Date", R"({"x":7306})").find("does not fit"), std::string::npos);
  EXPECT_NE(read("Date", R"({"x":"nope"})").find("\"nope\" does not fit"), std::string::npos);
  EXPECT_NE(read("[I32]", R"({"x":[1,null]})").find("item null is no I32"), std::string::npos);
  EXPECT_NE(read("[I32]", R"({"x":1})").find("an array is wanted"), std::string::npos);
  EXPECT_NE(read("Vector(2)", R"({"x":[1]})").find("it has 1 items"), std::string::npos);
  EXPECT_NE(read("I32", R"({"x":null})").find("it cannot be null"), std::string::npos);
  EXPECT_NE(read("I32", "{}").find("it is missing"), std::string::npos);
  EXPECT_NE(read("I32", R"(["x"])").find("a JSON object"), std::string::npos);
  EXPECT_NE(read("I32", "{bad").find("no JSON"), std::string::npos);
}

TEST(Parameters, OfNoMeaningAreTold) {
  const auto queries = gq::parse_file("query q($x: I32?) { match { $p: P } return { $p } }");
  ASSERT_TRUE(queries.ok());
  const auto values = read_parameters(queries->front(), R"({"$x":1,"y":2})");
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values->unknown, (std::vector<std::string>{"$x", "y"}));
}

}  // namespace
}  // namespace weft::gqexec

#include "weft/results/read_answer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::results {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(ReadAnswer, TermsOfAllKinds) {
  const auto answer = read_json_answer(R"({"head": {"vars": ["a", "b"]}, "results": {"bindings": [
    {"a": {"type": "uri", "value": "http://e/x"}, "b": {"type": "bnode", "value": "b0"}},
    {"a": {"type": "literal", "value": "q\"\n", "xml:lang": "EN-us"}},
    {"b": {"type": "typed-literal", "value": "1",
           "datatype": "http://www.w3.org/2001/XMLSchema#integer"}},
    {"a": {"type": "triple", "value": {"subject": {"type": "uri", "value": "http://e/s"},
           "predicate": {"type": "uri", "value": "http://e/p"},
           "object": {"type": "literal", "value": "o"}}}}
  ]}})");
  ASSERT_TRUE(answer.ok()) << answer.error().to_string();
  EXPECT_THAT(answer->variables, ElementsAre("a", "b"));
  ASSERT_EQ(answer->rows.size(), 4);
  EXPECT_THAT(answer->rows[0],
              ElementsAre(Optional(std::string("<http://e/x>")), Optional(std::string("_:b0"))));
  EXPECT_THAT(answer->rows[1],
              ElementsAre(Optional(std::string("\"q\\\"\\n\"@en-us")), std::nullopt));
  EXPECT_THAT(
      answer->rows[2],
      ElementsAre(std::nullopt,
                  Optional(std::string("\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>"))));
  EXPECT_EQ(answer->rows[3][0], "<<<http://e/s> <http://e/p> \"o\">>");
}

TEST(ReadAnswer, WhatIsNoAnswer) {
  const std::vector<std::string> bad = {
      "",
      "<html>",
      "[]",
      R"({"head": {}, "boolean": true})",
      R"({"head": {"vars": ["a"]}, "results": {}})",
      R"({"head": {"vars": ["a", "a"]}, "results": {"bindings": []}})",
      R"({"head": {"vars": ["a"]}, "results": {"bindings": [{"b": {"type": "uri", "value": "x"}}]}})",
      R"({"head": {"vars": ["a"]}, "results": {"bindings": [{"a": {"type": "?", "value": "x"}}]}})",
      R"({"head": {"vars": ["a"]}, "results": {"bindings": [{"a": {"type": "triple"}}]}})",
  };
  for (const std::string& text : bad) {
    const auto answer = read_json_answer(text);
    ASSERT_FALSE(answer.ok()) << text;
    EXPECT_EQ(answer.error().kind(), ErrorKind::kInvalid) << text;
  }
}

}  // namespace
}  // namespace weft::results

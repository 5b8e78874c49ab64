#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/results/read_answer.h"

namespace weft::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string document(std::string_view rows) {
  return "<?xml version=\"1.0\"?>\n<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\" "
         "xmlns:its=\"http://www.w3.org/2005/11/its\"><head><variable name=\"a\"/><variable "
         "name=\"b\"/><link href=\"x\"/></head><results>" +
         std::string(rows) + "</results></sparql>";
}

std::string refusal(std::string_view text) {
  const Result<exec::ServiceAnswer> answer = read_xml_answer(text);
  if (answer.ok()) {
    return "read";
  }
  EXPECT_EQ(answer.error().kind(), ErrorKind::kInvalid);
  return std::string(answer.error().fact("reason"));
}

TEST(ReadXmlAnswer, EveryKindOfTermIsRead) {
  const auto answer = read_xml_answer(document(
      "<result><binding name=\"a\"><uri>http://e/x</uri></binding>"
      "<binding name=\"b\"><literal>1 &lt; 2\n</literal></binding></result>\n"
      "<result><binding name=\"b\"><literal xml:lang=\"EN\">hi</literal></binding></result>"
      "<result><binding name=\"a\"><bnode>n</bnode></binding><binding name=\"b\"><literal "
      "datatype=\"http://www.w3.org/2001/XMLSchema#integer\">7</literal></binding></result>"
      "<result><binding name=\"b\"><literal xml:lang=\"ar\" its:dir=\"rtl\">x</literal></binding>"
      "</result><result/>"));
  ASSERT_TRUE(answer.ok()) << answer.error().to_string();
  EXPECT_THAT(answer->variables, ElementsAre("a", "b"));
  ASSERT_EQ(answer->rows.size(), 5U);
  EXPECT_THAT(answer->rows[0], ElementsAre("<http://e/x>", "\"1 < 2\\n\""));
  EXPECT_THAT(answer->rows[1], ElementsAre(std::nullopt, "\"hi\"@en"));
  EXPECT_THAT(answer->rows[2],
              ElementsAre("_:n", "\"7\"^^<http://www.w3.org/2001/XMLSchema#integer>"));
  EXPECT_THAT(answer->rows[3], ElementsAre(std::nullopt, "\"x\"@ar--rtl"));
  EXPECT_THAT(answer->rows[4], ElementsAre(std::nullopt, std::nullopt));
}

TEST(ReadXmlAnswer, TripleTermsNest) {
  const auto answer = read_xml_answer(document(
      "<result><binding name=\"a\"><triple><subject><uri>http://e/s</uri></subject>"
      "<predicate><uri>http://e/p</uri></predicate><object><triple>"
      "<subject><bnode>x</bnode></subject><predicate><uri>http://e/q</uri></predicate>"
      "<object><literal>o</literal></object></triple></object></triple></binding></result>"));
  ASSERT_TRUE(answer.ok()) << answer.error().to_string();
  EXPECT_EQ(answer->rows[0][0], "<<<http://e/s> <http://e/p> <<_:x <http://e/q> \"o\">>>>");
}

TEST(ReadXmlAnswer, WhatIsNoAnswerIsRefused) {
  EXPECT_THAT(refusal("<html><body/></html>"), HasSubstr("another document"));
  EXPECT_THAT(refusal("nonsense"), HasSubstr("syntax error"));
  EXPECT_THAT(refusal(""), HasSubstr("no element"));
  EXPECT_THAT(refusal("<sparql><head/><boolean>true</boolean></sparql>"), HasSubstr("no results"));
  EXPECT_THAT(refusal(document("<result><binding name=\"c\"><uri>http://e/x</uri></binding>"
                               "</result>")),
              HasSubstr("head lacks"));
  EXPECT_THAT(refusal(document("<result><binding name=\"a\"></binding></result>")),
              HasSubstr("without a term"));
  EXPECT_THAT(refusal(document("<result><binding name=\"a\"><uri>no iri</uri></binding></result>")),
              HasSubstr("no term"));
  EXPECT_THAT(refusal("<!DOCTYPE sparql [<!ENTITY a \"b\">]>" + document("").substr(22)),
              HasSubstr("document type"));
  std::string deep;
  for (int i = 0; i < 10'000; ++i) {
    deep += "<triple><subject>";
  }
  EXPECT_THAT(refusal(document("<result><binding name=\"a\">" + deep)), HasSubstr("nested"));
}

TEST(ReadAnswer, TheMediaTypeTellsTheFormat) {
  EXPECT_TRUE(read_answer("application/sparql-results+xml; charset=utf-8", document("")).ok());
  EXPECT_TRUE(read_answer("text/xml", document("")).ok());
  EXPECT_TRUE(read_answer("Application/SPARQL-results+JSON",
                          "{\"head\":{\"vars\":[]},\"results\":{\"bindings\":[]}}")
                  .ok());
  EXPECT_EQ(read_answer("text/html", document("")).error().kind(), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace weft::results

// Text filters read off tokens: the same answers as by value.
#include "weft/exec/text_filter.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

const std::vector<std::string> kTokens = {
    "\"\"",
    "\"Ada\"",
    "\"ada\"",
    "\"Ada Okonkwo 77\"",
    "\"ada\"@en",
    "\"Ada\"@en-gb",
    "\"Ada\"@ar--rtl",
    "\"\xC3\x84pfel\"",
    "\"\xC3\xA4pfel\"@de",
    "\"STRASSE\"",
    "\"stra\xC3\x9F\x65\"",
    "\"\xC4\xB0stanbul\"",
    "\"tab\\tquote\\\"back\\\\slash\"",
    "\"line\\nbreak\"@en",
    "\"a\\u0001\"",
    "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
    "\"01\"^^<http://www.w3.org/2001/XMLSchema#integer>",
    "\"ada\"^^<http://www.w3.org/2001/XMLSchema#integer>",
    "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
    "\"ada\"^^<http://e/type>",
    "\"ada\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>",
    "\"2020-01-01\"^^<http://www.w3.org/2001/XMLSchema#date>",
    "<http://e/ada>",
    "<http://e/Ada#en>",
    "<http://e/caf\xC3\xA9>",
    "_:ada",
    "<<<http://e/a> <http://e/p> \"ada\">>",
};

const std::vector<std::string> kTexts = {
    "?o",       "STR(?o)",         "LCASE(?o)",        "UCASE(?o)",       "LCASE(STR(?o))",
    "LANG(?o)", "UCASE(LANG(?o))", "LCASE(UCASE(?o))", "SUBSTR(?o, 1, 3)"};

std::vector<std::string> conditions() {
  std::vector<std::string> all = {"isIRI(?o)", "isBLANK(?o)", "isLITERAL(?o)",
                                  "isLITERAL(?o) && isIRI(?o)"};
  for (const std::string& text : kTexts) {
    for (const std::string constant :
         {"\"\"", "\"ada\"", "\"ADA\"", "\"Ada\"", "\"en\"", "\"\xC3\xA4\"", "\"\xC3\x84\"",
          "\"a\"@en", "1", "\"\\\"\"", "\"\\\\\"", "\"i\"", "\"SS\""}) {
      for (const std::string name : {"CONTAINS", "STRSTARTS", "STRENDS", "REGEX", "LANGMATCHES"}) {
        if (name == "REGEX" &&
            (constant == "\"\\\\\"" || constant == "1" || constant == "\"a\"@en")) {
          continue;  // no regular expression
        }
        all.push_back(name + "(" + text + ", " + constant + ")");
      }
      all.push_back(text + " = " + constant);
      all.push_back(text + " != " + constant);
    }
    all.push_back("REGEX(" + text + ", \"^A.*A$\", \"is\")");
    all.push_back("LANGMATCHES(" + text + ", \"*\")");
  }
  const size_t simple = all.size();
  for (size_t i = 0; i + 7 < simple; i += 7) {
    all.push_back("(" + all[i] + ") && (" + all[i + 5] + ")");
    all.push_back("(" + all[i + 2] + ") || (" + all[i + 7] + ")");
    all.push_back("!((" + all[i + 3] + ") && !(" + all[i + 4] + "))");
  }
  return all;
}

// A condition of a FILTER is read off tokens; what BIND computes is not.
TEST(TextFilter, AgreesWithTheSameConditionByValueForEveryKindOfTerm) {
  VectorSource::Builder builder;
  for (size_t i = 0; i < kTokens.size(); ++i) {
    builder.add("<http://e/s" + std::to_string(i) + ">", "<http://e/p>", kTokens[i]);
  }
  const auto source = std::move(builder).build();
  QueryRunner run(*source);
  size_t passed = 0;
  for (const std::string& condition : conditions()) {
    for (const std::string sign : {"", "!"}) {
      const std::string test = sign + "(" + condition + ")";
      const auto by_token = run.rows("SELECT ?s { ?s :p ?o FILTER(" + test + ") }");
      const auto by_value = run.rows("SELECT ?s { ?s :p ?o BIND(" + test + " AS ?r) FILTER(?r) }");
      EXPECT_EQ(by_token, by_value) << test;
      passed += by_token.size();
    }
  }
  EXPECT_GT(passed, 2'000U);
}

TEST(TextFilter, TermsThatComeAgainInAnyOrderAreTestedOnce) {
  VectorSource::Builder builder;
  for (int i = 0; i < 9'000; ++i) {
    builder.add("<http://e/s" + std::to_string(10'000 + i) + ">", "<http://e/p>",
                "\"text " + std::to_string(i * 7919 % 50) + "\"");
  }
  const auto source = std::move(builder).build();
  QueryRunner run(*source);
  source->reset_counts();
  EXPECT_EQ(
      run.rows(
          "SELECT (COUNT(?s) AS ?n) { ?s :p ?o . ?s :p ?again FILTER(CONTAINS(?o, \"text 7\")) }"),
      std::vector<std::string>{"180"});
  EXPECT_LE(source->counts().token_calls, 3U);
}

TEST(TextFilter, ComputedAndUnboundTermsHaveTheirSay) {
  const auto source = make_source(":a :p \"x\" . :b :p \"y\" .");
  QueryRunner run(*source);
  EXPECT_THAT(
      run.rows(
          "SELECT ?s ?t { ?s :p ?o BIND(CONCAT(?o, \"-z\") AS ?t) FILTER(CONTAINS(?t, \"x-\")) }"),
      testing::ElementsAre(":a \"x-z\""));
  EXPECT_THAT(run.rows("SELECT ?s { ?s :p ?o OPTIONAL { ?s :q ?t } FILTER(!CONTAINS(?t, \"x\")) }"),
              testing::IsEmpty());
  EXPECT_THAT(run.rows("SELECT ?s { ?s :p ?o FILTER(CONTAINS(?nowhere, \"x\")) }"),
              testing::IsEmpty());
  EXPECT_THAT(run.rows("SELECT ?s { ?s :p ?o FILTER(CONTAINS(?o, \"x\") || ?s = :b) }"),
              testing::ElementsAre(":a", ":b"));
}

TEST(TextFilter, ABadPatternIsToldBeforeTheQueryRuns) {
  const auto source = make_source(":a :p \"x\" .");
  QueryRunner run(*source);
  EXPECT_FALSE(
      run.prepare("SELECT ?s { ?s :p ?o FILTER(REGEX(?o, \"(\")) }").ok() &&
      !run.rows("SELECT ?s { ?s :p ?o FILTER(REGEX(?o, \"(\")) }").at(0).starts_with("error"));
}

}  // namespace
}  // namespace weft::exec

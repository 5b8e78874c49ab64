#include "weft/plan/text_demand.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/exec/regex.h"
#include "weft/plan/regex_literals.h"
#include "weft/sparql/parser.h"
#include "weft/sparql/traversal.h"

namespace weft::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The demand of a filter on ?v: "needs, …", an asterisk behind it if IRIs may pass.
std::string demand_of(const std::string& condition) {
  auto query = sparql::parse_query("SELECT * { ?s ?p ?v FILTER(" + condition + ") }");
  EXPECT_TRUE(query.ok()) << condition;
  std::vector<const sparql::Expression*> conditions;
  const std::function<void(const sparql::Node&)> visit = [&](const sparql::Node& node) {
    sparql::for_each_part(node, visit, [&](const sparql::Expression& expression) {
      conditions.push_back(&expression);
    });
  };
  visit(*query->pattern);
  for (Variable variable = 0; variable < query->variables.size(); ++variable) {
    if (query->variables[variable].name != "v") {
      continue;
    }
    const auto demand = text_demand(conditions, variable);
    if (!demand.has_value()) {
      return "nothing";
    }
    std::string text;
    for (const rdf::TextNeed& need : demand->needs) {
      static const std::vector<std::string> kLetters = {"", "lower:", "fold:"};
      text += (text.empty() ? "" : ", ") + kLetters[static_cast<size_t>(need.letters)] +
              (need.at_start ? "^" : "") + need.text + (need.at_end ? "$" : "");
    }
    return text + (demand->literals_only ? "" : " *");
  }
  return "no ?v";
}

TEST(TextDemand, TakesWhatMustBeTrueOfTheTextOfTheVariable) {
  EXPECT_EQ(demand_of("CONTAINS(?v, \"ab c\")"), "ab c");
  EXPECT_EQ(demand_of("CONTAINS(?v, \"ab\"@en)"), "ab");
  EXPECT_EQ(demand_of("CONTAINS(STR(?v), \"ab\")"), "ab *");
  EXPECT_EQ(demand_of("CONTAINS(STR(?v), \"ab\") && isLITERAL(?v)"), "ab");
  EXPECT_EQ(demand_of("CONTAINS(LCASE(STR(?v)), \"ab\")"), "lower:ab *");
  EXPECT_EQ(demand_of("STRSTARTS(?v, \"ab\") && STRENDS(STR(?v), \"cd\")"), "^ab, cd$");
  EXPECT_EQ(demand_of("REGEX(?v, \"ab.*cd\")"), "ab, cd");
  EXPECT_EQ(demand_of("REGEX(?v, \"ab\", \"i\")"), "fold:ab");
  EXPECT_EQ(demand_of("REGEX(LCASE(?v), \"ab\")"), "lower:ab");
}

TEST(TextDemand, SaysNothingOfWhatMayBeTrueOtherwise) {
  for (const std::string condition :
       {"CONTAINS(?v, \"\")", "!CONTAINS(?v, \"ab\")", "CONTAINS(?v, \"ab\") || ?s = 1",
        "CONTAINS(UCASE(?v), \"AB\")", "CONTAINS(?v, ?p)", "CONTAINS(\"ab\", ?v)",
        "CONTAINS(LANG(?v), \"en\")", "CONTAINS(?s, \"ab\")", "REGEX(?v, \"ab\", \"x\")",
        "REGEX(?v, \"a|b\")", "REGEX(LCASE(?v), \"ab\", \"i\")", "CONTAINS(?v, 1)",
        "IF(CONTAINS(?v, \"ab\"), false, true)"}) {
    EXPECT_EQ(demand_of(condition), "nothing") << condition;
  }
}

TEST(RegexLiterals, AreWhatStandsOutsideOfGroupsAndQuantifiers) {
  const auto of = [](std::string_view pattern) { return regex_literals(pattern, ""); };
  EXPECT_THAT(of("abc"), ElementsAre("abc"));
  EXPECT_THAT(of("^abc$"), ElementsAre("abc"));
  EXPECT_THAT(of("ab*c"), ElementsAre("a", "c"));
  EXPECT_THAT(of("ab+?c"), ElementsAre("ab", "c"));
  EXPECT_THAT(of("ab{2,3}cd"), ElementsAre("a", "cd"));
  EXPECT_THAT(of("ab(cd|ef)gh"), ElementsAre("ab", "gh"));
  EXPECT_THAT(of("ab(?:c(d))?gh"), ElementsAre("ab", "gh"));
  EXPECT_THAT(of("ab[c-d\\]e]gh"), ElementsAre("ab", "gh"));
  EXPECT_THAT(of("a\\.b\\nc\\sd"), ElementsAre("a.b\nc", "d"));
  EXPECT_THAT(regex_literals("a.b", "q"), ElementsAre("a.b"));
  for (const std::string_view pattern : {"ab|cd", "(?i)ab", "ab\\p{L}", "\\Qa*b\\E", "ab\\1", "ab)",
                                         "(ab", "[ab", "*a", "ab{x}", "ab\\"}) {
    EXPECT_THAT(of(pattern), IsEmpty()) << pattern;
  }
  EXPECT_THAT(regex_literals("ab c", "x"), IsEmpty());
}

// Whatever the pattern: a text that it matches holds all of them.
TEST(RegexLiterals, StandInEveryTextThatThePatternMatches) {
  static const std::vector<std::string> kPieces = {
      "a",     "b",   "ab",  "ba",  "\\.", ".",    "*",    "+",         "?",       "{2}",
      "{0,1}", "(",   ")",   "(?:", "|",   "[ab]", "[^a]", "[a-b-[b]]", "^",       "$",
      "\\s",   "\\w", "\\n", "\\Q", "\\E", "(?i)", "{",    "}",         "\xC3\xA4"};
  base::Random random(99);
  size_t matched = 0;
  for (int round = 0; round < 40'000; ++round) {
    std::string pattern;
    const uint64_t count = 1 + random.below(6);
    for (uint64_t i = 0; i < count; ++i) {
      pattern += kPieces[random.below(kPieces.size())];
    }
    const auto regex = exec::Regex::compile(pattern, "");
    if (!regex.ok()) {
      continue;
    }
    const std::vector<std::string> literals = regex_literals(pattern, "");
    for (int text_number = 0; text_number < 8 && !literals.empty(); ++text_number) {
      static const std::vector<std::string> kTexts = {"a",  "b", "A",        ".",
                                                      "\n", " ", "\xC3\xA4", "2"};
      std::string text;
      for (uint64_t i = random.below(6); i > 0; --i) {
        text += kTexts[random.below(3) == 0 ? random.below(kTexts.size()) : random.below(2)];
      }
      if (!(*regex)->matches(text)) {
        continue;
      }
      ++matched;
      for (const std::string& literal : literals) {
        EXPECT_NE(text.find(literal), std::string::npos) << pattern << " in " << text;
      }
    }
  }
  EXPECT_GT(matched, 5'000U);
}

}  // namespace
}  // namespace weft::plan

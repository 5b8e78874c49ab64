#include "weft/sparql/parser.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/sparql/unsupported.h"

namespace weft::sparql {
namespace {

std::string dump_of(std::string_view text) {
  ParseOptions options;
  options.refuse_unsupported = false;
  const Result<Query> query = parse_query(text, options);
  return query.ok() ? dump(*query) : query.error().to_string();
}

Error error_of(std::string_view text) {
  Result<Query> query = parse_query(text);
  EXPECT_FALSE(query.ok()) << text;
  return query.ok() ? Error(ErrorKind::kInternal, "none") : std::move(query).error();
}

std::string repeat(std::string_view part, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i) {
    result += part;
  }
  return result;
}

TEST(Parser, TriplesBecomeOneBasicGraphPattern) {
  EXPECT_EQ(dump_of("PREFIX : <http://e/> SELECT ?x { ?x a :C ; :p 1, 'b'@EN-us . :s :q true }"),
            "select (?x)\n"
            "project (?x)\n"
            "  bgp\n"
            "    triple ?x <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/C>\n"
            "    triple ?x <http://e/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>\n"
            "    triple ?x <http://e/p> \"b\"@en-us\n"
            "    triple <http://e/s> <http://e/q> "
            "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>\n");
}

TEST(Parser, FiltersOfAnOptionalGroupBelongToTheLeftJoin) {
  EXPECT_EQ(
      dump_of("SELECT * { ?a <p> ?b OPTIONAL { ?b <q> ?c FILTER(?c < ?a) } FILTER BOUND(?c) }"),
      "select (?a ?b ?c)\n"
      "project (?a ?b ?c)\n"
      "  filter (BOUND ?c)\n"
      "    leftjoin (< ?c ?a)\n"
      "      bgp\n"
      "        triple ?a <p> ?b\n"
      "      bgp\n"
      "        triple ?b <q> ?c\n");
}

TEST(Parser, AFilterDoesNotEndABasicGraphPattern) {
  EXPECT_EQ(dump_of("ASK { _:x <p> ?b FILTER(?b) _:x <q> ?c }"),
            "ask\n"
            "filter ?b\n"
            "  bgp\n"
            "    triple ?.0 <p> ?b\n"
            "    triple ?.0 <q> ?c\n");
}

TEST(Parser, MinusAndDivisionAssociateToTheLeft) {
  EXPECT_EQ(dump_of("ASK { BIND(?p-?q-?r AS ?x) BIND(?a/?b/?c*?d AS ?y) BIND(?a -1.5 AS ?z) }"),
            "ask\n"
            "extend ?z = (- ?a \"1.5\"^^<http://www.w3.org/2001/XMLSchema#decimal>)\n"
            "  extend ?y = (* (/ (/ ?a ?b) ?c) ?d)\n"
            "    extend ?x = (- (- ?p ?q) ?r)\n"
            "      unit\n");
}

TEST(Parser, AggregatesBecomeVariablesOfTheGroup) {
  EXPECT_EQ(dump_of("SELECT ?k (SUM(?v) + COUNT(DISTINCT *) AS ?n) { ?k <p> ?v } GROUP BY ?k "
                    "HAVING(MAX(?v) > 3) ORDER BY DESC(?n) LIMIT 5"),
            "select (?k ?n)\n"
            "slice offset 0 limit 5\n"
            "  project (?k ?n)\n"
            "    orderby desc ?n\n"
            "      extend ?n = (+ ?.0 ?.1)\n"
            "        filter (> ?.2 \"3\"^^<http://www.w3.org/2001/XMLSchema#integer>)\n"
            "          group ?k = ?k ?.0 = (sum ?v) ?.1 = (count distinct *) ?.2 = (max ?v)\n"
            "            bgp\n"
            "              triple ?k <p> ?v\n");
}

TEST(Parser, HavingMayUseANameFromTheSelectClause) {
  EXPECT_EQ(dump_of("SELECT (COUNT(*) AS ?n) { ?s ?p ?o } HAVING(?n > 1)"),
            "select (?n)\n"
            "project (?n)\n"
            "  filter (> ?n \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>)\n"
            "    extend ?n = ?.0\n"
            "      group ?.0 = (count *)\n"
            "        bgp\n"
            "          triple ?s ?p ?o\n");
}

TEST(Parser, SequencesInversesAndAlternativesOfPathsNeedNoPath) {
  EXPECT_EQ(dump_of("ASK { ?a <p>/^<q> ?b . ?b (<r>|<s>) ?c }"),
            "ask\n"
            "join\n"
            "  bgp\n"
            "    triple ?a <p> ?.0\n"
            "    triple ?b <q> ?.0\n"
            "  union\n"
            "    bgp\n"
            "      triple ?b <r> ?c\n"
            "    bgp\n"
            "      triple ?b <s> ?c\n");
}

TEST(Parser, TripleTermsWithVariablesAreTakenApart) {
  EXPECT_EQ(dump_of("ASK { ?a <p> <<( ?a <q> ?o )>> . ?b <r> <<( <s> <q> 'x' )>> }"),
            "ask\n"
            "extend ?o = (OBJECT ?.0)\n"
            "  filter (sameTerm (PREDICATE ?.0) <q>)\n"
            "    filter (sameTerm (SUBJECT ?.0) ?a)\n"
            "      filter (isTRIPLE ?.0)\n"
            "        bgp\n"
            "          triple ?a <p> ?.0\n"
            "          triple ?b <r> <<<s> <q> \"x\">>\n");
}

TEST(Parser, ReifiedTriplesAndAnnotationsAreExpanded) {
  const std::string reifies = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>";
  EXPECT_EQ(dump_of("ASK { <s> <p> <o> ~ <r> {| <q> 1 |} }"),
            "ask\n"
            "bgp\n"
            "  triple <s> <p> <o>\n"
            "  triple <r> " +
                reifies +
                " <<<s> <p> <o>>>\n"
                "  triple <r> <q> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>\n");
}

TEST(Parser, BlankNodesOfATemplateAreNumbered) {
  EXPECT_EQ(dump_of("CONSTRUCT { _:a <p> [] . _:a <q> ?x } { ?x <p> _:a }"),
            "construct\n"
            "template _:0 <p> _:1\n"
            "template _:0 <q> ?x\n"
            "bgp\n"
            "  triple ?x <p> ?.0\n");
  EXPECT_EQ(dump_of("CONSTRUCT WHERE { ?x <p> [] }"),
            "construct\n"
            "template ?x <p> _:0\n"
            "bgp\n"
            "  triple ?x <p> ?.0\n");
}

TEST(Parser, ASubSelectHidesWhatItDoesNotProject) {
  const Result<Query> query =
      parse_query("SELECT * { ?a <p> ?b { SELECT ?b (1 AS ?one) { ?b <q> ?c } } }");
  ASSERT_TRUE(query.ok()) << query.error().to_string();
  std::vector<std::string> names;
  for (const VariableIndex variable : query->projection) {
    names.push_back(query->variables[variable].name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "one"}));
}

TEST(Parser, TheNameOfAGraphIsJoinedAfterItsPattern) {
  EXPECT_EQ(dump_of("ASK { GRAPH ?g { ?s ?p ?o } GRAPH ?g { ?g ?q ?g } }"),
            "ask\n"
            "join\n"
            "  graph ?g\n"
            "    bgp\n"
            "      triple ?s ?p ?o\n"
            "  filter (sameTerm ?.1 ?g)\n"
            "    graph ?g\n"
            "      bgp\n"
            "        triple ?.1 ?q ?.1\n");
  EXPECT_EQ(dump_of("SELECT * { GRAPH ?g { { SELECT * { ?s ?p ?g } } FILTER(BOUND(?g)) } }"),
            "select (?g ?s ?p)\n"
            "project (?g ?s ?p)\n"
            "  filter (sameTerm ?.0 ?g)\n"
            "    graph ?g\n"
            "      filter (BOUND ?.0)\n"
            "        project (?.0 ?s ?p)\n"
            "          bgp\n"
            "            triple ?s ?p ?.0\n");
  EXPECT_EQ(dump_of("ASK { GRAPH ?g { OPTIONAL { ?s ?p ?g } } }"),
            "ask\n"
            "filter (|| (! (BOUND ?.0)) (sameTerm ?.0 ?g))\n"
            "  graph ?g\n"
            "    leftjoin\n"
            "      unit\n"
            "      bgp\n"
            "        triple ?s ?p ?.0\n");
}

TEST(Parser, RelativeIrisAreResolvedAgainstTheBase) {
  EXPECT_EQ(
      dump_of("BASE <http://e/a/b> PREFIX p: <c#> ASK FROM <../g> { <?x> p:y\\-z%41 <d/./e> }"),
      "ask\n"
      "from <http://e/g>\n"
      "bgp\n"
      "  triple <http://e/a/b?x> <http://e/a/c#y-z%41> <http://e/a/d/e>\n");
}

TEST(Parser, EscapesGiveTheCanonicalToken) {
  EXPECT_EQ(dump_of("ASK { <http://e/\\u00E9> <p> '\\u0041\\t\\U0001F600\\\\' }"),
            "ask\n"
            "bgp\n"
            "  triple <http://e/é> <p> \"A\\t\U0001F600\\\\\"\n");
}

TEST(Parser, ErrorsSayWhere) {
  const Error error = error_of("SELECT *\n{ ?s ?p ?ö .\n  ?s é:x }");
  EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
  EXPECT_EQ(error.fact("line"), "3");
  EXPECT_EQ(error.fact("column"), "6");
  const Error end = error_of("ASK { ?s ?p");
  EXPECT_EQ(end.fact("column"), "12");
  const Error lexical = error_of("ASK { ?s ?p 'abc");
  EXPECT_EQ(lexical.fact("column"), "13");
  const Error utf8 = error_of("ASK {\n é \xFF }");
  EXPECT_EQ(utf8.fact("line"), "2");
  EXPECT_EQ(utf8.fact("column"), "4");
}

TEST(Parser, StaticRulesAreChecked) {
  const std::vector<std::string> bad = {
      "SELECT ?x { ?x ?p ?o } GROUP BY ?o",
      "SELECT (?x AS ?o) { ?x ?p ?o }",
      "SELECT (1 AS ?a) (2 AS ?a) { }",
      "SELECT * { ?s ?p ?o BIND(1 AS ?o) }",
      "SELECT * { } GROUP BY ?x",
      "SELECT ?x { FILTER(COUNT(?x) > 1) }",
      "SELECT (SUM(COUNT(?x)) AS ?y) { }",
      "ASK { _:a ?p ?o . { _:a ?q ?r } }",
      "ASK { VALUES (?a ?b) { (1) } }",
      "ASK { FILTER(BOUND(1)) }",
      "ASK { FILTER(STRLEN()) }",
      "ASK { ?s ?p ?o ?q ?r }",
      "ASK { nope:x ?p ?o }",
      "ASK { } LIMIT 1 LIMIT 2",
      "PREFIX x: <y> INSERT DATA { <a> <b> <c> }",
      "ASK { ?s ?p - 5 }",
      "SELECT ?x { } LIMIT 99999999999999999999",
  };
  for (const std::string& text : bad) {
    EXPECT_EQ(error_of(text).kind(), ErrorKind::kInvalid) << text;
  }
}

TEST(Parser, WhatIsNotAnsweredIsRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ASK { FILTER EXISTS { ?a ?b ?c FILTER(<http://e/f>(1)) } }",
       "functions named by an IRI that is no XSD cast"},
      {"ASK { FILTER(<http://e/f>(1)) }", "functions named by an IRI that is no XSD cast"},
  };
  for (const auto& [text, feature] : cases) {
    const Error error = error_of(text);
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported) << text;
    EXPECT_EQ(error.fact("feature"), feature) << text;
    EXPECT_NE(error.fact("line"), "") << text;
  }
}

// At the limit, and one beyond; and far beyond, where an unbounded parser dies.
TEST(Parser, NestingIsBounded) {
  struct Case {
    std::string begin, open, middle, close, end;
    size_t used;  // levels that the frame takes
  };
  const std::vector<Case> cases = {
      {"ASK ", "{", "", "}", "", 0},
      {"ASK { FILTER ", "(", "1", ")", " }", 1},
      {"ASK { FILTER(", "!", "1", "", ") }", 2},
      {"ASK { ?s ?p ", "[?p ", "?o", "]", " }", 1},
      {"ASK { ?s ?p ", "(", "?o", ")", " }", 1},
      {"ASK { ?s ?p ", "<<(?s ?p ", "?o", ")>>", " }", 1},
      {"ASK { ?s ?p ", "<< <s> <p> ", "<o>", ">>", " }", 1},
      {"ASK { ?s ", "(", "<p>", ")", " ?o }", 2},
      {"ASK { FILTER(1 = ", "-(", "1", ")", ") }", 2},
      {"ASK { FILTER ", "EXISTS { FILTER ", "(1)", "}", " }", 2},
      {"ASK { ", "{ SELECT * ", "{}", "}", " }", 0},
  };
  ParseOptions options;
  options.refuse_unsupported = false;
  for (const Case& test : cases) {
    const auto text = [&](size_t depth) {
      return test.begin + repeat(test.open, depth) + test.middle + repeat(test.close, depth) +
             test.end;
    };
    size_t deepest = 0;
    for (size_t depth = 1; depth <= kNestingMax + 1; ++depth) {
      const Result<Query> query = parse_query(text(depth), options);
      if (!query.ok()) {
        EXPECT_EQ(query.error().kind(), ErrorKind::kLimit)
            << test.open << query.error().to_string();
        EXPECT_EQ(query.error().fact("limit"), "query nesting");
        break;
      }
      deepest = depth;
    }
    EXPECT_GE(deepest, kNestingMax / 2 - 2) << test.open;
    EXPECT_LE(deepest, kNestingMax) << test.open;
    const Result<Query> far = parse_query(text(100'000), options);
    ASSERT_FALSE(far.ok()) << test.open;
    EXPECT_EQ(far.error().kind(), ErrorKind::kLimit) << test.open;
  }
}

TEST(Parser, LongChainsThatMakeDeepTreesAreBounded) {
  const std::string sum = "ASK { FILTER(1" + repeat(" + 1", kTreeHeightMax - 2) + ") }";
  EXPECT_TRUE(parse_query(sum).ok());
  const std::string optional = "ASK { " + repeat("OPTIONAL {} ", kTreeHeightMax - 1) + "}";
  EXPECT_TRUE(parse_query(optional).ok());
  for (const std::string& text : {"ASK { FILTER(1" + repeat(" + 1", kTreeHeightMax) + ") }",
                                  "ASK { FILTER(1" + repeat(" - 1", 100'000) + ") }",
                                  "ASK { " + repeat("OPTIONAL {} ", kTreeHeightMax) + "}",
                                  "ASK { " + repeat("OPTIONAL {} ", 100'000) + "}",
                                  "ASK { " + repeat("MINUS {} ", 100'000) + "}"}) {
    EXPECT_EQ(error_of(text).fact("limit"), "tree height");
  }
}

TEST(Parser, ChainsThatStayFlatMayBeLong) {
  EXPECT_TRUE(parse_query("ASK { FILTER(1" + repeat(" || 1", 20'000) + ") }").ok());
  EXPECT_TRUE(parse_query("ASK { {}" + repeat(" UNION {}", 20'000) + " }").ok());
  EXPECT_TRUE(parse_query("ASK { " + repeat("?s ?p ?o . ", 20'000) + " }").ok());
  EXPECT_TRUE(parse_query("ASK { " + repeat("FILTER(?x) ", 20'000) + " }").ok());
  EXPECT_TRUE(parse_query("ASK { ?s ?p (" + repeat("1 ", 20'000) + ") }").ok());
  EXPECT_EQ(error_of("ASK { FILTER(1" + repeat("||1", kArgumentsMax) + ") }").kind(),
            ErrorKind::kInvalid);
}

TEST(Parser, AClonedTreeHasTheSameDump) {
  ParseOptions options;
  options.refuse_unsupported = false;
  const Result<Query> query = parse_query(
      "SELECT DISTINCT ?a (GROUP_CONCAT(?b; SEPARATOR=',') AS ?c) { { ?a <p> ?b } UNION { GRAPH ?g "
      "{ ?a <q>+ ?b OPTIONAL { ?b <r> ?d FILTER(?d IN (1, 2)) } } } MINUS { ?a <s> 1 } FILTER NOT "
      "EXISTS { SERVICE SILENT <x> { VALUES (?a ?b) { (UNDEF 1) } } } } GROUP BY ?a ORDER BY "
      "<http://f>(?a) LIMIT 3 OFFSET 1",
      options);
  ASSERT_TRUE(query.ok()) << query.error().to_string();
  const NodePtr copy = clone(*query->pattern);
  EXPECT_EQ(dump(*copy, query->variables), dump(*query->pattern, query->variables));
  EXPECT_EQ(copy->height, query->pattern->height);
}

}  // namespace
}  // namespace weft::sparql

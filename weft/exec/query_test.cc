// Semantics by sections of SPARQL 1.1 Query.
#include "weft/exec/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kPeople = R"(
  :ann :knows :bob .  :ann :knows :cat .  :bob :knows :cat .  :dan :knows :dan .
  :ann :name "Ann" .  :bob :name "Bob" .  :cat :name "Cat"@en .
  :ann :age 30 .  :bob :age 25 .  :cat :age 025 .  :dan :age "old" .
  :bob :mail "bob@e" .
  :ann :knows :eve :g1 .  :eve :name "Eve" :g1 .  :ann :name "Anna" :g2 .  :eve :age 9 :g2 .
)";

class QueryTest : public testing::TestWithParam<bool> {
 protected:
  QueryTest() : source_(make_source(kPeople, {.six_permutations = GetParam()})), run_(*source_) {}
  std::vector<std::string> rows(std::string_view query) { return run_.rows(query); }

  std::unique_ptr<VectorSource> source_;
  QueryRunner run_;
};
INSTANTIATE_TEST_SUITE_P(Orders, QueryTest, testing::Bool());

// §2, §5
TEST_P(QueryTest, OnePattern) {
  EXPECT_THAT(rows("SELECT ?x ?y { ?x :knows ?y }"),
              ElementsAre(":ann :bob", ":ann :cat", ":bob :cat", ":dan :dan"));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?x }"), ElementsAre(":dan"));
  EXPECT_THAT(rows("SELECT ?p { :ann ?p :bob }"), ElementsAre(":knows"));
  EXPECT_THAT(rows("SELECT * { :ann :knows :bob }"), ElementsAre(""));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows :nobody }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?x { ?x :unheard ?y }"), IsEmpty());
  EXPECT_THAT(rows("SELECT * {}"), ElementsAre(""));
}

TEST_P(QueryTest, PatternsJoinOnSharedVariablesInAnyPosition) {
  EXPECT_THAT(rows("SELECT ?x ?n { ?x :knows ?y . ?y :name ?n }"),
              ElementsAre(":ann \"Bob\"", ":ann \"Cat\"@en", ":bob \"Cat\"@en"));
  EXPECT_THAT(rows("SELECT ?x ?z { ?x :knows ?y . ?y :knows ?z }"),
              ElementsAre(":ann :cat", ":dan :dan"));
  // A predicate elsewhere a subject.
  auto source = make_source(":p :label \"P\" . :a :p :b . :a :q :c . :q :label \"Q\" .");
  QueryRunner run(*source);
  EXPECT_THAT(run.rows("SELECT ?l ?o { ?s ?p ?o . ?p :label ?l }"),
              ElementsAre("\"P\" :b", "\"Q\" :c"));
}

TEST_P(QueryTest, MinusOfAVariableThatIsNeverBoundThere) {
  // ?n is in scope on the right and has no column there.
  EXPECT_THAT(rows("SELECT ?x ?n { ?x :name ?n MINUS { SELECT ?x ?n { ?x :mail ?m } } }"),
              ElementsAre(":ann \"Ann\"", ":cat \"Cat\"@en"));
}

TEST_P(QueryTest, AGraphVariableThatASubqueryBindsTooIsCompared) {
  auto source = make_source(":a :in :g1 :g1 . :b :in :g2 :g1 . :c :in :g1 :g2 .",
                            {.six_permutations = GetParam()});
  QueryRunner run(*source);
  EXPECT_THAT(run.rows("SELECT ?x { GRAPH ?g { SELECT ?x ?g { ?x :in ?g } } }"), ElementsAre(":a"));
}

TEST_P(QueryTest, BlankNodesInPatternsAreVariables) {
  EXPECT_THAT(rows("SELECT ?x { ?x :knows [ :name \"Bob\" ] }"), ElementsAre(":ann"));
}

// §3, §17
TEST_P(QueryTest, FiltersKeepWhatIsTrue) {
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER(?a > 25) }"), ElementsAre(":ann"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER(?a = 25) }"), ElementsAre(":bob", ":cat"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER(sameTerm(?a, 25)) }"), ElementsAre(":bob"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER(!(?a > 25)) }"), ElementsAre(":bob", ":cat"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER(?a > 25 || isLiteral(?a)) }"),
              ElementsAre(":ann", ":bob", ":cat", ":dan"));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?y FILTER(?y = :cat) }"), ElementsAre(":ann", ":bob"));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?y FILTER(?y IN (:bob, :dan)) }"),
              ElementsAre(":ann", ":dan"));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?y FILTER(?y NOT IN (:bob, :cat)) }"),
              ElementsAre(":dan"));
  EXPECT_THAT(rows("SELECT ?x { ?x :name ?n FILTER(lang(?n) = 'en') }"), ElementsAre(":cat"));
  EXPECT_THAT(rows("SELECT ?x { ?x :name ?n FILTER regex(?n, '^b', 'i') }"), ElementsAre(":bob"));
}

// §6
TEST_P(QueryTest, OptionalKeepsTheLeftSide) {
  EXPECT_THAT(rows("SELECT ?x ?m { ?x :age ?a OPTIONAL { ?x :mail ?m } }"),
              ElementsAre(":ann -", ":bob \"bob@e\"", ":cat -", ":dan -"));
  EXPECT_THAT(rows("SELECT ?x ?y { ?x :age ?a OPTIONAL { ?x :knows ?y FILTER(?a > 26) } }"),
              ElementsAre(":ann :bob", ":ann :cat", ":bob -", ":cat -", ":dan -"));
  EXPECT_THAT(
      rows("SELECT ?x ?n ?m { ?x :knows :cat OPTIONAL { ?x :name ?n OPTIONAL { ?x :mail ?m } } }"),
      ElementsAre(":ann \"Ann\" -", ":bob \"Bob\" \"bob@e\""));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a OPTIONAL { ?x :mail ?m } FILTER(!bound(?m)) }"),
              ElementsAre(":ann", ":cat", ":dan"));
}

TEST_P(QueryTest, AnUnboundVariableJoinsWithEverything) {
  // ?m is unbound for most: the second OPTIONAL binds it.
  EXPECT_THAT(rows("SELECT ?x ?m { ?x :age ?a OPTIONAL { ?x :mail ?m } OPTIONAL { ?x :name ?m } }"),
              ElementsAre(":ann \"Ann\"", ":bob \"bob@e\"", ":cat \"Cat\"@en", ":dan -"));
  EXPECT_THAT(rows("SELECT ?x ?m { { ?x :age ?a OPTIONAL { ?x :mail ?m } } { ?y :name ?m } }"),
              testing::SizeIs(3 * 3));
}

// §7, §8.3
TEST_P(QueryTest, UnionAndMinus) {
  EXPECT_THAT(
      rows("SELECT ?v { { :bob :name ?v } UNION { :bob :mail ?v } UNION { :bob :age ?v } }"),
      ElementsAre("\"Bob\"", "\"bob@e\"", "25"));
  EXPECT_THAT(rows("SELECT ?x ?m { ?x :knows :cat { ?x :mail ?m } UNION { ?x :age 30 } }"),
              ElementsAre(":ann -", ":bob \"bob@e\""));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a MINUS { ?x :knows ?y } }"), ElementsAre(":cat"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a MINUS { ?z :mail ?y } }"),
              ElementsAre(":ann", ":bob", ":cat", ":dan"));
  EXPECT_THAT(rows("SELECT ?x { ?x :mail ?m MINUS { ?x :knows ?y FILTER(?m = ?m) } }"),
              ElementsAre(":bob"));
}

// §10
TEST_P(QueryTest, BindAndValues) {
  EXPECT_THAT(rows("SELECT ?x ?b { ?x :age ?a BIND(?a + 1 AS ?b) }"),
              ElementsAre(":ann 31", ":bob 26", ":cat 26", ":dan -"));
  EXPECT_THAT(rows("SELECT ?x ?n { VALUES ?x { :ann :bob :zoe } ?x :name ?n }"),
              ElementsAre(":ann \"Ann\"", ":bob \"Bob\""));
  EXPECT_THAT(rows("SELECT ?x ?n { ?x :name ?n } VALUES (?x ?n) { (:ann UNDEF) (UNDEF \"Bob\") }"),
              ElementsAre(":ann \"Ann\"", ":bob \"Bob\""));
  EXPECT_THAT(rows("SELECT ?v { VALUES ?v { 1 1 \"zz\" } }"), ElementsAre("\"zz\"", "1", "1"));
}

TEST_P(QueryTest, AComputedTermJoinsWithAnEqualStoredOne) {
  EXPECT_THAT(rows("SELECT ?x { BIND(IRI(CONCAT('http://e/', 'bob')) AS ?y) ?x :knows ?y }"),
              ElementsAre(":ann"));
  EXPECT_THAT(rows("SELECT ?x ?y { { SELECT ?y (?b + 5 AS ?a) { ?y :age ?b FILTER(?y != :dan) } } "
                   "?x :age ?a }"),
              ElementsAre(":ann :bob", ":ann :cat"));
  EXPECT_THAT(rows("SELECT DISTINCT ?n { { :bob :name ?n } UNION { BIND('Bob' AS ?n) } UNION { "
                   "BIND(CONCAT('B', 'ob') AS ?n) } }"),
              ElementsAre("\"Bob\""));
  EXPECT_THAT(rows("SELECT ?n { :bob :name ?n MINUS { BIND(CONCAT('B','ob') AS ?n) } }"),
              IsEmpty());
}

// §11
TEST_P(QueryTest, Grouping) {
  EXPECT_THAT(rows("SELECT ?x (COUNT(*) AS ?n) { ?x :knows ?y } GROUP BY ?x"),
              ElementsAre(":ann 2", ":bob 1", ":dan 1"));
  EXPECT_THAT(rows("SELECT (COUNT(?y) AS ?n) (COUNT(DISTINCT ?y) AS ?d) { ?x :knows ?y }"),
              ElementsAre("4 3"));
  EXPECT_THAT(rows("SELECT ?x (COUNT(*) AS ?n) { ?x :knows ?y } GROUP BY ?x HAVING (?n > 1)"),
              ElementsAre(":ann 2"));
  EXPECT_THAT(rows("SELECT (SUM(?a) AS ?s) (MIN(?a) AS ?i) (MAX(?a) AS ?m) (AVG(?a) AS ?v) "
                   "{ ?x :age ?a FILTER(isNumeric(?a)) }"),
              ElementsAre("80 25 30 26.666666666666666667"));
  EXPECT_THAT(rows("SELECT (SUM(?a) AS ?s) { ?x :age ?a }"), ElementsAre("-"));
  EXPECT_THAT(rows("SELECT (COUNT(*) AS ?n) (SUM(?a) AS ?s) (AVG(?a) AS ?v) (MIN(?a) AS ?m) "
                   "(GROUP_CONCAT(?a) AS ?c) (SAMPLE(?a) AS ?t) { ?x :unheard ?a }"),
              ElementsAre("0 0 0 - \"\" -"));
  EXPECT_THAT(rows("SELECT ?x (COUNT(*) AS ?n) { ?x :unheard ?a } GROUP BY ?x"), IsEmpty());
  EXPECT_THAT(rows("SELECT (GROUP_CONCAT(?n; SEPARATOR='/') AS ?c) { SELECT ?n { ?x :name ?n } "
                   "ORDER BY ?x }"),
              ElementsAre("\"Ann/Bob/Cat\""));
  EXPECT_THAT(rows("SELECT (COUNT(DISTINCT *) AS ?n) { { ?x :knows ?y } UNION { ?x :knows ?y } }"),
              ElementsAre("4"));
  EXPECT_THAT(rows("SELECT ?k (COUNT(*) AS ?n) { ?x :age ?a } GROUP BY (datatype(?a) AS ?k)"),
              ElementsAre("<http://www.w3.org/2001/XMLSchema#integer> 3",
                          "<http://www.w3.org/2001/XMLSchema#string> 1"));
}

// §12
TEST_P(QueryTest, SubqueriesAreEvaluatedOnTheirOwn) {
  EXPECT_THAT(rows("SELECT ?x ?n { ?x :knows ?y { SELECT ?y (COUNT(*) AS ?n) { ?x :knows ?y } "
                   "GROUP BY ?y } }"),
              ElementsAre(":ann 1", ":ann 2", ":bob 2", ":dan 1"));
  EXPECT_THAT(
      rows("SELECT ?n { { SELECT ?x { ?x :age ?a } ORDER BY DESC(?a) LIMIT 1 } ?x :name ?n }"),
      testing::SizeIs(testing::Le(1)));
}

// §13
TEST_P(QueryTest, NamedGraphs) {
  EXPECT_THAT(rows("SELECT ?x { GRAPH :g1 { :ann :knows ?x } }"), ElementsAre(":eve"));
  EXPECT_THAT(rows("SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } }"),
              ElementsAre(":g1 :ann", ":g1 :eve", ":g2 :ann", ":g2 :eve"));
  EXPECT_THAT(rows("SELECT ?g { GRAPH ?g { ?x :knows ?y . ?y :name ?n } }"), ElementsAre(":g1"));
  EXPECT_THAT(rows("SELECT ?g ?a { GRAPH ?g { :eve :age ?a } GRAPH :g1 { :eve :name ?n } }"),
              ElementsAre(":g2 9"));
  EXPECT_THAT(rows("SELECT ?g { GRAPH ?g { } }"), ElementsAre(":g1", ":g2"));
  EXPECT_THAT(rows("SELECT ?x { GRAPH :nowhere { } }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?g ?n { GRAPH ?g { SELECT (COUNT(*) AS ?n) { ?s ?p ?o } } }"),
              ElementsAre(":g1 2", ":g2 2"));
  EXPECT_THAT(rows("SELECT ?g ?n { GRAPH ?g { ?x :name ?m OPTIONAL { ?x :age ?n } } }"),
              ElementsAre(":g1 -", ":g2 -"));
  EXPECT_THAT(rows("SELECT ?g { GRAPH ?g { ?x :name ?n MINUS { ?z :age ?b } } }"),
              ElementsAre(":g1", ":g2"));
  EXPECT_THAT(rows("SELECT ?g { GRAPH ?g { ?x :name ?n MINUS { ?x :knows ?b } } }"),
              ElementsAre(":g1", ":g2"));
  EXPECT_THAT(rows("SELECT ?g ?v { GRAPH ?g { VALUES ?v { 1 } } }"), ElementsAre(":g1 1", ":g2 1"));
}

TEST_P(QueryTest, TheDatasetOfTheQuery) {
  EXPECT_THAT(rows("SELECT ?s ?o FROM :g1 FROM :g2 { ?s :name ?o }"),
              ElementsAre(":ann \"Anna\"", ":eve \"Eve\""));
  EXPECT_THAT(rows("SELECT ?s FROM :g1 { GRAPH ?g { ?s ?p ?o } }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?g FROM :g1 FROM NAMED :g2 { GRAPH ?g { ?s :name ?o } }"),
              ElementsAre(":g2"));
  EXPECT_THAT(rows("SELECT * FROM NAMED :g2 { ?s ?p ?o }"), IsEmpty());
  EXPECT_THAT(rows("SELECT (COUNT(*) AS ?n) FROM :g1 FROM :g2 FROM :g1 { ?s ?p ?o }"),
              ElementsAre("4"));
  EXPECT_THAT(rows("SELECT ?s FROM :nowhere { ?s ?p ?o }"), IsEmpty());
}

// §15
TEST_P(QueryTest, OrderIsTotal) {
  auto source = make_source(
      ":a :v 10 . :b :v 9 . :c :v \"x\" . :d :v :iri . :e :v _:b . :f :w 1 . :a :w 1 . :b :w 1 . "
      ":c :w 1 . :d :w 1 . :e :w 1 .");
  QueryRunner run(*source);
  EXPECT_THAT(run.ordered_rows("SELECT ?s { ?s :w 1 OPTIONAL { ?s :v ?v } } ORDER BY ?v ?s"),
              ElementsAre(":f", ":e", ":d", ":c", ":b", ":a"));
  EXPECT_THAT(run.ordered_rows("SELECT ?s { ?s :w 1 OPTIONAL { ?s :v ?v } } ORDER BY DESC(?v)"),
              ElementsAre(":a", ":b", ":c", ":d", ":e", ":f"));
  EXPECT_THAT(run.ordered_rows("SELECT ?s { ?s :w ?w } ORDER BY ?w DESC(?s) LIMIT 2 OFFSET 1"),
              ElementsAre(":e", ":d"));
  EXPECT_THAT(run.ordered_rows("SELECT DISTINCT ?w { ?s :w ?w } ORDER BY ?w LIMIT 5"),
              ElementsAre("1"));
}

TEST_P(QueryTest, SliceAndDistinct) {
  EXPECT_THAT(rows("SELECT DISTINCT ?x { ?x :knows ?y }"), ElementsAre(":ann", ":bob", ":dan"));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?y } LIMIT 3"), testing::SizeIs(3));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?y } OFFSET 3"), testing::SizeIs(1));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?y } LIMIT 0"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?y } OFFSET 100"), IsEmpty());
}

// §16
TEST_P(QueryTest, Construct) {
  EXPECT_THAT(run_.triples("CONSTRUCT { ?y :knownBy ?x } { ?x :knows ?y }"),
              ElementsAre(":bob :knownBy :ann", ":cat :knownBy :ann", ":cat :knownBy :bob",
                          ":dan :knownBy :dan"));
  EXPECT_THAT(run_.triples("CONSTRUCT { :all :has :some } { ?x :knows ?y }"),
              ElementsAre(":all :has :some"));
  EXPECT_THAT(
      run_.triples("CONSTRUCT { ?n :of ?x . ?x :mail ?m } { ?x :name ?n OPTIONAL { ?x :mail "
                   "?m } }"),
      ElementsAre(":bob :mail \"bob@e\""));
  const std::vector<std::string> blank =
      run_.triples("CONSTRUCT { _:b :name ?n . _:b :of ?x } { ?x :name ?n }");
  ASSERT_EQ(blank.size(), 6);
  std::vector<std::string> labels;
  for (const std::string& line : blank) {
    EXPECT_THAT(line, testing::StartsWith("_:q"));
    labels.push_back(line.substr(0, line.find(' ')));
  }
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  EXPECT_EQ(labels.size(), 3);
}

TEST_P(QueryTest, DescribeFollowsBlankNodes) {
  auto source = make_source(
      ":a :p _:x . _:x :q _:y . _:y :q _:x . _:y :r :b . :b :p 1 . _:z :p 2 . :a :p \"l\" .");
  QueryRunner run(*source);
  const std::vector<std::string> a = {":a :p \"l\"", ":a :p _:x", "_:x :q _:y", "_:y :q _:x",
                                      "_:y :r :b"};
  EXPECT_EQ(run.triples("DESCRIBE :a"), a);
  EXPECT_EQ(run.triples("DESCRIBE ?x { ?x :p \"l\" }"), a);
  EXPECT_THAT(run.triples("DESCRIBE ?x :nobody { :b :p ?x }"), IsEmpty());
}

TEST_P(QueryTest, Ask) {
  EXPECT_EQ(run_.ask("ASK { ?x :knows ?x }"), "true");
  EXPECT_EQ(run_.ask("ASK { :cat :knows ?x }"), "false");
}

TEST_P(QueryTest, TripleTermsAreTakenApart) {
  VectorSource::Builder builder;
  builder.add("<http://e/r>", "<http://e/says>", "<<<http://e/a> <http://e/p> <http://e/b>>>");
  builder.add("<http://e/a>", "<http://e/p>", "<http://e/b>");
  builder.add("<http://e/c>", "<http://e/p>", "<http://e/d>");
  auto quoted = std::move(builder).build();
  QueryRunner run(*quoted);
  EXPECT_THAT(run.rows("SELECT ?s ?o { ?r :says <<( ?s :p ?o )>> . ?s :p ?o }"),
              ElementsAre(":a :b"));
  EXPECT_THAT(run.rows("SELECT ?r { ?s :p ?o . ?r :says <<( ?s :p ?o )>> }"), ElementsAre(":r"));
}

TEST_P(QueryTest, WhatIsOutOfScopeIsRefusedByName) {
  EXPECT_THAT(rows("SELECT ?x { ?x ?y ?z FILTER(<http://e/f>(?z)) }"),
              ElementsAre(HasSubstr("functions named by an IRI")));
}

}  // namespace
}  // namespace weft::exec

// Property paths (SPARQL 1.1 Query §9, §18.4).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// a -> b -> c -> a is a circle; c -> d; x is apart.
constexpr std::string_view kGraph = R"(
  :a :p :b .  :b :p :c .  :c :p :a .  :c :p :d .  :d :q :e .  :e :q "end" .
  :x :r :x .  :a :name "A" .
  :g1s :p :g1o :g1 .  :g1o :p :g1z :g1 .  :g2s :p :g2o :g2 .
)";

class PathTest : public testing::TestWithParam<bool> {
 protected:
  PathTest() : source_(make_source(kGraph, {.six_permutations = GetParam()})), run_(*source_) {}
  std::vector<std::string> rows(std::string_view query) { return run_.rows(query); }

  std::unique_ptr<VectorSource> source_;
  QueryRunner run_;
};
INSTANTIATE_TEST_SUITE_P(Orders, PathTest, testing::Bool());

TEST_P(PathTest, OneOrMoreGoesRoundACircleOnce) {
  EXPECT_THAT(rows("SELECT ?y { :a :p+ ?y }"), ElementsAre(":a", ":b", ":c", ":d"));
  EXPECT_THAT(rows("SELECT ?x { ?x :p+ :d }"), ElementsAre(":a", ":b", ":c"));
  EXPECT_THAT(rows("SELECT ?y { :d :p+ ?y }"), IsEmpty());
  EXPECT_EQ(rows("SELECT ?x ?y { ?x :p+ ?y }").size(), 12);
  EXPECT_THAT(rows("SELECT ?x { ?x :p+ ?x }"), ElementsAre(":a", ":b", ":c"));
  EXPECT_EQ(run_.ask("ASK { :a :p+ :d }"), "true");
  EXPECT_EQ(run_.ask("ASK { :d :p+ :a }"), "false");
}

TEST_P(PathTest, ZeroOrMoreHasTheStartToo) {
  EXPECT_THAT(rows("SELECT ?y { :d :p* ?y }"), ElementsAre(":d"));
  EXPECT_THAT(rows("SELECT ?x { ?x :p* :d }"), ElementsAre(":a", ":b", ":c", ":d"));
  EXPECT_THAT(rows("SELECT ?y { :nowhere :p* ?y }"), ElementsAre(":nowhere"));
  EXPECT_THAT(rows("SELECT ?x { ?x :p* \"end\" }"), ElementsAre("\"end\""));
  EXPECT_EQ(run_.ask("ASK { :nowhere :p* :nowhere }"), "true");
  EXPECT_EQ(run_.ask("ASK { :nowhere :p* :a }"), "false");
  EXPECT_THAT(rows("SELECT ?x { ?x :unheard* ?x }"),
              ElementsAre("\"A\"", "\"end\"", ":a", ":b", ":c", ":d", ":e", ":x"));
  EXPECT_THAT(rows("SELECT ?y { :nowhere :unheard* ?y }"), ElementsAre(":nowhere"));
}

TEST_P(PathTest, BetweenVariablesOnlyTermsOfTheGraphAreTheirOwnEnds) {
  EXPECT_THAT(rows("SELECT ?x ?y { VALUES ?x { :nowhere :d } ?x :p* ?y }"), ElementsAre(":d :d"));
  EXPECT_THAT(rows("SELECT ?x ?y { VALUES ?y { :nowhere :b } ?x :p? ?y }"),
              ElementsAre(":a :b", ":b :b"));
}

TEST_P(PathTest, ZeroOrOneIsOncePerPair) {
  EXPECT_THAT(rows("SELECT ?y { :a :p? ?y }"), ElementsAre(":a", ":b"));
  EXPECT_THAT(rows("SELECT ?y { :x :r? ?y }"), ElementsAre(":x"));
  EXPECT_THAT(rows("SELECT ?y { :a (:p/:p)? ?y }"), ElementsAre(":a", ":c"));
}

TEST_P(PathTest, WhatStandsInside) {
  EXPECT_THAT(rows("SELECT ?y { :a (:p|:q)+ ?y }"),
              ElementsAre("\"end\"", ":a", ":b", ":c", ":d", ":e"));
  EXPECT_THAT(rows("SELECT ?y { :a (:p/:p)+ ?y }"), ElementsAre(":a", ":b", ":c", ":d"));
  EXPECT_THAT(rows("SELECT ?y { :d (^:p)+ ?y }"), ElementsAre(":a", ":b", ":c"));
  EXPECT_THAT(rows("SELECT ?y { :d ^(:p/:p) ?y }"), ElementsAre(":b"));
  EXPECT_THAT(rows("SELECT ?y { :d (^(:p/:p))+ ?y }"), ElementsAre(":a", ":b", ":c"));
  // b is only behind the first a.
  EXPECT_THAT(rows("SELECT ?y { :d (:q/:q*)? ?y }"), ElementsAre("\"end\"", ":d", ":e"));
  EXPECT_THAT(rows("SELECT ?y { :a (:p/:q*)* ?y }"),
              ElementsAre("\"end\"", ":a", ":b", ":c", ":d", ":e"));
  EXPECT_THAT(rows("SELECT ?y { :c :p+/:q ?y }"), ElementsAre(":e"));
  EXPECT_THAT(rows("SELECT ?y { :d (:q?)+ ?y }"), ElementsAre("\"end\"", ":d", ":e"));
}

TEST_P(PathTest, NegatedSets) {
  EXPECT_THAT(rows("SELECT ?x ?y { ?x !(:p|:q) ?y }"), ElementsAre(":a \"A\"", ":x :x"));
  EXPECT_THAT(rows("SELECT ?y { :d !(^:q) ?y }"), ElementsAre(":c"));
  EXPECT_THAT(rows("SELECT ?y { :d !(:p|^:q) ?y }"), ElementsAre(":c", ":e"));
  EXPECT_THAT(rows("SELECT ?y { :a !:unheard ?y }"), ElementsAre("\"A\"", ":b"));
  EXPECT_THAT(rows("SELECT ?y { :c (!:name)+ ?y }"),
              ElementsAre("\"end\"", ":a", ":b", ":c", ":d", ":e"));
  EXPECT_THAT(rows("SELECT * { :d !:p ?y }"), ElementsAre(":e"));
}

TEST_P(PathTest, JoinsWithOtherPatterns) {
  EXPECT_THAT(rows("SELECT ?n ?y { ?x :name ?n . ?x :p+ ?y . ?y :q ?z }"), ElementsAre("\"A\" :d"));
  EXPECT_THAT(rows("SELECT ?x ?z { ?x :q ?y OPTIONAL { ?y :q+ ?z } }"),
              ElementsAre(":d \"end\"", ":e -"));
  EXPECT_THAT(rows("SELECT ?x { ?x :p ?y MINUS { ?x :p+ :d . ?x :name ?n } }"),
              ElementsAre(":b", ":c", ":c"));
  EXPECT_THAT(rows("SELECT ?x (COUNT(?y) AS ?n) { ?x :p+ ?y } GROUP BY ?x"),
              ElementsAre(":a 4", ":b 4", ":c 4"));
}

TEST_P(PathTest, StaysInItsGraph) {
  EXPECT_THAT(rows("SELECT ?y { GRAPH :g1 { :g1s :p+ ?y } }"), ElementsAre(":g1o", ":g1z"));
  EXPECT_THAT(rows("SELECT ?g ?x ?y { GRAPH ?g { ?x :p+ ?y } }"),
              ElementsAre(":g1 :g1o :g1z", ":g1 :g1s :g1o", ":g1 :g1s :g1z", ":g2 :g2s :g2o"));
  EXPECT_THAT(rows("SELECT ?y { GRAPH :nowhere { :g1s :p* ?y } }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?y FROM :g1 FROM :g2 { :g1s :p+ ?y }"), ElementsAre(":g1o", ":g1z"));
}

// Chain of 100,000 nodes that bites its tail.
class LongPath : public testing::Test {
 protected:
  static constexpr int kNodes = 100'000;
  static void SetUpTestSuite() {
    VectorSource::Builder builder;
    const auto node = [](int i) { return "<http://e/n" + std::to_string(i % kNodes) + ">"; };
    for (int i = 0; i < kNodes; ++i) {
      builder.add(node(i), "<http://e/p>", node(i + 1));
    }
    source_ = std::move(builder).build();
  }
  static void TearDownTestSuite() { source_.reset(); }
  static std::unique_ptr<VectorSource> source_;
};
std::unique_ptr<VectorSource> LongPath::source_;

TEST_F(LongPath, ALimitStopsTheWalk) {
  QueryRunner run(*source_);
  source_->reset_counts();
  EXPECT_EQ(run.rows("SELECT * { ?x :p+ ?y } LIMIT 10").size(), 10);
  EXPECT_EQ(run.rows("SELECT * { :n5 :p+ ?y } LIMIT 10").size(), 10);
  EXPECT_EQ(run.ask("ASK { :n5 :p+ :n9 }"), "true");
  EXPECT_LT(source_->counts().rows, 5'000);
}

TEST_F(LongPath, AWholeWalkReadsTheEdgesOnce) {
  QueryRunner run(*source_);
  source_->reset_counts();
  EXPECT_THAT(run.rows("SELECT (COUNT(*) AS ?n) { :n5 :p+ ?y }"), ElementsAre("100000"));
  EXPECT_LT(source_->counts().rows, 120'000);
  EXPECT_EQ(run.budget().used_bytes(), 0);
}

TEST_F(LongPath, AllPairsEndByTheTimeout) {
  QueryRunner run(*source_);
  run.timeout_ms = 20;
  run.clock().step = 10;
  EXPECT_THAT(run.rows("SELECT (COUNT(*) AS ?n) { ?x :p+ ?y }"),
              ElementsAre(HasSubstr("timeout_ms")));
  EXPECT_EQ(run.budget().used_bytes(), 0);
}

TEST_F(LongPath, AWalkThatDoesNotFitIsRefusedByTheBudget) {
  QueryRunner run(*source_, 500'000);
  EXPECT_THAT(run.rows("SELECT (COUNT(*) AS ?n) { :n5 :p+ ?y }"),
              ElementsAre(HasSubstr("query memory")));
  EXPECT_EQ(run.budget().used_bytes(), 0);
}

TEST(PathLimits, StepsOfAPath) {
  const auto source = make_source(":a :p :b .");
  QueryRunner run(*source);
  const auto query = [](size_t steps) {
    std::string path = ":p";
    for (size_t i = 1; i < steps; ++i) {
      path += "|:p";
    }
    return "SELECT ?y { :a (" + path + ")+ ?y }";
  };
  EXPECT_THAT(run.rows(query(256)), ElementsAre(":b"));
  EXPECT_THAT(run.rows(query(257)), ElementsAre(HasSubstr("path steps")));
}

}  // namespace
}  // namespace weft::exec

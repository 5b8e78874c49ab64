// What plans cost, seen from the source: scans opened, rows handed out, round trips.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/query.h"
#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

using testing::HasSubstr;
using testing::Not;

// 20,000 people in 100 cities; each knows three others; one in a hundred has mail.
std::unique_ptr<VectorSource> make_people(bool six_permutations) {
  constexpr int kPeople = 20'000;
  VectorSource::Builder builder;
  const auto person = [](int i) { return "<http://e/person" + std::to_string(i % kPeople) + ">"; };
  for (int i = 0; i < kPeople; ++i) {
    builder.add(person(i), "<http://e/type>", "<http://e/Person>");
    builder.add(person(i), "<http://e/name>", "\"name " + std::to_string(i % 5'000) + "\"");
    builder.add(person(i), "<http://e/city>", "<http://e/city" + std::to_string(i % 100) + ">");
    for (int k = 1; k <= 3; ++k) {
      builder.add(person(i), "<http://e/knows>", person(i * 7 + k * 13));
    }
    if (i % 100 == 0) {
      builder.add(person(i), "<http://e/mail>", "\"mail " + std::to_string(i) + "\"");
    }
  }
  return std::move(builder).build({.six_permutations = six_permutations});
}

class PlannerTest : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() {
    three_ = make_people(false);
    six_ = make_people(true);
  }
  static void TearDownTestSuite() {
    three_.reset();
    six_.reset();
  }
  PlannerTest() : source_(GetParam() ? *six_ : *three_), run_(source_) {}

  // Rows of the answer; the counts are those of planning and running.
  size_t run(std::string_view query) {
    source_.reset_counts();
    const std::vector<std::string> rows = run_.rows(query);
    counts_ = source_.counts();
    EXPECT_TRUE(rows.empty() || !rows[0].starts_with("error")) << rows[0];
    return rows.size();
  }

  static std::unique_ptr<VectorSource> three_;
  static std::unique_ptr<VectorSource> six_;
  VectorSource& source_;
  QueryRunner run_;
  VectorSource::Counts counts_;
};
std::unique_ptr<VectorSource> PlannerTest::three_;
std::unique_ptr<VectorSource> PlannerTest::six_;
INSTANTIATE_TEST_SUITE_P(Orders, PlannerTest, testing::Bool());

TEST_P(PlannerTest, TheOrderOfPatternsInTheTextDecidesNothing) {
  std::vector<std::string> parts = {"?x :type :Person .", "?x :mail ?m .", "?x :knows ?y .",
                                    "?y :city ?c .", "FILTER(?c = :city13)"};
  std::sort(parts.begin(), parts.end());
  std::string plan;
  uint64_t rows_touched = 0;
  do {
    std::string query = "SELECT ?x ?m ?y {";
    for (const std::string& part : parts) {
      query += " " + part;
    }
    query += " }";
    const size_t answers = run(query);
    ASSERT_GT(answers, 0);
    if (plan.empty()) {
      plan = run_.last_explanation();
      rows_touched = counts_.rows;
    }
    ASSERT_EQ(run_.last_explanation(), plan);
    ASSERT_EQ(counts_.rows, rows_touched);
  } while (std::next_permutation(parts.begin(), parts.end()));
  EXPECT_LT(rows_touched, 2'500) << plan;
}

TEST_P(PlannerTest, ASelectiveQueryTouchesWhatItAnswers) {
  EXPECT_EQ(run("SELECT ?n { :person5 :knows ?y . ?y :name ?n }"), 3);
  EXPECT_LE(counts_.rows, 10) << run_.last_explanation();
  EXPECT_LE(counts_.prefetches, 1);
  EXPECT_EQ(run("SELECT ?z { :person5 :knows ?x . ?x :knows ?y . ?y :knows ?z }"), 27);
  EXPECT_LE(counts_.rows, 3 + 9 + 27) << run_.last_explanation();
}

TEST_P(PlannerTest, CountOfAPatternReadsNoRow) {
  EXPECT_EQ(run("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"), 1);
  EXPECT_EQ(counts_.rows, 0);
  EXPECT_EQ(counts_.scans, 0);
  EXPECT_EQ(run_.ordered_rows("SELECT (COUNT(?s) AS ?n) { ?s :knows ?o }")[0], "60000");
  EXPECT_EQ(run("SELECT (COUNT(?s) AS ?n) { ?s :knows ?o }"), 1);
  EXPECT_EQ(counts_.rows, 0);
  EXPECT_THAT(run_.last_explanation(), HasSubstr("count from the index"));
}

TEST_P(PlannerTest, LimitStopsEarly) {
  EXPECT_EQ(run("SELECT * { ?s ?p ?o } LIMIT 10"), 10);
  EXPECT_LE(counts_.rows, 1'024);
  EXPECT_EQ(run("SELECT ?x ?n { ?x :city ?c . ?x :mail ?n } LIMIT 1"), 1);
  EXPECT_EQ(run_.ask("ASK { ?x :knows ?y . ?y :mail ?m }"), "true");
}

TEST_P(PlannerTest, OptionalUnionAndMinusOfASmallSideReachIntoTheBigOne) {
  EXPECT_EQ(run("SELECT ?x ?n { :person5 :knows ?x OPTIONAL { ?x :name ?n } }"), 3);
  EXPECT_LE(counts_.rows, 10) << run_.last_explanation();
  EXPECT_EQ(run("SELECT ?x ?v { :person5 :knows ?x { ?x :name ?v } UNION { ?x :city ?v } }"), 6);
  EXPECT_LE(counts_.rows, 16) << run_.last_explanation();
  EXPECT_EQ(run("SELECT ?x { :person5 :knows ?x MINUS { ?x :mail ?m } }"), 3);
  EXPECT_LE(counts_.rows, 10) << run_.last_explanation();
  EXPECT_EQ(run("SELECT ?x ?m { :person5 :knows ?x OPTIONAL { ?x :knows ?y . ?y :mail ?m } }"), 3);
  EXPECT_LE(counts_.rows, 40) << run_.last_explanation();
}

TEST_P(PlannerTest, TokensAreReadLateAndManyAtOnce) {
  EXPECT_EQ(run("SELECT ?n { ?x :mail ?m . ?x :name ?n }"), 200);
  EXPECT_EQ(counts_.token_calls, 1);  // of the answer
  EXPECT_EQ(counts_.finds, 1);        // of the constants
  EXPECT_EQ(run("SELECT ?x (COUNT(?y) AS ?n) { ?x :knows ?y . ?x :mail ?m } GROUP BY ?x"), 200);
  EXPECT_EQ(counts_.token_calls, 1);
}

TEST_P(PlannerTest, LookupsOfManyRowsShareTheirRounds) {
  EXPECT_EQ(run("SELECT ?n { ?x :mail ?m . ?x :name ?n . ?x :city ?c }"), 200);
  EXPECT_LE(counts_.prefetches, 2) << run_.last_explanation();
  EXPECT_LE(counts_.rows, 1'000) << run_.last_explanation();
}

TEST_P(PlannerTest, BigSidesAreMergedIfSortedElseHashed) {
  const std::string query = "SELECT ?n ?c { ?x :name ?n . ?x :city ?c }";
  EXPECT_EQ(run(query), 20'000);
  EXPECT_EQ(counts_.rows, 40'000);
  EXPECT_THAT(run_.last_explanation(),
              HasSubstr(GetParam() ? "merge join on ?x" : "hash join on ?x"));
}

TEST_P(PlannerTest, ATermThatTheGraphLacksEndsTheQueryAtOnce) {
  EXPECT_EQ(run("SELECT ?x { ?x :knows ?y . ?y :nothing ?z }"), 0);
  EXPECT_EQ(counts_.rows, 0);
  EXPECT_THAT(run_.last_explanation(), HasSubstr("no rows"));
}

TEST_P(PlannerTest, FiltersAreAppliedBeforeTheJoinsThatNeedThemNot) {
  EXPECT_EQ(run("SELECT ?x ?y { ?x :mail ?m . ?x :knows ?y FILTER(?m = \"mail 500\") }"), 3);
  EXPECT_LE(counts_.rows, 210) << run_.last_explanation();
}

TEST_P(PlannerTest, OrderByWithLimitKeepsFewRows) {
  EXPECT_EQ(run("SELECT ?x ?n { ?x :name ?n } ORDER BY ?n ?x LIMIT 5"), 5);
  EXPECT_LT(run_.budget().peak_bytes(), 8 << 20);
  EXPECT_THAT(run_.last_explanation(), HasSubstr("top 5 by ?n ?x"));
}

TEST_P(PlannerTest, ManyPatternsArePlannedInTime) {
  std::string query = "SELECT * { :person0 :knows ?x0 . ";
  for (int i = 0; i < 60; ++i) {
    const std::string here = "?x" + std::to_string(i);
    query += here + " :name ?n" + std::to_string(i) + " . ";
    query += here + " :knows ?x" + std::to_string(i + 1) + " . ";
  }
  EXPECT_EQ(run(query + "} LIMIT 3"), 3);
}

}  // namespace
}  // namespace weft::exec

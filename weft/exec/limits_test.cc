// Budgets, timeouts, cancellation.
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/query.h"
#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

using testing::HasSubstr;

std::unique_ptr<VectorSource> make_numbers(int count) {
  VectorSource::Builder builder;
  for (int i = 0; i < count; ++i) {
    const std::string subject = "<http://e/s" + std::to_string(i) + ">";
    builder.add(subject, "<http://e/value>",
                "\"" + std::to_string(i) + "\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    builder.add(subject, "<http://e/text>",
                "\"some longer text, number " + std::to_string(i) + "\"");
  }
  return std::move(builder).build();
}

class LimitsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { source_ = make_numbers(30'000); }
  static void TearDownTestSuite() { source_.reset(); }
  static std::unique_ptr<VectorSource> source_;
};
std::unique_ptr<VectorSource> LimitsTest::source_;

// Each keeps something for every row.
const std::vector<std::string> kHungryQueries = {
    "SELECT DISTINCT ?s ?o { ?s :value ?o }",
    "SELECT ?s { ?s :text ?t } ORDER BY ?t",
    "SELECT ?o (COUNT(*) AS ?n) { ?s :value ?o } GROUP BY ?o",
    "SELECT (GROUP_CONCAT(?t) AS ?all) { ?s :text ?t }",
    "SELECT (COUNT(DISTINCT ?t) AS ?n) { ?s :text ?t }",
    "SELECT (CONCAT(?t, \"!\") AS ?u) { ?s :text ?t }",
    "SELECT ?a ?b { { SELECT ?a ?k { ?a :value ?v BIND(?v AS ?k) } } { SELECT ?b ?k { ?b :value ?v "
    "BIND(?v AS ?k) } } }",
};

TEST_F(LimitsTest, WhatDoesNotFitIsALimitThatNamesTheBudgetAndNothingLeaks) {
  for (const std::string& query : kHungryQueries) {
    QueryRunner run(*source_, 400'000);
    const std::vector<std::string> rows = run.rows(query);
    ASSERT_EQ(rows.size(), 1) << query;
    EXPECT_THAT(rows[0], HasSubstr("budget=query memory")) << query;
    EXPECT_LE(run.budget().peak_bytes(), run.budget().limit_bytes());
    EXPECT_EQ(run.budget().used_bytes(), 0) << query;
  }
}

TEST_F(LimitsTest, TheSameQueriesSucceedWithEnoughMemory) {
  for (const std::string& query : kHungryQueries) {
    QueryRunner run(*source_, 64 << 20);
    const std::vector<std::string> rows = run.rows(query);
    EXPECT_THAT(rows[0], testing::Not(HasSubstr("error"))) << query;
    EXPECT_EQ(run.budget().used_bytes(), 0) << query;
    // At the limit it still works, one byte below it does not.
    const uint64_t peak = run.budget().peak_bytes();
    QueryRunner exact(*source_, peak);
    EXPECT_EQ(exact.rows(query).size(), rows.size()) << query;
  }
}

TEST_F(LimitsTest, StreamingQueriesNeedLittle) {
  for (const std::string query : {"SELECT ?s ?o { ?s :value ?o FILTER(?o != 5) }",
                                  "SELECT ?s (?o + 1 AS ?p) { ?s :value ?o }",
                                  "SELECT ?s ?t { ?s :value ?o . ?s :text ?t }"}) {
    QueryRunner run(*source_, 3 << 20);
    EXPECT_GE(run.rows(query).size(), 29'999) << query;
  }
}

TEST_F(LimitsTest, AStoppedQueryIsCancelled) {
  QueryRunner run(*source_);
  std::stop_source stop;
  run.stop = stop.get_token();
  auto prepared = run.prepare("SELECT ?s ?t { ?s :value ?o . ?s :text ?t }");
  ASSERT_TRUE(prepared.ok());
  auto solutions = (*prepared)->select();
  ASSERT_TRUE(solutions.ok());
  RowBatch batch;
  ASSERT_TRUE((*solutions)->next(batch).ok());
  EXPECT_FALSE(batch.empty());
  stop.request_stop();
  const Status status = (*solutions)->next(batch);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kCancelled);
}

TEST_F(LimitsTest, EveryBatchAsksTheClock) {
  // Nine billion pairs: never done, and no row comes out.
  for (const std::string query :
       {"SELECT (COUNT(*) AS ?n) { ?a :value ?x . ?b :value ?y FILTER(?x + ?y < 0) }",
        "SELECT (COUNT(*) AS ?n) { ?a :value ?x . ?b :text ?y }",
        "SELECT ?a { ?a :value ?x OPTIONAL { ?b :text ?y FILTER(?x = ?y) } }"}) {
    QueryRunner run(*source_);
    run.timeout_ms = 500;
    run.clock().step = 1'000;  // each look at the clock is a millisecond
    const std::vector<std::string> rows = run.rows(query);
    ASSERT_EQ(rows.size(), 1) << query;
    EXPECT_THAT(rows[0], HasSubstr("timeout_ms=500")) << query;
  }
}

TEST_F(LimitsTest, AnAnswerOfMoreGraphsThanAllowedIsRefused) {
  std::string query = "SELECT * ";
  for (size_t i = 0; i < 1'024; ++i) {
    query += "FROM :g" + std::to_string(i) + " ";
  }
  QueryRunner run(*source_);
  EXPECT_TRUE(run.rows(query + "{ ?s ?p ?o }").empty());
  EXPECT_THAT(run.rows(query + "FROM :one { ?s ?p ?o }")[0], HasSubstr("dataset_graphs_max"));
}

TEST_F(LimitsTest, ConstructGoesOnWhereDuplicatesCanNoLongerBeRemembered) {
  QueryRunner run(*source_, 3 << 20);
  const std::vector<std::string> lines =
      run.triples("CONSTRUCT { ?o :of ?s . :all :have ?o } { ?o :value ?s }");
  EXPECT_GE(lines.size(), 60'000);
}

}  // namespace
}  // namespace weft::exec

// Several threads at one query: the same answers in the same order, errors, limits, stops.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/query.h"
#include "weft/exec/testing/query_fixture.h"
#include "weft/sparql/parser.h"

namespace weft::exec {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kSubjects = 6'000;

std::unique_ptr<VectorSource> make_shop() {
  VectorSource::Builder builder;
  const auto number = [](int value, std::string_view type) {
    return "\"" + std::to_string(value) + "\"^^<http://www.w3.org/2001/XMLSchema#" +
           std::string(type) + ">";
  };
  for (int i = 0; i < kSubjects; ++i) {
    // The order of ids is neither that of subjects nor that of values.
    const int id = i * 1'787 % kSubjects;
    const std::string subject = "<http://e/s" + std::to_string(id) + ">";
    builder.add(subject, "<http://e/kind>", "<http://e/k" + std::to_string(id % 13) + ">");
    builder.add(subject, "<http://e/value>", number(id % 97, "integer"));
    builder.add(subject, "<http://e/odd>",
                id % 2 == 0 ? number(id % 7, "integer")
                            : "\"0" + std::to_string(id % 7) +
                                  "\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    builder.add(subject, "<http://e/weight>",
                "\"0." + std::to_string(id) + "1e0\"^^<http://www.w3.org/2001/XMLSchema#double>");
    builder.add(subject, "<http://e/name>", "\"name " + std::to_string(id % 501) + "\"");
    if (id % 3 == 0) {
      builder.add(subject, "<http://e/next>",
                  "<http://e/s" + std::to_string((id + 7) % kSubjects) + ">");
    }
  }
  for (int k = 0; k < 13; ++k) {
    builder.add("<http://e/k" + std::to_string(k) + ">", "<http://e/label>",
                "\"kind " + std::to_string(k % 5) + "\"");
  }
  return std::move(builder).build({.six_permutations = true, .batch_rows = 100});
}

class ParallelThreads : public testing::Test {
 protected:
  static void SetUpTestSuite() { source_ = make_shop(); }
  static void TearDownTestSuite() { source_.reset(); }

  void share_out(QueryRunner& run) {
    run.executor = &threads_;
    run.parallel = {.workers_max = workers_max_, .scan_rows_min = 0, .piece_rows = 200};
  }
  Result<std::unique_ptr<PreparedQuery>> prepare(QuadSource& source, QueryRunner& run,
                                                 const std::string& text) {
    share_out(run);
    QueryOptions options = run.options();
    options.clock = &clock_;
    sparql::ParseOptions parse;
    parse.prefixes = {{"", "http://e/"}};
    WEFT_TRY(sparql::Query query, sparql::parse_query(text, parse));
    return exec::prepare(std::move(query), source, options);
  }
  static Status read(PreparedQuery& query) {
    WEFT_TRY(const auto solutions, query.select());
    RowBatch batch;
    do {
      WEFT_TRY_STATUS(solutions->next(batch));
    } while (!batch.empty());
    return ok_status();
  }

  static std::unique_ptr<VectorSource> source_;
  size_t workers_max_ = 0;
  base::ThreadPool threads_{4};
  base::SystemClock clock_;
};
std::unique_ptr<VectorSource> ParallelThreads::source_;

// What three threads and more have to do with, each in another way.
const std::vector<std::string> kShared = {
    "SELECT (COUNT(*) AS ?n) { ?s :value ?v FILTER(?v > 50) }",
    "SELECT ?k (COUNT(*) AS ?n) (SUM(?v) AS ?m) (AVG(?v) AS ?a) (MIN(?v) AS ?l) (MAX(?v) AS ?h) "
    "{ ?s :kind ?k . ?s :value ?v } GROUP BY ?k",
    "SELECT ?k (COUNT(DISTINCT ?v) AS ?n) { ?s :value ?v . ?s :kind ?k } GROUP BY ?k",
    "SELECT (COUNT(DISTINCT *) AS ?n) { ?s :value ?v }",
    "SELECT ?k (MIN(?o) AS ?l) (MAX(?o) AS ?h) { ?s :odd ?o . ?s :kind ?k } GROUP BY ?k",
    // Sums of doubles depend on the order of rows.
    "SELECT ?k (SUM(?w) AS ?m) (AVG(?w) AS ?a) { ?s :weight ?w . ?s :kind ?k } GROUP BY ?k",
    "SELECT (SUM(?x) AS ?m) { ?s :weight ?w . ?s :value ?v BIND(IF(?v > 90, ?w, ?v) AS ?x) }",
    // Terms that workers compute.
    "SELECT ?t (COUNT(*) AS ?n) { ?s :name ?m BIND(CONCAT(\"<\", ?m, \">\") AS ?t) } GROUP BY ?t",
    "SELECT ?t (COUNT(DISTINCT ?u) AS ?n) (MAX(?u) AS ?h) { ?s :name ?m . ?s :value ?v "
    "BIND(CONCAT(?m, \"!\") AS ?u) BIND(?v * 0.5 AS ?t) } GROUP BY ?t HAVING (COUNT(*) > 2)",
    "SELECT DISTINCT ?t { ?s :name ?m BIND(UCASE(?m) AS ?t) }",
    "SELECT ?s ?t { ?s :name ?m BIND(CONCAT(?m, \"?\") AS ?t) }",
    "SELECT DISTINCT ?v { ?s :value ?v }",
    "SELECT ?s ?m { ?s :name ?m } ORDER BY ?m ?s",
    "SELECT ?s ?m ?t { ?s :name ?m BIND(STRLEN(?m) AS ?t) } ORDER BY DESC(?t) ?m",
    "SELECT ?s ?v { ?s :value ?v } ORDER BY DESC(?v) LIMIT 70",
    "SELECT ?s ?v { ?s :value ?v } ORDER BY ?v OFFSET 100 LIMIT 1000",
    "SELECT ?s ?v { ?s :value ?v FILTER(?v != 3) }",
    "SELECT ?s ?l { ?s :kind ?k . ?k :label ?l . ?s :value ?v FILTER(?v < 9) }",
    "SELECT ?s ?n { ?s :value ?v OPTIONAL { ?s :next ?n } FILTER(?v < 50) }",
    "SELECT ?s { ?s :value ?v MINUS { ?s :next ?n } FILTER(?v < 50) }",
    "SELECT (COUNT(*) AS ?n) { ?s :value ?v FILTER EXISTS { ?s :next ?x . ?x :kind ?k } }",
    "SELECT (COUNT(*) AS ?n) { ?s :value ?v FILTER NOT EXISTS { ?x :next ?s } }",
    "SELECT ?k (SAMPLE(?s) AS ?one) { ?s :kind ?k . ?s :value ?v FILTER(?v > 3) } GROUP BY ?k",
    "SELECT ?k (GROUP_CONCAT(?v) AS ?all) { ?s :kind ?k . ?s :value ?v } GROUP BY ?k",
    "SELECT ?x ?m { { SELECT ?x (SUM(?v) AS ?m) { ?s :value ?v . ?s :name ?x } GROUP BY ?x } "
    "?s :name ?x FILTER(?m > 500) }",
};

TEST_F(ParallelThreads, AnswersAndTheirOrderAreThoseOfOneThread) {
  size_t shared_count = 0;
  for (const std::string& query : kShared) {
    QueryRunner alone(*source_);
    const std::vector<std::string> expected = alone.ordered_rows(query);
    ASSERT_FALSE(expected.empty()) << query;
    ASSERT_THAT(expected[0], Not(HasSubstr("error"))) << query;
    QueryRunner together(*source_);
    share_out(together);
    std::vector<std::string> rows = together.ordered_rows(query);
    const std::string& plan = together.last_explanation();
    if (plan.contains("index join") && !query.contains("GROUP BY") && !query.contains("COUNT")) {
      std::ranges::sort(rows);
      std::vector<std::string> sorted = expected;
      std::ranges::sort(sorted);
      EXPECT_EQ(rows, sorted) << query << "\n" << plan;
    } else {
      EXPECT_EQ(rows, expected) << query << "\n" << plan;
    }
    shared_count += plan.contains(" workers in ") ? 1 : 0;
    EXPECT_EQ(together.budget().used_bytes(), 0) << query;
  }
  EXPECT_GE(shared_count, kShared.size() - 3);
}

TEST_F(ParallelThreads, ComputedTermsOfWorkersMeet) {
  // On both sides of a join, in the graph, and in the query's own pool.
  const std::string query =
      "SELECT ?t ?l (COUNT(*) AS ?n) { ?s :kind ?k . ?s :value ?v BIND(CONCAT(\"kind \", "
      "STR(?v)) AS ?t) { SELECT (CONCAT(\"kind \", STR(?w)) AS ?t) (?w AS ?l) "
      "{ VALUES ?w { 1 2 3 4 96 } } } } GROUP BY ?t ?l";
  QueryRunner alone(*source_);
  QueryRunner together(*source_);
  share_out(together);
  const std::vector<std::string> expected = alone.rows(query);
  EXPECT_EQ(expected.size(), 5);
  EXPECT_EQ(together.rows(query), expected) << together.last_explanation();
  EXPECT_THAT(together.last_explanation(), HasSubstr(" workers in "));
}

TEST_F(ParallelThreads, RowsOfOperatorsAreThoseOfAllWorkers) {
  QueryRunner run(*source_);
  share_out(run);
  run.rows("SELECT (COUNT(*) AS ?n) { ?s :value ?v FILTER(?v >= 0) }");
  EXPECT_THAT(run.last_explanation(), HasSubstr("shared out to workers, came 6,000"))
      << run.last_explanation();
  EXPECT_THAT(run.last_explanation(), HasSubstr("workers in 30 pieces")) << run.last_explanation();
}

TEST_F(ParallelThreads, WhatOneThreadDoesIsNotSharedOut) {
  QueryRunner one(*source_);
  EXPECT_THAT(one.explain(kShared[1]), Not(HasSubstr("shared out")));
  QueryRunner run(*source_);
  share_out(run);
  EXPECT_THAT(run.explain(kShared[1]), HasSubstr("shared out"));
  for (const std::string query :
       {"SELECT ?s (RAND() AS ?r) { ?s :value ?v }",
        "SELECT ?s { ?s :value ?v FILTER(RAND() >= 0) }", "SELECT (BNODE() AS ?b) { ?s :value ?v }",
        "ASK { ?s :value ?v FILTER(?v > 3) }",
        "SELECT ?s { ?s :value ?v FILTER(?v > 3) } LIMIT 5"}) {
    EXPECT_THAT(run.explain(query), Not(HasSubstr("shared out"))) << query;
  }
  run.parallel.scan_rows_min = kSubjects;
  EXPECT_THAT(run.explain(kShared[0]), HasSubstr("shared out"));
  run.parallel.scan_rows_min = kSubjects + 1;
  EXPECT_THAT(run.explain(kShared[0]), Not(HasSubstr("shared out")));
  run.parallel = {.workers_max = 1, .scan_rows_min = 0, .piece_rows = 1};
  EXPECT_THAT(run.explain(kShared[0]), Not(HasSubstr("shared out")));
}

// Workers do not run far ahead of who reads: two do about half of the pieces in one round.
TEST_F(ParallelThreads, WhoStopsReadingStopsTheWorkers) {
  workers_max_ = 2;
  QueryRunner run(*source_);
  auto prepared = prepare(*source_, run, "SELECT ?s ?v { ?s :value ?v FILTER(?v >= 0) }");
  ASSERT_TRUE(prepared.ok());
  source_->reset_counts();
  {
    const auto solutions = (*prepared)->select();
    ASSERT_TRUE(solutions.ok());
    RowBatch batch;
    ASSERT_TRUE((*solutions)->next(batch).ok());
    EXPECT_FALSE(batch.empty());
  }
  EXPECT_LT(source_->counts().rows, kSubjects);
  prepared->reset();
  EXPECT_EQ(run.budget().used_bytes(), 0);
}

// --- Errors

class FailingCursor final : public QuadCursor {
 public:
  FailingCursor(std::unique_ptr<QuadCursor> cursor, std::atomic<int>& left)
      : cursor_(std::move(cursor)), left_(left) {}
  Status next(rdf::IdBatch& batch) override {
    if (--left_ < 0) {
      return Error(ErrorKind::kCorrupt, "this block is damaged");
    }
    return cursor_->next(batch);
  }
  Status seek(rdf::TermId key0, rdf::TermId key1) override { return cursor_->seek(key0, key1); }

 private:
  std::unique_ptr<QuadCursor> cursor_;
  std::atomic<int>& left_;
};

class FailingSource final : public QuadSource {
 public:
  FailingSource(QuadSource& source, int batches) : source_(source), left_(batches) {}
  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override {
    return source_.cardinality(pattern);
  }
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override {
    return source_.distinct(pattern, position);
  }
  bool has_order(rdf::Permutation permutation) const override {
    return source_.has_order(permutation);
  }
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids) override {
    return source_.find(tokens, ids);
  }
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) override {
    return source_.tokens(ids, tokens);
  }
  Result<std::vector<ScanCut>> cuts(const rdf::IdPattern& pattern, rdf::Permutation permutation,
                                    size_t pieces, std::stop_token stop) override {
    return source_.cuts(pattern, permutation, pieces, std::move(stop));
  }
  Result<std::unique_ptr<QuadCursor>> scan(const rdf::IdPattern& pattern,
                                           rdf::Permutation permutation,
                                           std::stop_token stop) override {
    WEFT_TRY(auto cursor, source_.scan(pattern, permutation, std::move(stop)));
    return std::unique_ptr<QuadCursor>(std::make_unique<FailingCursor>(std::move(cursor), left_));
  }
  Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override {
    return source_.prefetch(patterns, permutation, std::move(stop));
  }
  Result<std::vector<rdf::TermId>> graphs() override { return source_.graphs(); }

 private:
  QuadSource& source_;
  std::atomic<int> left_;
};

TEST_F(ParallelThreads, AnErrorOfAWorkerIsThatOfTheQuery) {
  for (const std::string& query : kShared) {
    for (const int batches : {0, 1, 7, 30}) {
      FailingSource failing(*source_, batches);
      QueryRunner run(failing);
      share_out(run);
      const std::vector<std::string> rows = run.ordered_rows(query);
      ASSERT_EQ(rows.size(), 1) << query;
      EXPECT_THAT(rows[0], HasSubstr("this block is damaged")) << query;
      EXPECT_EQ(run.budget().used_bytes(), 0) << query;
    }
  }
}

TEST_F(ParallelThreads, MemoryOfAllWorkersCountsAgainstTheOneBudget) {
  for (const std::string query :
       {"SELECT DISTINCT ?s ?v { ?s :value ?v }", "SELECT ?s { ?s :name ?t } ORDER BY ?t",
        "SELECT ?s (COUNT(*) AS ?n) { ?s :value ?v } GROUP BY ?s",
        "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s :value ?v }"}) {
    QueryRunner small(*source_, 50'000);
    share_out(small);
    const std::vector<std::string> rows = small.ordered_rows(query);
    ASSERT_EQ(rows.size(), 1) << query;
    EXPECT_THAT(rows[0], HasSubstr("budget=query memory")) << query;
    EXPECT_LE(small.budget().peak_bytes(), small.budget().limit_bytes());
    EXPECT_EQ(small.budget().used_bytes(), 0) << query;
  }
}

// The parts of four workers need more than one table of all groups.
TEST_F(ParallelThreads, GroupsThatFitOnOneThreadFitOnFour) {
  const std::string query = "SELECT ?v (COUNT(DISTINCT ?s) AS ?n) { ?s :value ?v } GROUP BY ?v";
  QueryRunner alone(*source_);
  const std::vector<std::string> expected = alone.ordered_rows(query);
  const uint64_t peak = alone.budget().peak_bytes();
  QueryRunner together(*source_, peak);
  share_out(together);
  EXPECT_EQ(together.ordered_rows(query), expected);
  EXPECT_LE(together.budget().peak_bytes(), peak);
  EXPECT_EQ(together.budget().used_bytes(), 0);
}

// --- Stops

// Thirty-six million pairs: no row comes out for a long time.
const std::string kEndless =
    "SELECT (COUNT(*) AS ?n) { ?s :value ?v . ?t :name ?w FILTER(CONCAT(STR(?v), ?w) = \"no\") }";

TEST_F(ParallelThreads, AStopEndsAllWorkersSoon) {
  QueryRunner run(*source_);
  std::stop_source stop;
  run.stop = stop.get_token();
  auto prepared = prepare(*source_, run, kEndless);
  ASSERT_TRUE(prepared.ok()) << prepared.error().to_string();
  ASSERT_THAT((*prepared)->explain(), HasSubstr("shared out"));
  int64_t stopped = 0;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stopped = clock_.monotonic_microseconds();
    stop.request_stop();
  });
  const Status status = read(**prepared);
  const int64_t ended = clock_.monotonic_microseconds();
  stopper.join();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kCancelled) << status.error().to_string();
  // A tenth of a second is what is promised; sanitizers and busy machines get ten.
  EXPECT_LT(ended - stopped, 1'000'000);
  prepared->reset();
  EXPECT_EQ(run.budget().used_bytes(), 0);
}

TEST_F(ParallelThreads, ATimeoutEndsAllWorkers) {
  QueryRunner run(*source_);
  run.timeout_ms = 50;
  auto prepared = prepare(*source_, run, kEndless);
  ASSERT_TRUE(prepared.ok());
  const int64_t begin = clock_.monotonic_microseconds();
  const Status status = read(**prepared);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().to_string(), HasSubstr("timeout_ms=50"));
  EXPECT_LT(clock_.monotonic_microseconds() - begin, 1'050'000);
}

// Sixteen queries at once share three threads besides their own.
TEST_F(ParallelThreads, ManyQueriesShareOnePool) {
  QueryRunner alone(*source_);
  std::vector<std::vector<std::string>> expected;
  for (size_t i = 0; i < 8; ++i) {
    expected.push_back(alone.ordered_rows(kShared[i]));
  }
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> clients;
    for (size_t client = 0; client < 16; ++client) {
      clients.emplace_back([&, client] {
        for (size_t i = 0; i < 8; ++i) {
          const size_t at = (i + client) % 8;
          QueryRunner run(*source_);
          share_out(run);
          wrong += run.ordered_rows(kShared[at]) == expected[at] ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace weft::exec

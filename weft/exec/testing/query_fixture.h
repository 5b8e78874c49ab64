// For exec's tests: small graphs and queries as text, answers as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/exec/query.h"
#include "weft/exec/vector_source.h"

namespace weft::exec {

// 2024-02-29T12:34:56.789Z, and a monotonic clock that moves only if told.
class FixedClock final : public base::Clock {
 public:
  base::WallTime now() const override { return {1'709'210'096'789'000}; }
  int64_t monotonic_microseconds() const override { return monotonic += step; }
  void sleep_microseconds(int64_t duration) const override { monotonic += duration; }
  mutable int64_t monotonic = 0;
  int64_t step = 0;
};

// ":a" is <http://e/a>, "1" and "1.5" and "true" are numbers and booleans as in Turtle; everything
// else is a token. And back.
std::string expand(std::string_view text);
std::string abbreviate(std::string_view token);

// Statements "subject predicate object [graph] ." parted by white space; strings hold no blanks.
void add_statements(VectorSource::Builder& builder, std::string_view text);
std::unique_ptr<VectorSource> make_source(std::string_view statements,
                                          VectorSourceOptions options = {});

// Collects "s p o" lines, abbreviated.
class LineSink final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> quads) override;
  std::vector<std::string> lines;
};

// Runs queries, with "PREFIX : <http://e/>" and xsd: in front.
class QueryRunner {
 public:
  explicit QueryRunner(QuadSource& source, uint64_t budget_bytes = uint64_t{256} << 20U)
      : source_(source), budget_("query memory", budget_bytes) {}

  QueryOptions options();
  Result<std::unique_ptr<PreparedQuery>> prepare(std::string_view query);
  // Rows "a b c" with "-" for unbound, in the order they came. An error is one row "error: …".
  std::vector<std::string> ordered_rows(std::string_view query);
  // The same, sorted.
  std::vector<std::string> rows(std::string_view query);
  // CONSTRUCT or DESCRIBE, sorted.
  std::vector<std::string> triples(std::string_view query);
  // "true", "false" or "error: …".
  std::string ask(std::string_view query);
  std::string explain(std::string_view query);
  // The value of an expression, abbreviated; "-" for an error.
  std::string value(std::string_view expression);

  base::MemoryBudget& budget() { return budget_; }
  FixedClock& clock() { return clock_; }
  // The explanation of the query that ran last, with the rows that came.
  const std::string& last_explanation() const { return explanation_; }

  ServiceClient* services = nullptr;
  std::stop_token stop;
  uint64_t timeout_ms = 0;
  base::Executor* executor = nullptr;  // null: the calling thread alone
  ParallelOptions parallel;

 private:
  QuadSource& source_;
  base::MemoryBudget budget_;
  base::InlineExecutor inline_executor_;
  FixedClock clock_;
  base::Random random_{7};
  std::string explanation_;
};

}  // namespace weft::exec

// Query execution alone, on a graph in memory: rows a second of each kind of operator, with the
// answer checked.
//
//     query_speed [people]        default 150,000: about 1.2 million triples
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/exec/query.h"
#include "weft/exec/vector_source.h"
#include "weft/sparql/parser.h"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program, not a header.

std::unique_ptr<exec::VectorSource> make_people(int people, bool six_permutations) {
  exec::VectorSource::Builder builder;
  const auto person = [&](int i) { return "<http://e/person" + std::to_string(i % people) + ">"; };
  for (int i = 0; i < people; ++i) {
    const std::string subject = person(i);
    builder.add(subject, "<http://e/type>", "<http://e/Person>");
    builder.add(subject, "<http://e/name>", "\"name " + std::to_string(i % (people / 4)) + "\"");
    builder.add(subject, "<http://e/city>", "<http://e/city" + std::to_string(i % 1'000) + ">");
    builder.add(subject, "<http://e/age>",
                "\"" + std::to_string(i % 90) + "\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    for (int k = 1; k <= 4; ++k) {
      builder.add(subject, "<http://e/knows>", person(i * 7 + k * 13));
    }
  }
  return std::move(builder).build({.six_permutations = six_permutations});
}

struct Measure {
  const char* name;
  const char* query;
  double rows_per_person;  // expected in the answer; 0: do not check
  double rows_per_call;    // rows that the step under test handles, per person
};

void run(exec::VectorSource& source, int people, const Measure& measure) {
  base::MemoryBudget budget("query memory", uint64_t{2} << 30U);
  base::InlineExecutor executor;
  base::SystemClock clock;
  base::Random random(1);
  exec::QueryOptions options;
  options.budget = &budget;
  options.executor = &executor;
  options.clock = &clock;
  options.random = &random;
  sparql::ParseOptions parse;
  parse.prefixes = {{"", "http://e/"}};
  auto parsed = sparql::parse_query(measure.query, parse);
  if (!parsed.ok()) {
    std::fprintf(stderr, "%s\n", parsed.error().to_string().c_str());
    std::exit(1);
  }
  const auto before = std::chrono::steady_clock::now();
  auto prepared = exec::prepare(std::move(parsed).value(), source, options);
  const auto planned = std::chrono::steady_clock::now();
  auto solutions = (*prepared)->select();
  uint64_t rows = 0;
  for (exec::RowBatch batch;;) {
    const Status status = (*solutions)->next(batch);
    if (!status.ok()) {
      std::fprintf(stderr, "%s: %s\n", measure.name, status.error().to_string().c_str());
      std::exit(1);
    }
    if (batch.empty()) {
      break;
    }
    rows += batch.rows;
  }
  const auto after = std::chrono::steady_clock::now();
  if (measure.rows_per_person != 0 &&
      rows != static_cast<uint64_t>(measure.rows_per_person * people)) {
    std::fprintf(stderr, "%s: wrong answer: %llu rows\n%s", measure.name,
                 static_cast<unsigned long long>(rows), (*prepared)->explain().c_str());
    std::exit(1);
  }
  const double plan_ms = std::chrono::duration<double, std::milli>(planned - before).count();
  const double seconds = std::chrono::duration<double>(after - planned).count();
  std::printf("%-28s %9llu rows  plan %6.2f ms  run %7.1f ms  %6.1f M rows/s  peak %5.1f MiB\n",
              measure.name, static_cast<unsigned long long>(rows), plan_ms, seconds * 1e3,
              measure.rows_per_call * people / seconds / 1e6,
              static_cast<double>(budget.peak_bytes()) / (1 << 20));
  if (std::getenv("EXPLAIN") != nullptr) {
    std::printf("%s", (*prepared)->explain().c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int people = argc > 1 ? std::atoi(argv[1]) : 150'000;
  const std::vector<Measure> measures = {
      {"scan", "SELECT * { ?s ?p ?o }", 8, 8},
      {"join of two big sides", "SELECT ?n ?c { ?x :name ?n . ?x :city ?c }", 1, 2},
      {"join of four big sides",
       "SELECT ?n ?c ?a { ?x :name ?n . ?x :city ?c . ?x :age ?a . ?x :type :Person }", 1, 4},
      {"path of two", "SELECT ?x ?z { ?x :knows ?y . ?y :knows ?z }", 16, 16},
      {"triangle", "SELECT ?x { ?x :knows ?y . ?y :knows ?z . ?z :knows ?x }", 0, 16},
      {"lookups", "SELECT ?n { ?x :city :city7 . ?x :knows ?y . ?y :name ?n }", 0.004, 0.004},
      {"filter on numbers", "SELECT ?x { ?x :age ?a FILTER(?a * 2 > 300) }", 0, 1},
      {"optional", "SELECT ?x ?n { ?x :city ?c OPTIONAL { ?x :name ?n } }", 1, 2},
      {"distinct", "SELECT DISTINCT ?y { ?x :knows ?y }", 0, 4},
      {"group and count", "SELECT ?c (COUNT(*) AS ?n) { ?x :city ?c . ?x :age ?a } GROUP BY ?c", 0,
       2},
      {"sum", "SELECT ?c (SUM(?a) AS ?n) { ?x :city ?c . ?x :age ?a } GROUP BY ?c", 0, 2},
      {"sort", "SELECT ?x { ?x :name ?n } ORDER BY ?n", 1, 1},
      {"top ten", "SELECT ?x { ?x :name ?n } ORDER BY DESC(?n) LIMIT 10", 0, 1},
      {"count from the index", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", 0, 8},
      {"star of nine",
       "SELECT ?x { ?x :type :Person . ?x :name ?a . ?x :city ?b . ?x :age ?c . ?x :knows ?d . ?x "
       ":type ?e . ?x :name ?f . ?x :city ?g . ?x :age ?h }",
       4, 12},
  };
  for (const bool six : {true, false}) {
    const auto source = make_people(people, six);
    std::printf("%d permutations, %d triples\n", six ? 6 : 3, people * 8);
    for (const Measure& measure : measures) {
      run(*source, people, measure);
    }
  }
  return 0;
}

// Query execution alone, on a graph in memory: rows a second of each kind of operator, with the
// answer checked.
//
//     query_speed [people]        default 150,000: about 1.35 million triples
#include <algorithm>
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
    builder.add(subject, "<http://e/next>", person(i + 1));  // a circle of all
    if (i % 100 == 0) {
      builder.add(subject, "<http://e/mail>", "\"mail " + std::to_string(i) + "\"");
    }
  }
  return std::move(builder).build({.six_permutations = six_permutations});
}

struct Measure {
  const char* name;
  const char* query;
  double rows_per_person;  // expected in the answer
  uint64_t rows;           // the same, exactly; 0: rows_per_person counts
};

struct Run {
  uint64_t rows = 0;
  double plan_ms = 0;
  double run_ms = 0;
  double peak_mib = 0;
};

Run run_once(exec::VectorSource& source, const Measure& measure, bool explain) {
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
  const auto fail = [&](const Error& error) {
    std::fprintf(stderr, "%s: %s\n", measure.name, error.to_string().c_str());
    std::exit(1);
  };
  auto parsed = sparql::parse_query(measure.query, parse);
  if (!parsed.ok()) {
    fail(parsed.error());
  }
  const auto before = std::chrono::steady_clock::now();
  auto prepared = exec::prepare(std::move(parsed).value(), source, options);
  if (!prepared.ok()) {
    fail(prepared.error());
  }
  const auto planned = std::chrono::steady_clock::now();
  auto solutions = (*prepared)->select();
  Run run;
  for (exec::RowBatch batch;;) {
    const Status status = (*solutions)->next(batch);
    if (!status.ok()) {
      fail(status.error());
    }
    if (batch.empty()) {
      break;
    }
    run.rows += batch.rows;
  }
  const auto after = std::chrono::steady_clock::now();
  run.plan_ms = std::chrono::duration<double, std::milli>(planned - before).count();
  run.run_ms = std::chrono::duration<double, std::milli>(after - planned).count();
  run.peak_mib = static_cast<double>(budget.peak_bytes()) / (1 << 20);
  if (explain) {
    std::printf("%s", (*prepared)->explain().c_str());
  }
  return run;
}

// The median of three, after one to warm up.
void measure(exec::VectorSource& source, int people, const Measure& what) {
  run_once(source, what, std::getenv("EXPLAIN") != nullptr);
  std::vector<Run> runs;
  for (int i = 0; i < 3; ++i) {
    runs.push_back(run_once(source, what, false));
  }
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return a.run_ms < b.run_ms; });
  const Run& middle = runs[1];
  const uint64_t expected =
      what.rows != 0 ? what.rows : static_cast<uint64_t>(what.rows_per_person * people + 0.5);
  if (middle.rows != expected) {
    std::fprintf(stderr, "%s: wrong answer: %llu rows instead of %llu\n", what.name,
                 static_cast<unsigned long long>(middle.rows),
                 static_cast<unsigned long long>(expected));
    std::exit(1);
  }
  std::printf("%-34s %9llu rows  plan %6.2f ms  run %8.2f ms  peak %6.1f MiB\n", what.name,
              static_cast<unsigned long long>(middle.rows), middle.plan_ms, middle.run_ms,
              middle.peak_mib);
}

}  // namespace

int main(int argc, char** argv) {
  const int people = argc > 1 ? std::atoi(argv[1]) : 150'000;
  const std::vector<Measure> measures = {
      {"scan: all", "SELECT * { ?s ?p ?o }", 9.01, 0},
      {"scan: first ten", "SELECT * { ?s ?p ?o } LIMIT 10", 0, 10},
      {"count: all", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", 0, 1},
      {"count: of a predicate", "SELECT (COUNT(?s) AS ?n) { ?s :knows ?o }", 0, 1},
      {"look-up: of one", "SELECT ?p ?o { :person7 ?p ?o }", 0, 9},
      {"look-up: of a city", "SELECT ?n { ?x :city :city7 . ?x :knows ?y . ?y :name ?n }", 0.004,
       0},
      {"chain: of two", "SELECT ?x ?z { ?x :knows ?y . ?y :knows ?z }", 16, 0},
      {"chain: of three from one", "SELECT ?d { :person5 :knows ?b . ?b :knows ?c . ?c :knows ?d }",
       0, 64},
      {"chain: of five, first ten",
       "SELECT * { ?a :knows ?b . ?b :knows ?c . ?c :knows ?d . ?d :knows ?e . ?e :name ?n } "
       "LIMIT 10",
       0, 10},
      {"star: of two big sides", "SELECT ?n ?c { ?x :name ?n . ?x :city ?c }", 1, 0},
      {"star: of four big sides",
       "SELECT ?n ?c ?a { ?x :name ?n . ?x :city ?c . ?x :age ?a . ?x :type :Person }", 1, 0},
      {"star: of nine",
       "SELECT ?x { ?x :type :Person . ?x :name ?a . ?x :city ?b . ?x :age ?c . ?x :knows ?d . ?x "
       ":type ?e . ?x :name ?f . ?x :city ?g . ?x :age ?h }",
       4, 0},
      {"cycle: triangle", "SELECT (COUNT(*) AS ?n) { ?x :knows ?y . ?y :knows ?z . ?z :knows ?x }",
       0, 1},
      {"cycle: square from one",
       "SELECT (COUNT(*) AS ?n) { :person5 :knows ?b . ?b :knows ?c . ?c :knows ?d . "
       ":person5 :knows ?d }",
       0, 1},
      {"group: count by city",
       "SELECT ?c (COUNT(*) AS ?n) { ?x :city ?c . ?x :age ?a } GROUP BY ?c", 0, 1'000},
      {"group: sum by city", "SELECT ?c (SUM(?a) AS ?n) { ?x :city ?c . ?x :age ?a } GROUP BY ?c",
       0, 1'000},
      {"group: average of all", "SELECT (AVG(?a) AS ?n) { ?x :age ?a }", 0, 1},
      {"sort: all", "SELECT ?x { ?x :name ?n } ORDER BY ?n", 1, 0},
      {"sort: top ten", "SELECT ?x { ?x :name ?n } ORDER BY DESC(?n) LIMIT 10", 0, 10},
      {"filter: numbers", "SELECT ?x { ?x :age ?a FILTER(?a * 2 >= 90) }", 0.5, 0},
      {"filter: CONTAINS", "SELECT (COUNT(*) AS ?n) { ?x :name ?n FILTER CONTAINS(?n, \"77\") }", 0,
       1},
      {"filter: REGEX", "SELECT (COUNT(*) AS ?c) { ?x :name ?n FILTER REGEX(?n, \"^name 1.*9$\") }",
       0, 1},
      {"path: + first ten", "SELECT * { ?x :next+ ?y } LIMIT 10", 0, 10},
      {"path: + around from one", "SELECT (COUNT(*) AS ?n) { :person5 :next+ ?y }", 0, 1},
      {"path: * of a net from one", "SELECT (COUNT(*) AS ?n) { :person5 :knows* ?y }", 0, 1},
      {"path: / and ?", "SELECT ?y { :person5 :knows/:knows? ?y }", 0, 20},
      {"optional: all", "SELECT ?x ?n { ?x :city ?c OPTIONAL { ?x :name ?n } }", 1, 0},
      {"optional: few", "SELECT ?x ?m { ?x :age ?a OPTIONAL { ?x :mail ?m } }", 1, 0},
      {"union", "SELECT ?x { { ?x :city :city7 } UNION { ?x :mail ?m } }", 0.011, 0},
      {"minus", "SELECT ?x { ?x :age ?a MINUS { ?x :mail ?m } }", 0.99, 0},
      {"exists", "SELECT ?x { ?x :age ?a FILTER EXISTS { ?x :mail ?m } }", 0.01, 0},
      {"not exists", "SELECT ?x { ?x :age ?a FILTER NOT EXISTS { ?x :mail ?m } }", 0.99, 0},
      {"exists: with a filter",
       "SELECT ?x { ?x :mail ?m . ?x :age ?a FILTER EXISTS { ?x :knows ?y . ?y :age ?b "
       "FILTER(?b >= ?a - 90) } }",
       0.01, 0},
      {"distinct: cities", "SELECT DISTINCT ?c { ?x :city ?c }", 0, 1'000},
      {"distinct: pairs", "SELECT DISTINCT ?c ?a { ?x :city ?c . ?x :age ?a }", 0, 9'000},
  };
  for (const bool six : {true, false}) {
    const auto source = make_people(people, six);
    std::printf("%d permutations, %.0f triples\n", six ? 6 : 3, people * 9.01);
    for (const Measure& one : measures) {
      measure(*source, people, one);
    }
  }
  return 0;
}

// Runs the W3C test suites of SPARQL 1.0, 1.1 and 1.2 from their manifests.
//
// usage: sparql_conformance SUITES KNOWN_FAILURES [-v] [--entail] [GROUP or GROUP/TEST …]
//
// --entail runs the entailment group instead of all others, each test under RDFS or RDF if it is
// one of these, else under the first regime that it names.
//
// SUITES is the folder that holds sparql10, sparql11 and sparql12; KNOWN_FAILURES has one line per
// test that fails: GROUP/TEST, a space, the reason. Prints one line per group. Exit 0: all is as
// expected; 1: a test failed that is not known to, or a known failure passes; 77: no suites there.
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/sparql/evaluate.h"
#include "tests/conformance/sparql/test_graph.h"

#include "weft/sparql/parser.h"
#include "weft/sparql/update.h"

namespace weft::conformance {
namespace {

// Features that this version refuses by name. A refusal for any other reason is a failure.
const std::set<std::string, std::less<>> kRefusals = {
    "functions named by an IRI that is no XSD cast",
};

constexpr const char* kGroups[] = {
    "sparql10/algebra",
    "sparql10/ask",
    "sparql10/basic",
    "sparql10/bnode-coreference",
    "sparql10/boolean-effective-value",
    "sparql10/bound",
    "sparql10/cast",
    "sparql10/construct",
    "sparql10/dataset",
    "sparql10/distinct",
    "sparql10/expr-builtin",
    "sparql10/expr-equals",
    "sparql10/expr-ops",
    "sparql10/graph",
    "sparql10/i18n",
    "sparql10/open-world",
    "sparql10/optional",
    "sparql10/optional-filter",
    "sparql10/reduced",
    "sparql10/regex",
    "sparql10/solution-seq",
    "sparql10/sort",
    "sparql10/syntax-sparql1",
    "sparql10/syntax-sparql2",
    "sparql10/syntax-sparql3",
    "sparql10/syntax-sparql4",
    "sparql10/syntax-sparql5",
    "sparql10/triple-match",
    "sparql10/type-promotion",
    "sparql11/add",
    "sparql11/aggregates",
    "sparql11/basic-update",
    "sparql11/bind",
    "sparql11/bindings",
    "sparql11/cast",
    "sparql11/clear",
    "sparql11/construct",
    "sparql11/copy",
    "sparql11/csv-tsv-res",
    "sparql11/delete",
    "sparql11/delete-data",
    "sparql11/delete-insert",
    "sparql11/delete-where",
    "sparql11/drop",
    "sparql11/exists",
    "sparql11/functions",
    "sparql11/grouping",
    "sparql11/json-res",
    "sparql11/move",
    "sparql11/negation",
    "sparql11/project-expression",
    "sparql11/property-path",
    "sparql11/service",
    "sparql11/subquery",
    "sparql11/syntax-fed",
    "sparql11/syntax-query",
    "sparql11/syntax-update-1",
    "sparql11/syntax-update-2",
    "sparql11/update-silent",
    "sparql12/codepoint-escapes",
    "sparql12/eval-triple-terms",
    "sparql12/expression",
    "sparql12/grouping",
    "sparql12/lang-basedir",
    "sparql12/rdf11",
    "sparql12/syntax",
    "sparql12/syntax-triple-terms-negative",
    "sparql12/syntax-triple-terms-positive",
    "sparql12/version",
};

struct Outcome {
  enum class Kind { kPassed, kRefused, kFailed, kOutOfScope };
  Kind kind = Kind::kPassed;
  std::string reason;
};

Outcome run_syntax(const TestCase& test, bool positive, bool is_update) {
  const auto text = read_text(test.query);
  if (!text.ok()) {
    return {Outcome::Kind::kFailed, text.error().to_string()};
  }
  sparql::ParseOptions options;
  options.base_iri = test.base_iri;
  options.refuse_unsupported = false;
  Status status = ok_status();
  if (is_update) {
    const auto update = sparql::parse_update(*text, options);
    status = update.ok() ? ok_status() : Status(update.error());
  } else {
    const auto query = sparql::parse_query(*text, options);
    status = query.ok() ? ok_status() : Status(query.error());
  }
  if (positive) {
    return status.ok() ? Outcome{} : Outcome{Outcome::Kind::kFailed, status.error().to_string()};
  }
  if (status.ok()) {
    return {Outcome::Kind::kFailed, "was accepted"};
  }
  const bool as_syntax = status.error().kind() == ErrorKind::kInvalid;
  return as_syntax ? Outcome{} : Outcome{Outcome::Kind::kFailed, status.error().to_string()};
}

Outcome run_update(const TestCase& test) {
  const auto expected = expected_store(test);
  const auto actual = evaluate_update(test);
  if (!expected.ok() || !actual.ok()) {
    return {Outcome::Kind::kFailed, (expected.ok() ? actual : expected).error().to_string()};
  }
  const std::string reason = difference(*expected, *actual, false);
  return reason.empty() ? Outcome{} : Outcome{Outcome::Kind::kFailed, reason};
}

Outcome run_evaluation(const TestCase& test) {
  const auto expected = read_answers(test.result);
  if (!expected.ok()) {
    return {Outcome::Kind::kFailed, "expected answers: " + expected.error().to_string()};
  }
  const auto actual = evaluate(test);
  if (!actual.ok()) {
    const bool refused = actual.error().kind() == ErrorKind::kUnsupported &&
                         kRefusals.contains(actual.error().fact("feature"));
    return {refused ? Outcome::Kind::kRefused : Outcome::Kind::kFailed, actual.error().to_string()};
  }
  Answers wanted = *expected;
  wanted.ordered = wanted.ordered || actual->ordered;
  const std::string reason = difference(wanted, *actual, test.lax_cardinality);
  return reason.empty() ? Outcome{} : Outcome{Outcome::Kind::kFailed, reason};
}

Outcome run(const TestCase& test) {
  if (test.type.starts_with("PositiveSyntaxTest")) {
    return run_syntax(test, true, false);
  }
  if (test.type.starts_with("PositiveUpdateSyntaxTest")) {
    return run_syntax(test, true, true);
  }
  if (test.type.starts_with("NegativeUpdateSyntaxTest")) {
    return run_syntax(test, false, true);
  }
  if (test.type == "UpdateEvaluationTest") {
    return run_update(test);
  }
  if (test.type.starts_with("NegativeSyntaxTest")) {
    return run_syntax(test, false, false);
  }
  const bool evaluation = test.type == "QueryEvaluationTest" || test.type == "CSVResultFormatTest";
  if (!evaluation || test.result.empty()) {
    return {Outcome::Kind::kOutOfScope, test.type};
  }
  return run_evaluation(test);
}

// Test -> reason.
Result<std::map<std::string, std::string>> read_known(const std::string& path) {
  WEFT_TRY(const std::string text, read_text(path));
  std::map<std::string, std::string> known;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    const size_t space = line.find(' ');
    if (space == std::string::npos || space + 1 == line.size()) {
      return Error(ErrorKind::kInvalid, "a known failure needs a reason").with("line", line);
    }
    known[line.substr(0, space)] = line.substr(space + 1);
  }
  return known;
}

struct Counts {
  size_t passed = 0;
  size_t refused = 0;
  size_t known = 0;
  size_t failed = 0;
  size_t out_of_scope = 0;

  void add(const Counts& other) {
    passed += other.passed;
    refused += other.refused;
    known += other.known;
    failed += other.failed;
    out_of_scope += other.out_of_scope;
  }
  void print(const char* name) const {
    std::printf("%-40s %5zu passed %4zu refused %4zu known %4zu failed %4zu out of scope\n", name,
                passed, refused, known, failed, out_of_scope);
  }
};

class Runner {
 public:
  Runner(std::map<std::string, std::string> known, bool verbose, std::set<std::string> only)
      : known_(std::move(known)), verbose_(verbose), only_(std::move(only)) {}

  void run_group(const std::string& suites, const std::string& group) {
    const auto tests = read_manifest(suites + "/" + group, group);
    if (!tests.ok()) {
      std::printf("FAILED %s: %s\n", group.c_str(), tests.error().to_string().c_str());
      ++total_.failed;
      return;
    }
    Counts counts;
    for (const TestCase& test : *tests) {
      const std::string id = group + "/" + test.name;
      if (only_.empty() || only_.contains(group) || only_.contains(id)) {
        count(id, run(test), counts);
      }
    }
    if (only_.empty() || only_.contains(group)) {
      counts.print(group.c_str());
    }
    total_.add(counts);
  }

  int finish() {
    total_.print("total");
    for (const auto& [feature, number] : refusals_) {
      std::printf("  refused %3zu: %s\n", number, feature.c_str());
    }
    return total_.failed == 0 ? 0 : 1;
  }

 private:
  void count(const std::string& id, const Outcome& outcome, Counts& counts) {
    const auto known = known_.find(id);
    switch (outcome.kind) {
      case Outcome::Kind::kPassed:
        if (known != known_.end()) {
          std::printf("FAILED %s: passes, but stands among the known failures\n", id.c_str());
          ++counts.failed;
        } else {
          ++counts.passed;
        }
        return;
      case Outcome::Kind::kRefused:
        ++counts.refused;
        ++refusals_[outcome.reason.substr(0, outcome.reason.find(':'))];
        if (verbose_) {
          std::printf("refused %s: %s\n", id.c_str(), outcome.reason.c_str());
        }
        return;
      case Outcome::Kind::kOutOfScope:
        ++counts.out_of_scope;
        return;
      case Outcome::Kind::kFailed:
        if (known != known_.end()) {
          ++counts.known;
          std::printf("known %s: %s\n", id.c_str(), known->second.c_str());
        } else {
          ++counts.failed;
          std::printf("FAILED %s: %s\n", id.c_str(), outcome.reason.c_str());
        }
        return;
    }
  }

  std::map<std::string, std::string> known_;
  bool verbose_;
  std::set<std::string> only_;
  Counts total_;
  std::map<std::string, size_t> refusals_;
};

}  // namespace

int run_all(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: sparql_conformance SUITES KNOWN_FAILURES [-v] [--entail] [GROUP …]\n");
    return 2;
  }
  const std::string suites = argv[1];
  if (!read_text(suites + "/sparql11/manifest-all.ttl").ok()) {
    std::printf("SKIPPED: no W3C SPARQL test suites in %s (set WEFT_TESTDATA)\n", suites.c_str());
    return 77;
  }
  auto known = read_known(argv[2]);
  if (!known.ok()) {
    std::printf("FAILED: %s\n", known.error().to_string().c_str());
    return 1;
  }
  bool verbose = false;
  std::set<std::string> only;
  bool entails = false;
  for (int i = 3; i < argc; ++i) {
    if (std::string_view(argv[i]) == "-v") {
      verbose = true;
    } else if (std::string_view(argv[i]) == "--entail") {
      entails = true;
    } else {
      only.insert(argv[i]);
    }
  }
  Runner runner(std::move(known).value(), verbose, std::move(only));
  if (entails) {
    runner.run_group(suites, "sparql11/entailment");
    return runner.finish();
  }
  for (const char* group : kGroups) {
    runner.run_group(suites, group);
  }
  return runner.finish();
}

}  // namespace weft::conformance

int main(int argc, char** argv) {
  return weft::conformance::run_all(argc, argv);
}

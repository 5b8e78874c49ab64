// Every query and mutation that the origin was given: taken and refused as it does, with its codes
// and facts, but where we do better.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "weft/gq/check.h"
#include "weft/gq/lint.h"
#include "weft/schema/testing/golden_cases.h"

namespace weft::gq {
namespace {

using schema::testing::fixture_schema;
using schema::testing::GoldenCase;
using schema::testing::text_of;
using schema::testing::truth_of;

// Suspect cases that the origin takes and we refuse before anything runs; what we say instead.
const std::map<std::string, std::string>& refused_here() {
  static const std::map<std::string, std::string> cases = {
      {"08-mutate-update/update-where-list", "lists cannot be compared"},
      {"10-mutate-shape/duplicate-query-names", "two queries of one name"},
      {"11-query-bind/return-same-alias-twice", "two columns are called x"},
      {"11-query-bind/return-literal-without-alias", "two columns are called literal"},
      {"17-query-aggregate/column-names", "two columns are called p.age"},
      {"17-query-aggregate/two-aggregates-one-alias", "two columns are called n"},
      {"19-query-params/undeclared", "$n is no parameter"},
      {"19-query-params/duplicate-declaration", "declared twice"},
  };
  return cases;
}

// Classes of refusals that come before anything runs.
bool is_static(const std::string& kind) {
  static const std::set<std::string> kinds = {"parse", "mixed_mutation", "key_update"};
  return kinds.contains(kind) || kind.starts_with("type");
}

struct Verdict {
  bool taken = true;
  std::set<std::string> codes;
  std::string report;
};

void add(Verdict& verdict, const std::vector<schema::Problem>& problems) {
  for (const schema::Problem& problem : problems) {
    verdict.taken = false;
    verdict.codes.insert(problem.code);
    verdict.report += schema::to_string(problem) + "\n";
  }
}

Verdict judge(const schema::Schema& schema, const json::Value& step, const std::string& text) {
  const std::string name = text_of(step.find("name"));
  Verdict verdict;
  Parsed parsed = parse(text);
  add(verdict, parsed.problems);
  if (!verdict.taken) {
    return verdict;
  }
  auto query = select_query(std::move(parsed.queries), name);
  if (!query.ok()) {
    return {false, {"selection"}, query.error().to_string()};
  }
  const Status fits =
      step.find("query") != nullptr ? require_read(*query) : require_mutation(*query);
  if (!fits.ok()) {
    return {false, {"selection", "type"}, fits.error().to_string()};
  }
  const CheckOutcome outcome = check_types(*std::move(query), schema);
  add(verdict, outcome.problems);
  EXPECT_EQ(outcome.query.has_value(), verdict.taken);
  return verdict;
}

void expect_as_recorded(const GoldenCase& recorded, const json::Value& outcome,
                        const Verdict& verdict) {
  const std::string kind = text_of(outcome.find("class"));
  if (const auto found = refused_here().find(recorded.name);
      found != refused_here().end() && !verdict.taken) {
    EXPECT_TRUE(truth_of(recorded.value.find("suspect")));
    EXPECT_NE(verdict.report.find(found->second), std::string::npos) << verdict.report;
    return;
  }
  if (truth_of(outcome.find("ok"))) {
    EXPECT_TRUE(verdict.taken) << verdict.report;
    return;
  }
  if (!is_static(kind)) {
    return;  // known when it runs
  }
  EXPECT_FALSE(verdict.taken);
  const std::string code = kind.starts_with("type:") ? kind.substr(5) : kind;
  EXPECT_TRUE(verdict.codes.contains(code)) << code << "\n" << verdict.report;
  for (const json::Value& fact : outcome.find("facts")->items()) {
    EXPECT_NE(verdict.report.find(text_of(&fact)), std::string::npos) << text_of(&fact) << "\n"
                                                                      << verdict.report;
  }
}

class GoldenQueries : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = schema::testing::test_data("omnigraph-golden");
    if (folder_.empty()) {
      GTEST_SKIP() << "WEFT_TESTDATA/omnigraph-golden is absent";
    }
    auto fixtures = json::parse(schema::testing::read_whole(folder_ + "/cases/fixtures.json"));
    ASSERT_TRUE(fixtures.ok());
    fixtures_ = *std::move(fixtures);
  }

  // The schema a case works with; nullopt if it is one that is refused.
  std::optional<schema::Schema> schema_of(const GoldenCase& recorded) const {
    const json::Value* const own = recorded.value.find("schema");
    const std::string text = own != nullptr
                                 ? text_of(own)
                                 : fixture_schema(fixtures_, text_of(recorded.value.find("graph")));
    return schema::check(text).schema;
  }

  std::string folder_;
  json::Value fixtures_;
};

TEST_F(GoldenQueries, AreTakenAndRefusedAsTheOriginDoes) {
  size_t count = 0;
  for (const GoldenCase& recorded : schema::testing::golden_cases(folder_)) {
    const auto schema = schema_of(recorded);
    for (const json::Value& step : recorded.value.find("steps")->items()) {
      const json::Value* text = step.find("query");
      text = text == nullptr ? step.find("mutate") : text;
      if (text == nullptr || step.find("expect") == nullptr || !schema.has_value()) {
        continue;
      }
      SCOPED_TRACE(recorded.name + ": " + text_of(text));
      expect_as_recorded(recorded, *step.find("expect"), judge(*schema, step, text_of(text)));
      ++count;
    }
  }
  EXPECT_GT(count, 700U);
}

std::string uses_text(const std::vector<TypeUse>& uses) {
  std::string text;
  for (const TypeUse& use : uses) {
    text += (use.is_edge ? "edge " : "node ") + use.name + "; ";
  }
  return text;
}

std::string uses_text(const json::Value& uses) {
  std::string text;
  for (const json::Value& use : uses.items()) {
    text += text_of(use.find("kind")) + " " + text_of(use.find("type_name")) + "; ";
  }
  return text;
}

// Suspect cases of lint that the origin passes and we do not.
bool is_error_here(const std::string& name) {
  return name == "27-lint/lint-undeclared-param" || name == "27-lint/lint-mixed-mutation";
}

void expect_descriptor(const CheckedQuery& query, const json::Value& operation) {
  EXPECT_EQ(uses_text(query.reads), uses_text(*operation.find("reads")));
  EXPECT_EQ(uses_text(query.writes), uses_text(*operation.find("writes")));
  const auto& wanted = operation.find("result")->items();
  ASSERT_EQ(query.columns.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const ColumnType& type = query.columns[i].type;
    EXPECT_EQ(column_kind(type), text_of(wanted[i].find("kind"))) << i;
    EXPECT_EQ(type.type.nullable, truth_of(wanted[i].find("nullable"))) << i;
    EXPECT_TRUE(query.columns[i].name.ends_with(text_of(wanted[i].find("name")))) << i;
  }
}

TEST_F(GoldenQueries, AreLintedAsTheOriginDoes) {
  for (const GoldenCase& recorded : schema::testing::golden_cases(folder_)) {
    for (const json::Value& step : recorded.value.find("steps")->items()) {
      if (step.find("lint") == nullptr) {
        continue;
      }
      SCOPED_TRACE(recorded.name);
      const auto schema = step.find("schema") != nullptr
                              ? schema::check(text_of(step.find("schema"))).schema
                              : schema_of(recorded);
      ASSERT_TRUE(schema.has_value());
      const LintReport report = lint(text_of(step.find("lint")), *schema);
      const json::Value& expected = *step.find("expect");
      if (is_error_here(recorded.name)) {
        EXPECT_TRUE(report.has_errors);
        continue;
      }
      EXPECT_EQ(!report.has_errors, truth_of(expected.find("ok")));
      const auto& queries = expected.find("queries")->items();
      ASSERT_EQ(report.queries.size(), queries.size());
      for (size_t i = 0; i < queries.size(); ++i) {
        EXPECT_EQ(report.queries[i].name, text_of(queries[i].find("name")));
        const bool good = text_of(queries[i].find("status")) == "ok";
        ASSERT_EQ(report.queries[i].outcome.query.has_value(), good);
        if (good) {
          expect_descriptor(*report.queries[i].outcome.query, *queries[i].find("operation"));
        }
      }
      EXPECT_EQ(report.findings.size(), expected.find("findings")->items().size());
    }
  }
}

TEST(CookbookQueries, ParseAndTypeCheck) {
  const std::string folder = schema::testing::test_data("cookbooks");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/cookbooks is absent";
  }
  size_t count = 0;
  for (const auto& schema_path : schema::testing::files_in(folder, ".pg")) {
    const auto schema = schema::check(schema::testing::read_whole(schema_path)).schema;
    ASSERT_TRUE(schema.has_value());
    for (const auto& path : schema::testing::files_in(schema_path.parent_path().string(), ".gq")) {
      const LintReport report = lint(schema::testing::read_whole(path), *schema);
      for (const Finding& finding : report.findings) {
        EXPECT_NE(finding.severity, "error") << path << finding.message;
      }
      for (const LintedQuery& query : report.queries) {
        ++count;
        EXPECT_TRUE(query.outcome.query.has_value())
            << path << " " << query.name << ": " << schema::to_string(query.outcome.problems[0]);
      }
    }
  }
  EXPECT_GT(count, 50U);
}

}  // namespace
}  // namespace weft::gq

// Every schema that the origin was given: taken and refused as it does, but where we do better.
#include <map>

#include <gtest/gtest.h>

#include "weft/schema/schema.h"
#include "weft/schema/testing/golden_cases.h"

namespace weft::schema {
namespace {

using schema::testing::fixture_schema;
using schema::testing::GoldenCase;
using schema::testing::text_of;
using schema::testing::truth_of;

// Suspect cases that the origin takes and we refuse, with what we say instead.
const std::map<std::string, std::string>& refused_here() {
  static const std::map<std::string, std::string> cases = {
      {"02-schema-refuse/property-from-on-edge",
       "reserved: in a mutation `from` is the end of the edge"},
      {"02-schema-refuse/key-repeated-member", "names a twice"},
      {"02-schema-refuse/range-inverted", "has its bounds the wrong way round"},
      {"02-schema-refuse/check-bad-regex", "is no pattern"},
  };
  return cases;
}

class GoldenSchemas : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::test_data("omnigraph-golden");
    if (folder_.empty()) {
      GTEST_SKIP() << "WEFT_TESTDATA/omnigraph-golden is absent";
    }
  }
  std::string folder_;
};

std::string report_of(const Checked& checked) {
  std::string report;
  for (const Problem& problem : checked.problems) {
    report += to_string(problem) + "\n";
  }
  return report;
}

void expect_canonical(const Checked& checked) {
  if (checked.schema.has_value()) {
    const std::string canonical = canonical_text(*checked.schema);
    const Checked again = check(canonical);
    ASSERT_TRUE(again.schema.has_value()) << report_of(again) << canonical;
    EXPECT_EQ(canonical_text(*again.schema), canonical);
  }
}

void expect_as_recorded(const GoldenCase& recorded, const json::Value& outcome,
                        const std::string& text) {
  SCOPED_TRACE(recorded.name + ": " + text);
  const Checked checked = check(text);
  expect_canonical(checked);
  const bool taken = truth_of(outcome.find("ok"));
  const std::string report = report_of(checked);
  if (taken && refused_here().contains(recorded.name)) {
    EXPECT_TRUE(truth_of(recorded.value.find("suspect")));
    EXPECT_FALSE(checked.schema.has_value());
    return;
  }
  const std::string& kind = text_of(outcome.find("class"));
  if (!taken && kind != "parse" && kind != "schema" && kind != "init_indeterminate") {
    return;  // about the graph, not the schema
  }
  EXPECT_EQ(checked.schema.has_value(), taken) << report;
  if (taken) {
    return;
  }
  if (kind == "parse") {
    EXPECT_NE(report.find(": parse: "), std::string::npos) << report;
  }
  for (const json::Value& fact : outcome.find("facts")->items()) {
    EXPECT_NE(report.find(text_of(&fact)), std::string::npos) << text_of(&fact) << "\n" << report;
  }
}

TEST_F(GoldenSchemas, AreTakenAndRefusedAsTheOriginDoes) {
  size_t count = 0;
  for (const GoldenCase& recorded : testing::golden_cases(folder_)) {
    ASSERT_FALSE(recorded.name.starts_with("unreadable")) << recorded.name;
    if (const json::Value* const schema = recorded.value.find("schema");
        schema != nullptr && recorded.value.find("init") != nullptr) {
      expect_as_recorded(recorded, *recorded.value.find("init"), text_of(schema));
      ++count;
    }
    for (const json::Value& step : recorded.value.find("steps")->items()) {
      if (step.find("init") != nullptr && step.find("expect") != nullptr) {
        expect_as_recorded(recorded, *step.find("expect"), text_of(step.find("init")));
        ++count;
      }
    }
  }
  EXPECT_GT(count, 150U);
}

TEST_F(GoldenSchemas, OfTheFixturesCompile) {
  const auto fixtures = json::parse(testing::read_whole(folder_ + "/cases/fixtures.json"));
  ASSERT_TRUE(fixtures.ok());
  for (const json::Member& fixture : fixtures->members()) {
    const Checked checked = check(fixture_schema(*fixtures, fixture.name));
    EXPECT_TRUE(checked.schema.has_value()) << fixture.name << report_of(checked);
    expect_canonical(checked);
  }
}

TEST(CookbookSchemas, Compile) {
  const std::string folder = testing::test_data("cookbooks");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/cookbooks is absent";
  }
  const auto files = testing::files_in(folder, ".pg");
  EXPECT_EQ(files.size(), 2U);
  for (const auto& path : files) {
    const Checked checked = check(testing::read_whole(path));
    EXPECT_TRUE(checked.schema.has_value()) << path << report_of(checked);
    expect_canonical(checked);
  }
}

}  // namespace
}  // namespace weft::schema

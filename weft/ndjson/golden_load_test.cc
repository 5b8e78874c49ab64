// Every load that the origin was given: what the lines alone tell is taken and refused as it does,
// but where we do better.
#include <set>

#include <gtest/gtest.h>

#include "weft/ndjson/load_reader.h"
#include "weft/schema/testing/golden_cases.h"

namespace weft::ndjson {
namespace {

using schema::testing::GoldenCase;
using schema::testing::text_of;
using schema::testing::truth_of;

// Suspect cases: an upper bound that the origin reads as a lower one, and two zeros.
bool differs_here(const std::string& name) {
  return name == "03-constraints/range-open-and-negative" ||
         name == "03-constraints/range-twice-same-property" ||
         name == "03-constraints/unique-float-zero-and-string-forms";
}

// Classes that the lines alone tell.
bool is_told_by_lines(const std::string& kind) {
  static const std::set<std::string> kinds = {
      "input", "unknown_type", "unknown_property", "reserved_name",   "value",
      "range", "enum",         "required",         "noncanonical_id", "check"};
  return kinds.contains(kind);
}

std::string lines_of(const json::Value& step) {
  std::string text;
  if (const json::Value* const lines = step.find("load"); lines != nullptr) {
    for (const json::Value& line : lines->items()) {
      text += text_of(&line) + "\n";
    }
    return text;
  }
  if (const json::Value* const generated = step.find("load_gen"); generated != nullptr) {
    const std::string line = text_of(generated->find("line"));
    const uint64_t count = generated->find("count")->as_uint64().value_or(0);
    for (uint64_t i = 0; i < count; ++i) {
      std::string copy = line;
      for (size_t at = copy.find('#'); at != std::string::npos; at = copy.find('#')) {
        copy.replace(at, 1, std::to_string(i));
      }
      text += copy + "\n";
    }
    return text;
  }
  return text_of(step.find("load_text"));
}

void expect_as_recorded(const schema::Schema& schema, const json::Value& outcome,
                        const std::string& lines, bool ours) {
  base::Random random(1);
  LoadReader reader(schema, {}, random);
  std::string report;
  std::set<std::string> codes;
  const Status fed = reader.feed(lines, {});
  ASSERT_TRUE(fed.ok()) << fed.error().to_string();
  const Status status = reader.finish({});
  EXPECT_EQ(status.ok(), reader.violations().empty());
  for (const Violation& violation : reader.violations().first()) {
    report += to_string(violation) + "\n";
    codes.insert(violation.code);
  }
  if (truth_of(outcome.find("ok"))) {
    EXPECT_TRUE(status.ok()) << report;
    return;
  }
  const std::string kind = text_of(outcome.find("class"));
  if (kind == "dangling_endpoint") {
    // A load of nodes is refused for edges that stay.
    EXPECT_TRUE(!reader.open_endpoints().empty() || reader.edge_counts().empty());
    return;
  }
  if (!is_told_by_lines(kind)) {
    return;  // the graph decides
  }
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(codes.contains(kind)) << kind << "\n" << report;
  if (ours) {
    return;
  }
  for (const json::Value& fact : outcome.find("facts")->items()) {
    EXPECT_NE(report.find(text_of(&fact)), std::string::npos) << text_of(&fact) << "\n" << report;
  }
}

TEST(GoldenLoads, AreTakenAndRefusedAsTheOriginDoes) {
  const std::string folder = schema::testing::test_data("omnigraph-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/omnigraph-golden is absent";
  }
  const auto fixtures = json::parse(schema::testing::read_whole(folder + "/cases/fixtures.json"));
  ASSERT_TRUE(fixtures.ok());
  size_t count = 0;
  for (const GoldenCase& recorded : schema::testing::golden_cases(folder)) {
    const json::Value* const own = recorded.value.find("schema");
    const auto schema =
        schema::check(own != nullptr ? text_of(own)
                                     : schema::testing::fixture_schema(
                                           *fixtures, text_of(recorded.value.find("graph"))))
            .schema;
    for (const json::Value& step : recorded.value.find("steps")->items()) {
      const bool loads = step.find("load") != nullptr || step.find("load_gen") != nullptr ||
                         step.find("load_text") != nullptr;
      if (!loads || step.find("expect") == nullptr || !schema.has_value() ||
          differs_here(recorded.name) || step.find("store") != nullptr) {
        continue;
      }
      const std::string lines = lines_of(step);
      SCOPED_TRACE(recorded.name + ": " + lines.substr(0, 500));
      expect_as_recorded(*schema, *step.find("expect"), lines,
                         recorded.value.find("ours") != nullptr);
      ++count;
    }
  }
  EXPECT_GT(count, 300U);
}

TEST(CookbookLoads, HaveNoViolationsAndNoOpenEnds) {
  const std::string folder = schema::testing::test_data("cookbooks");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/cookbooks is absent";
  }
  for (const auto& path : schema::testing::files_in(folder, ".pg")) {
    const auto schema = schema::check(schema::testing::read_whole(path)).schema;
    ASSERT_TRUE(schema.has_value());
    base::Random random(1);
    LoadReader reader(*schema, {}, random);
    const std::string lines = schema::testing::read_whole(path.parent_path() / "seed.jsonl");
    ASSERT_TRUE(reader.feed(lines, {}).ok());
    const Status status = reader.finish({});
    EXPECT_TRUE(status.ok()) << path << status.error().to_string();
    EXPECT_TRUE(reader.open_endpoints().empty());
    EXPECT_FALSE(reader.take_batches().empty());
  }
}

}  // namespace
}  // namespace weft::ndjson

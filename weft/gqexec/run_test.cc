// Runs of read queries: what the recorded cases do not show.
#include "weft/gqexec/run.h"

#include <algorithm>
#include <stop_token>

#include <gtest/gtest.h>

#include "weft/gqexec/testing/graph_in_memory.h"

namespace weft::gqexec {
namespace {

using testing::answer_line;
using testing::ask;
using testing::make_graph;
using testing::rows_of;

constexpr const char* kSchema = R"(
node P { k: String @key  n: I32?  u: U64?  f: F32?  tags: [String]? }
node Q { n: I64  name: String? }
edge To: P -> P { w: I32? }
edge Has: P -> Q
)";

class Runs : public ::testing::Test {
 protected:
  // `people` nodes p0…; an edge from i to j wherever `joined(i, j)` says how many.
  template <typename Joined>
  void fill(size_t people, const Joined& joined) {
    std::string lines;
    for (size_t i = 0; i < people; ++i) {
      lines += R"({"type":"P","data":{"k":"p)" + std::to_string(i) + R"(","n":)" +
               std::to_string(i % 7) + "}}\n";
    }
    for (size_t i = 0; i < people; ++i) {
      for (size_t j = 0; j < people; ++j) {
        for (size_t copy = 0; copy < joined(i, j); ++copy) {
          lines += R"({"edge":"To","from":"p)" + std::to_string(i) + R"(","to":"p)" +
                   std::to_string(j) + R"(","data":{"w":)" + std::to_string(copy) + "}}\n";
        }
      }
    }
    load(lines);
  }
  void load(const std::string& lines) {
    const auto schema = schema::compile(kSchema);
    ASSERT_TRUE(schema.ok());
    tables_ = make_graph(*schema, lines);
    ASSERT_NE(tables_, nullptr);
    graph_ = std::make_unique<GraphData>(*tables_, budget_);
  }
  std::string line(const std::string& body, const std::string& declared = "",
                   const std::string& parameters = "") {
    return answer_line(*graph_, body, declared, parameters);
  }

  base::MemoryBudget budget_{"--memory", uint64_t{64} << 20U};
  std::unique_ptr<MemoryTables> tables_;
  std::unique_ptr<GraphData> graph_;
};

size_t sparse(size_t i, size_t j) {
  return (i * 31 + j * 17) % 11 == 0 ? 1 + (i + j) % 2 : 0;
}

TEST_F(Runs, CountsOfPathsAreThoseOfTheRowsThemselves) {
  fill(40, sparse);
  const std::string match = "match { $a: P $a to $b $b to $c $c to $d }";
  const auto rows = ask(*graph_, "query q() { " + match + " return { $a.k, $b.k, $c.k, $d.k } }");
  ASSERT_TRUE(rows.ok());
  EXPECT_GT(rows->answer.row_count, 1000U);
  EXPECT_EQ(line(match + " return { count($d) as n }"),
            "[" + std::to_string(rows->answer.row_count) + "]");
  EXPECT_EQ(line(match + " return { count($a) as n }"),
            "[" + std::to_string(rows->answer.row_count) + "]");
}

TEST_F(Runs, GroupsOfCollapsedRowsHaveTheirCounts) {
  fill(40, sparse);
  std::map<std::string, uint64_t> expected;
  const auto rows =
      ask(*graph_, "query q() { match { $a: P $a to $b $b to $c } return { $c.n, $a.k, $b.k } }");
  ASSERT_TRUE(rows.ok());
  for (const std::string& row : rows_of(rows->answer)) {
    ++expected[row.substr(0, row.find(','))];
  }
  std::string text;
  for (const auto& [key, count] : expected) {
    text += (text.empty() ? "" : " ") + key + "," + std::to_string(count) + "]";
  }
  EXPECT_EQ(line("match { $a: P $a to $b $b to $c } return { $c.n, count($a) as n }"), text);
}

TEST_F(Runs, EdgesWithAVariableAreCountedOneByOne) {
  fill(20, sparse);
  const auto rows =
      ask(*graph_, "query q() { match { $a: P $a $w:to $b } return { $a.k, $b.k, $w.w } }");
  ASSERT_TRUE(rows.ok());
  const std::string all = "[" + std::to_string(rows->answer.row_count) + "]";
  EXPECT_EQ(line("match { $a: P $a $w:to $b } return { count($b) as n }"), all);
  EXPECT_NE(line("match { $a: P $a to $b } return { count($b) as n }"), all);
}

TEST_F(Runs, JoinsByEqualityOfPropertiesOfAllTypes) {
  load(R"({"type":"P","data":{"k":"a","n":1,"u":18446744073709551615,"f":0.5}}
{"type":"P","data":{"k":"b","n":2}}
{"type":"Q","data":{"n":1,"name":"a"}}
{"type":"Q","data":{"n":2,"name":"x"}}
{"type":"Q","data":{"n":2}}
)");
  EXPECT_EQ(line("match { $p: P $q: Q $p.n = $q.n } return { $p.k, $q.n, $q.name } order { $p.k, "
                 "$q.name }"),
            R"(["a",1,"a"] ["b",2,null] ["b",2,"x"])");
  EXPECT_EQ(line("match { $p: P $q: Q $q.name = $p.k } return { $p.k }"), R"(["a"])");
  EXPECT_EQ(line("match { $p: P $q: Q $q.n = $p.f } return { $p.k }"), "");
  EXPECT_EQ(line("match { $p: P $q: P $q.u = $p.u } return { $p.k, $q.k }"), R"(["a","a"])");
}

TEST_F(Runs, LimitWithoutOrderStopsEarly) {
  fill(100, [](size_t, size_t) { return size_t{1}; });
  EXPECT_EQ(rows_of(ask(*graph_,
                        "query q() { match { $a: P $a to $b $b to $c $c to $d } return { "
                        "$d.k } limit 3 }")
                        ->answer)
                .size(),
            3U);
}

TEST_F(Runs, ALimitKeepsTheFirstRowsOfAnyNumber) {
  fill(300, [](size_t, size_t) { return size_t{1}; });
  // 90,000 rows, of which two are kept.
  EXPECT_EQ(line("match { $a: P $b: P } return { $a.k, $b.k } order { $a.k desc, $b.k } limit 2"),
            R"(["p99","p0"] ["p99","p1"])");
}

TEST_F(Runs, SumsOfIntegersAreExact) {
  load(R"({"type":"P","data":{"k":"a","u":18446744073709551615}}
{"type":"P","data":{"k":"b","u":18446744073709551615}}
{"type":"P","data":{"k":"c"}}
)");
  EXPECT_EQ(line("match { $p: P } return { sum($p.u) as s, avg($p.u) as a, count($p.u) as n }"),
            "[36893488147419103230,1.8446744073709552e+19,2]");
  EXPECT_EQ(line("match { $p: P $q: P } return { sum($p.u) as s }"), "[110680464442257309690]");
}

TEST_F(Runs, TheMemoryOfOrderedRowsIsBounded) {
  fill(300, [](size_t, size_t) { return size_t{0}; });
  base::MemoryBudget small("--memory", uint64_t{512} << 10U);
  GraphData graph(*tables_, small);
  const auto refused =
      ask(graph, "query q() { match { $a: P $b: P } return { $a.k } order { $a.k } }");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kLimit) << refused.error().to_string();
  // A limit needs its rows only; and nothing is left reserved by what failed.
  EXPECT_EQ(answer_line(graph, "match { $a: P } return { $a.k } order { $a.k } limit 1"),
            R"(["p0"])");
}

TEST_F(Runs, AreCancelled) {
  fill(50, sparse);
  std::stop_source stop;
  stop.request_stop();
  const auto cancelled =
      ask(*graph_, "query q() { match { $a: P } return { $a.k } }", "", "", stop.get_token());
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().kind(), ErrorKind::kCancelled);
}

TEST_F(Runs, AMissingParameterInAMatchIsAnErrorAndNeverDropsTheCondition) {
  fill(3, sparse);
  const auto refused =
      ask(*graph_, "query q($n: String) { match { $p: P { k: $n } } return { $p.k } }");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(refused.error().fact("parameter"), "n");
}

TEST_F(Runs, BothBindingsOfAVariableHold) {
  fill(14, sparse);
  EXPECT_EQ(line(R"(match { $p: P { n: 3 } $p: P { k: "p10" } } return { $p.k })"), R"(["p10"])");
}

TEST_F(Runs, ATraversalBindsBothEndsIfNeitherIs) {
  load(R"({"type":"P","data":{"k":"a"}}
{"type":"P","data":{"k":"b"}}
{"edge":"To","from":"a","to":"b"}
)");
  EXPECT_EQ(line("match { $x to $y } return { $x.k, $y.k }"), R"(["a","b"])");
}

TEST_F(Runs, SearchFunctionsAreRefusedByName) {
  fill(3, sparse);
  const auto refused =
      ask(*graph_, "query q() { match { $p: P search($p.k, \"x\") } return { $p.k } }");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(refused.error().fact("function"), "search");
}

TEST_F(Runs, ExplainTellsStepsGuessesAndRows) {
  fill(20, sparse);
  const std::string text =
      "query q() { match { $a: P { k: \"p1\" } $a to $b not { $b to $a } } return { $b.k } }";
  auto queries = gq::parse_file(text);
  ASSERT_TRUE(queries.ok());
  const auto checked = gq::check_query(std::move(queries->front()), graph_->schema());
  ASSERT_TRUE(checked.ok());
  const auto plan = make_plan(*checked, *graph_, {}, testing::kNow);
  ASSERT_TRUE(plan.ok());
  const auto answer = run_to_answer(*plan, *graph_, {});
  ASSERT_TRUE(answer.ok());
  const std::string explained = explain(*plan, &answer->statistics);
  EXPECT_TRUE(
      explained.starts_with("scan $a: P where $a.k = \"p1\" (by key)  (about 1 rows, really 1)\n"))
      << explained;
  EXPECT_NE(explained.find("expand $a -To-> $b: P"), std::string::npos) << explained;
  EXPECT_NE(explained.find("\n  check $b -To-> $a: P"), std::string::npos) << explained;
}

TEST_F(Runs, NodesAreFoundByKeyOnceIdsAreIndexed) {
  fill(200, sparse);
  const std::string body = R"(match { $a: P { k: "p7" } $a to $b } return { count($b) as n })";
  const std::string before = line(body);
  const auto node = graph_->node("P");
  ASSERT_TRUE(node.ok());
  EXPECT_NE((*node)->built_key_index(), nullptr);
  EXPECT_EQ(line(body), before);
  EXPECT_EQ(line(R"(match { $a: P { k: "nobody" } } return { $a.k })"), "");
  EXPECT_EQ(line("match { $a: P { k: $k } } return { $a.k }", "$k: String?", ""), "");
}

}  // namespace
}  // namespace weft::gqexec

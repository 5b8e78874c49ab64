#include <gmock/gmock.h>

#include "weft/gq/check.h"
#include "weft/gq/lint.h"
#include "weft/gq/parser.h"
#include "weft/schema/scanner.h"

namespace weft::gq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const schema::Schema& social() {
  static const schema::Schema schema = *schema::compile(
      "node Person { name: String @key age: I32? born: Date? tags: [String]? kind: enum(a, b)?\n"
      "  score: F64? active: Bool? vec: Vector(3)? photo: Blob? }\n"
      "node Company { name: String @key size: U32? }\n"
      "edge Knows: Person -> Person { since: I32? note: String? }\n"
      "edge WorksAt: Person -> Company { role: String }");
  return schema;
}

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> lines;
  Parsed parsed = parse(text);
  std::vector<schema::Problem> problems = parsed.problems;
  for (Query& query : parsed.queries) {
    const CheckOutcome outcome = check_types(std::move(query), social());
    problems.insert(problems.end(), outcome.problems.begin(), outcome.problems.end());
  }
  for (const schema::Problem& problem : problems) {
    lines.push_back(schema::to_string(problem));
  }
  return lines;
}

CheckedQuery good(const std::string& text) {
  auto query = select_query(parse(text).queries, "");
  EXPECT_TRUE(query.ok()) << text;
  CheckOutcome outcome = check_types(*std::move(query), social());
  EXPECT_TRUE(outcome.query.has_value()) << schema::to_string(outcome.problems[0]) << "\n" << text;
  return std::move(outcome.query).value_or(CheckedQuery());
}

const Traversal& traversal_of(const CheckedQuery& query, size_t clause) {
  return std::get<Traversal>(std::get<Read>(query.query.body).clauses[clause].value);
}

TEST(QueryText, DirectionsFollowFromWhatIsBound) {
  const CheckedQuery query = good(
      "query q() { match { $c: Company $p worksat $c $p knows{1,3} $f $f <knows> $g\n"
      "  $g $w:worksAt $d $x knows $y } return { $d.name, $w.role } }");
  EXPECT_EQ(traversal_of(query, 1).direction, Direction::kOut);
  EXPECT_EQ(traversal_of(query, 1).edge_type, "WorksAt");
  EXPECT_TRUE(traversal_of(query, 1).binds_left);
  EXPECT_FALSE(traversal_of(query, 1).binds_right);
  EXPECT_EQ(traversal_of(query, 2).hops_max, 3U);
  EXPECT_EQ(traversal_of(query, 3).direction, Direction::kBoth);
  EXPECT_EQ(traversal_of(query, 4).edge_variable.text, "w");
  EXPECT_TRUE(traversal_of(query, 5).binds_left && traversal_of(query, 5).binds_right);
  EXPECT_EQ(traversal_of(query, 5).left_type, "Person");
  const CheckedQuery reverse =
      good("query q() { match { $c: Company $c worksAt $p } return { $p.name } }");
  EXPECT_EQ(traversal_of(reverse, 1).direction, Direction::kIn);
  EXPECT_EQ(traversal_of(reverse, 1).right_type, "Person");
}

TEST(QueryText, ColumnsHaveNamesAndTypes) {
  const CheckedQuery query = good(
      "query q($x: I32?) { match { $p: Person } return { $p.name, $p.age as years, $p,\n"
      "  years as again, $x, date(\"2020-01-02\") as d, [1, 2.5] as l } order { years desc } "
      "limit 3 }");
  std::vector<std::string> shown;
  for (const Column& column : query.columns) {
    shown.push_back(column.name + ":" +
                    (column.type.kind == ColumnType::Kind::kNode ? column.type.node_type
                                                                 : column.type.type.to_string()));
  }
  EXPECT_THAT(shown, ElementsAre("p.name:String", "years:I32?", "p:Person", "again:I32?", "x:I32?",
                                 "d:Date", "l:[F64]"));
  const auto& read = std::get<Read>(query.query.body);
  EXPECT_EQ(read.projections[3].expression.column, 1U);
  EXPECT_EQ(read.limit, 3U);
  EXPECT_EQ(std::get<DateLiteral>(read.projections[5].expression.literal.value).days, 18263);
}

TEST(QueryText, OneRunReportsErrorsOfSeveralQueries) {
  EXPECT_THAT(problems_of("query a( { }\n"
                          "query b() { match { $p: Persn $q.x = 1 } return { $p.name, $z } }\n"
                          "query c() { insert Person { age: \"x\" nick: 1 } }"),
              ElementsAre(HasSubstr("1:10: parse: expected a $variable"),
                          HasSubstr("2:25: T1: there is no node type Persn"),
                          HasSubstr("2:31: T6: $q is not bound"),
                          HasSubstr("2:60: type: $z is neither bound nor a parameter"),
                          HasSubstr("3:20: T12: Person needs a value for name"),
                          HasSubstr("3:34: T3: age is I32, the literal is String"),
                          HasSubstr("3:38: T11: Person has no property nick")));
}

TEST(QueryText, AMatchNeverDropsItsCondition) {
  EXPECT_THAT(problems_of("query q() { match { $p: Person { name: $n } } return { $p } }"),
              ElementsAre(HasSubstr("T14: $n is no parameter")));
  EXPECT_THAT(problems_of("query q() { match { $p: Person { born: now() } } return { $p } }"),
              ElementsAre(HasSubstr("T7: now() is a DateTime")));
  const CheckedQuery twice = good(
      "query q($a: I32) { match { $p: Person { age: $a } $p: Person { name: \"x\" } } return { $p "
      "} }");
  EXPECT_EQ(std::get<Binding>(std::get<Read>(twice.query.body).clauses[1].value).matches.size(),
            1U);
}

TEST(QueryText, NegationNeedsAVariableFromOutside) {
  good(
      "query q() { match { $p: Person not { $p knows $f not { $f worksAt $c } } } return { $p } }");
  EXPECT_THAT(problems_of("query q() { match { $p: Person not { $c: Company } } return { $p } }"),
              ElementsAre(HasSubstr("T9: not { … }")));
  // The inner one names the outermost variable only: enough for both.
  good(
      "query q() { match { $p: Person not { $c: Company not { $p worksAt $c } } } return { $p } }");
  EXPECT_THAT(
      problems_of("query q() { match { $p: Person not { $p worksAt $c } } return { $c.name } }"),
      ElementsAre(HasSubstr("T6: $c is not bound")));
}

TEST(MutationText, IsConstructiveOrDestructive) {
  good(
      "query q() { insert Person { name: \"x\" } update Person set { age: 1 } where name = \"x\" "
      "}");
  good("query q() { delete Person where age > 3 delete Knows where from = \"x\" }");
  EXPECT_THAT(
      problems_of("query q() { insert Person { name: \"x\" } delete Knows where since = 1 }"),
      ElementsAre(HasSubstr("mixed_mutation: mutation q mixes")));
}

TEST(MutationText, ValuesFitTheirProperties) {
  const auto assign = [](const std::string& value) {
    return problems_of(
        "query q($s: String, $i: I64, $l: [String], $v: Vector(3), $w: Vector(2)) {\n"
        "insert Person { name: \"x\" " +
        value + " } }");
  };
  for (const char* value : {"age: 2147483647", "score: 1", "age: $i", "score: $i", "tags: []",
                            "tags: $l", "tags: [\"a\"]", "vec: $v", "vec: [1, 2.5, 3]",
                            "kind: \"a\"", "kind: $s", "born: date(\"2020-02-29\")"}) {
    EXPECT_THAT(assign(value), ElementsAre()) << value;
  }
  for (const char* value :
       {"age: 2147483648", "age: 1.5", "age: $s", "tags: \"a\"", "tags: [1]", "tags: [[\"a\"]]",
        "vec: [1, 2]", "vec: $w", "kind: \"c\"", "born: date(\"2021-02-29\")",
        "born: \"2020-01-01\"", "active: 1", "age: $zz", "age: now()"}) {
    EXPECT_EQ(assign(value).size(), 1U) << value;
  }
}

TEST(QuerySelection, TakesTheNamedOrTheOnlyOne) {
  const std::string text =
      "query a() { delete Person where age = 1 } query b() { delete Person where age = 1 }";
  EXPECT_EQ(select_query(parse(text).queries, "b")->name.text, "b");
  EXPECT_EQ(select_query(parse(text).queries, "").error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(select_query(parse(text).queries, "c").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(select_query({}, "").error().kind(), ErrorKind::kInvalid);
}

std::string repeated(const std::string& text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

TEST(QueryLimits, NestingAtTheLimitAndBeyond) {
  const auto nested = [](size_t levels) {
    return "query q() { match { $p: Person " + repeated("not { ", levels) + "$p.age = 1" +
           repeated(" }", levels) + " } return { $p } }";
  };
  // match and the expression in it are levels too.
  EXPECT_THAT(problems_of(nested(kNestingMax - 3)), ElementsAre());
  EXPECT_THAT(problems_of(nested(kNestingMax)), ElementsAre(HasSubstr("at most 32 levels")));
  EXPECT_FALSE(
      problems_of("query q() { match { $p: Person $p.age = " + repeated("[", 100'000)).empty());
  EXPECT_FALSE(problems_of("query q() { match { $p: Person } return { " + repeated("sum(", 100'000))
                   .empty());
}

TEST(QueryLimits, ItemsAndTextSizeAtTheLimitAndBeyond) {
  const auto query = [](size_t columns) {
    std::string list;
    for (size_t i = 0; i < columns; ++i) {
      list += "1 as c" + std::to_string(i) + " ";
    }
    return "query q() { match { $p: Person } return { " + list + "} }";
  };
  EXPECT_THAT(problems_of(query(kItemsMax)), ElementsAre());
  EXPECT_THAT(problems_of(query(kItemsMax + 1)), ElementsAre(HasSubstr("at most 4096 of a kind")));
  const std::string blanks(schema::kTextBytesMax, ' ');
  EXPECT_TRUE(parse_file(blanks).ok());
  EXPECT_EQ(parse_file(blanks + " ").error().kind(), ErrorKind::kLimit);
}

TEST(Lint, SaysWhatNoUpdateSets) {
  const LintReport report = lint(
      "query u() { update Company set { size: 1 } where name = \"x\" }\n"
      "query v() { update Person set { age: 1 tags: [] } where name = \"x\" }\n"
      "query u() { delete Company where size = 1 }",
      social());
  EXPECT_TRUE(report.has_errors);
  EXPECT_EQ(report.queries[2].outcome.problems[0].message, "a query of this name stands before");
  EXPECT_THAT(report.queries[0].warnings, ElementsAre("mutation without parameters"));
  std::vector<std::string> properties;
  for (const Finding& finding : report.findings) {
    properties.push_back(finding.property);
  }
  EXPECT_THAT(properties, ElementsAre("born", "kind", "score", "active", "vec", "photo"));
}

}  // namespace
}  // namespace weft::gq

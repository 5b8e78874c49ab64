#include "weft/schema/schema.h"

#include <gmock/gmock.h>

#include "weft/schema/pattern.h"
#include "weft/schema/scanner.h"

namespace weft::schema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> problems_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const Problem& problem : check(text).problems) {
    lines.push_back(to_string(problem));
  }
  return lines;
}

Schema good(std::string_view text) {
  Checked checked = check(text);
  EXPECT_TRUE(checked.problems.empty()) << to_string(checked.problems[0]) << "\n" << text;
  return checked.schema.value_or(Schema());
}

TEST(SchemaText, AllTypesAreRead) {
  const Schema schema = good(
      "node A { k: String @key b: Bool i: I32? l: [U64]? v: Vector(3) e: enum(y-1, 2_z, x)?\n"
      "  d: Date t: DateTime f: F32 g: F64 u: U32 n: I64 blob: Blob? }");
  const NodeType* const node = schema.find_node("A");
  ASSERT_NE(node, nullptr);
  EXPECT_THAT(node->key, ElementsAre("k"));
  EXPECT_EQ(node->find("l")->type.to_string(), "[U64]?");
  EXPECT_EQ(node->find("v")->type.to_string(), "Vector(3)");
  EXPECT_EQ(node->find("e")->type.to_string(), "enum(2_z, x, y-1)?");
  EXPECT_TRUE(node->find("e")->type.has_enum_value("y-1"));
  EXPECT_FALSE(node->find("e")->type.has_enum_value("y"));
  EXPECT_EQ(node->find("t")->type.scalar, Scalar::kDateTime);
  EXPECT_EQ(node->find("zz"), nullptr);
}

TEST(SchemaText, InterfacesAreExpandedWithTheirConstraints) {
  const Schema schema = good(
      "node A implements X, Y { a: String? n: I32 }\n"
      "interface X { k: String @key a: String? }\n"
      "interface Y { k: String @key @unique z: I32? @index @description(\"the last\") }");
  const NodeType& node = schema.nodes()[0];
  EXPECT_THAT(node.key, ElementsAre("k"));
  EXPECT_THAT(node.uniques, ElementsAre(ElementsAre("k")));
  EXPECT_THAT(node.indices, ElementsAre("z"));
  EXPECT_THAT(node.find("k")->interfaces, ElementsAre("X", "Y"));
  EXPECT_THAT(node.find("a")->interfaces, ElementsAre("X"));
  EXPECT_THAT(node.find("n")->interfaces, ElementsAre());
}

TEST(SchemaText, EdgesHaveEndsCardinalityAndUniqueEndpoints) {
  const Schema schema = good(
      "node A { k: String @key } edge Knows: A -> A @card(1..3) { @unique(src, dst) n: I32? }");
  const EdgeType* const edge = schema.find_edge_ignoring_case("kNOWS");
  ASSERT_NE(edge, nullptr);
  EXPECT_EQ(edge->from, "A");
  EXPECT_EQ(edge->cardinality.min, 1U);
  EXPECT_EQ(edge->cardinality.max, 3U);
  EXPECT_THAT(edge->uniques, ElementsAre(ElementsAre("src", "dst")));
  EXPECT_EQ(schema.find_edge("knows"), nullptr);
}

TEST(SchemaText, SeveralMistakesAreReportedInOneRunWithTheirPlaces) {
  EXPECT_THAT(problems_of("node A { k: String @key n: Int m: Bol }\n"
                          "node B { x: Strin\n"
                          "edge E: A -> Nope\n"
                          "edge E: A -> A @card(2..1)"),
              ElementsAre(HasSubstr("1:28: parse: expected a type"),
                          HasSubstr("1:35: parse: expected a type"),
                          HasSubstr("2:13: parse: expected a type"),
                          HasSubstr("3:14: schema: edge E ends at Nope"),
                          HasSubstr("4:6: schema: edge E is declared twice, first at 3:6"),
                          HasSubstr("4:22: schema: edge E: @card(2..1)")));
}

TEST(SchemaText, WhatComesAfterABrokenPropertyIsStillChecked) {
  EXPECT_THAT(problems_of("node A { k String @key n: I32 @range(n, 5..1) @check(n, \"x\") }"),
              ElementsAre(HasSubstr("1:12: parse: expected ':', found 'String' (in the property "
                                    "that begins at 1:10)"),
                          HasSubstr("1:41: schema: @range(n, 5..1) of A.n has its bounds"),
                          HasSubstr("1:48: schema: @check on A.n: a pattern is for String")));
}

TEST(SchemaText, ContradictionsAreRefused) {
  const auto refused = [](std::string_view text, std::string_view expected) {
    EXPECT_THAT(problems_of(text), testing::Contains(HasSubstr(expected))) << text;
  };
  refused("node A { n: I32 @range(n, 5..) @range(n, ..4) }", "no value is in both");
  refused("node A { k: String @check(k, \"(\") }", "is no pattern");
  refused("node A { k: String @key(k, k) }", "names k twice");
  refused("node A { k: String? @key }", "key member A.k is String?");
  refused("node A { id: String }", "property name id is reserved");
  refused("node A { k: String @key }\nedge E: A -> A { from: String? }", "name from is reserved");
  refused("node A { k: String @key }\nedge E: A -> A { _rowid: I64? }", "_rowid is reserved");
  refused("node A { k: String k: I32 }", "property k is declared twice");
  refused("interface X { a: String }\nnode A implements X, X { }", "implements X twice");
  refused("node A { b: [Blob] }", "no lists of Blob");
  refused("node A { v: Vector(2147483648) }", "not 2147483648");
  refused("node A { e: enum(x, y, x) }", "x is listed twice");
  refused("node A { n: I32 @range(n, 99999999999999999999..) }", "fits 64 bits");
  refused("interface X { a: String @instruction(\"x\") }", "@instruction belongs to");
  refused("node A { k: String \"", "a string that does not end");
  refused("node A { k: String @description(\"\\q\") }", "an unknown escape \\q");
  refused("node A { /* k: String }", "a comment that does not end");
  refused("node A { k: String } \xff", "no UTF-8");
}

TEST(SchemaText, SameMeaningHasTheSameCanonicalTextAndHash) {
  const Schema one = good(
      "// people\n"
      "edge E: B -> B @card(0..) { n: I32? note: String? @index }\n"
      "node B implements N { x: F64? @range(x, -1..2.50) y: I32 z: enum(b, a) @unique(y, x)\n"
      "  @check(s, \"^\\\\d+\\n$\") s: String? @rename_from(\"t\") }\n"
      "interface N { name: String @key @description(\"its \\\"name\\\"\") }");
  const Schema two = good(
      "interface N { name: String @description(\"its \\\"name\\\"\") @key }\n"
      "node B implements N { z: enum(a, b) y: I32 s: String? x: F64? @unique(y, x)\n"
      "  @range(x, -1..2.5) @check(s, \"^\\\\d+\\n$\") @key(name) }\n"
      "edge E: B -> B { note: String? n: I32? @index(note) }");
  EXPECT_EQ(canonical_text(one), canonical_text(two));
  EXPECT_EQ(shape_hash(one), shape_hash(two));
  EXPECT_EQ(canonical_text(good(canonical_text(one))), canonical_text(one));
  const Schema other = good("node B { name: String @key }");
  EXPECT_NE(shape_hash(one), shape_hash(other));
  EXPECT_EQ(shape_hash(one).size(), 64U);
}

TEST(SchemaText, ErrorsCarryOneFactPerProblem) {
  const auto schema = compile("node A { k: Strin }\nnode B { k: Strin }");
  ASSERT_FALSE(schema.ok());
  EXPECT_EQ(schema.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(schema.error().message(), "schema has 2 errors");
  ASSERT_EQ(schema.error().facts().size(), 2U);
  EXPECT_THAT(schema.error().facts()[1].value, HasSubstr("2:13: parse:"));
}

TEST(SchemaLimits, ProblemsStopAtTheirLimit) {
  std::string text;
  for (size_t i = 0; i <= Problems::kProblemsMax; ++i) {
    text += "node A" + std::to_string(i) + " { k: Strin }\n";
  }
  EXPECT_EQ(check(text).problems.size(), Problems::kProblemsMax);
}

TEST(SchemaLimits, PropertiesOfATypeAtTheLimitAndBeyond) {
  std::string text;
  for (size_t i = 0; i < kPropertiesMax; ++i) {
    text += "p" + std::to_string(i) + ": I32?\n";
  }
  EXPECT_TRUE(check("node A {" + text + "}").problems.empty());
  EXPECT_THAT(problems_of("node A {" + text + "q: I32? }"),
              ElementsAre(HasSubstr("more than 2000 properties")));
  EXPECT_THAT(problems_of("interface X { q: I32? } node A implements X {" + text + "}"),
              ElementsAre(HasSubstr("too many properties with those of X")));
}

TEST(SchemaLimits, SizesOfTextsNamesEnumsAndConstraints) {
  const std::string name(kNameBytesMax - 1, 'n');
  EXPECT_TRUE(check("node A" + name + " { }").problems.empty());
  EXPECT_THAT(problems_of("node Aa" + name + " { }"), ElementsAre(HasSubstr("a name has at most")));
  std::string values = "v";
  for (size_t i = 1; i < kEnumValuesMax; ++i) {
    values += ", v" + std::to_string(i);
  }
  EXPECT_TRUE(check("node A { e: enum(" + values + ") }").problems.empty());
  EXPECT_FALSE(check("node A { e: enum(" + values + ", w) }").problems.empty());
  const std::string blanks(kTextBytesMax, ' ');
  EXPECT_TRUE(compile(blanks).ok());
  EXPECT_EQ(compile(blanks + " ").error().kind(), ErrorKind::kLimit);
  std::string properties;
  std::string members;
  for (size_t i = 0; i <= kMembersMax; ++i) {
    properties += "p" + std::to_string(i) + ": I32 ";
    members += (i == 0 ? "p" : ", p") + std::to_string(i);
  }
  EXPECT_FALSE(check("node A { " + properties + "@key(" + members + ") }").problems.empty());
  members.resize(members.rfind(','));
  EXPECT_TRUE(check("node A { " + properties + "@key(" + members + ") }").problems.empty());
}

TEST(SchemaNumber, ComparesExactly) {
  const Number big = *Number::parse("9007199254740993", false);
  EXPECT_EQ(big.compare(int64_t{9007199254740992}), 1);
  EXPECT_EQ(big.compare(int64_t{9007199254740993}), 0);
  EXPECT_EQ(big.compare(9007199254740992.0), 1);
  EXPECT_EQ(Number::parse("18446744073709551615", false)->compare(UINT64_MAX), 0);
  EXPECT_FALSE(Number::parse("18446744073709551616", false).has_value());
  EXPECT_EQ(Number::parse("9223372036854775808", true)->as_int64(), INT64_MIN);
  EXPECT_FALSE(Number::parse("9223372036854775809", true).has_value());
  EXPECT_EQ(Number::parse("9223372036854775808", false)->as_int64(), std::nullopt);
  EXPECT_EQ(Number::parse("0.5", true)->to_string(), "-0.5");
  EXPECT_EQ(Number::parse("1.0", false)->to_string(), "1.0");
}

TEST(SchemaPattern, MatchesAnywhereWithUnicodeClasses) {
  const auto matches = [](std::string_view pattern, std::string_view text) {
    const auto compiled = Pattern::compile(pattern);
    EXPECT_TRUE(compiled.ok()) << compiled.error().to_string();
    return compiled.ok() && compiled->matches(text);
  };
  EXPECT_TRUE(matches("b", "abc"));
  EXPECT_TRUE(matches("^\\w+$", "é漢_1"));
  EXPECT_FALSE(matches("^[\\w-]+$", "a b"));
  EXPECT_TRUE(matches("^[^\\d]$", "x"));
  EXPECT_TRUE(matches("^[[:alpha:]_\\d]+$", "a_1"));
  EXPECT_FALSE(matches("^a$", "a\n"));
  EXPECT_TRUE(matches("^[]x]$", "]"));
  EXPECT_EQ(Pattern::compile("(").error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(Pattern::compile(std::string(kPatternBytesMax, 'a')).ok());
  EXPECT_EQ(Pattern::compile(std::string(kPatternBytesMax + 1, 'a')).error().kind(),
            ErrorKind::kLimit);
}

}  // namespace
}  // namespace weft::schema

// Turtle and TriG. The grammar as a whole is tested by tests/conformance; here is what the W3C
// suites do not look at.
#include <array>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "weft/rdfio/collect_test.h"
#include "weft/rdfio/parse.h"

namespace weft::rdfio {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kHead = "@prefix : <a:> .\n";

std::vector<std::string> turtle(std::string_view text, const ParseOptions& options = {}) {
  return quads_of(std::string(kHead) + std::string(text), Format::kTurtle, options);
}
std::vector<std::string> trig(std::string_view text, const ParseOptions& options = {}) {
  return quads_of(std::string(kHead) + std::string(text), Format::kTriG, options);
}
std::string only(const std::vector<std::string>& lines) {
  return lines.size() == 1 ? lines[0] : std::to_string(lines.size()) + " lines";
}
std::string repeated(size_t count, std::string_view text) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

TEST(Turtle, TermsComeOutCanonical) {
  const std::array<std::pair<std::string_view, std::string_view>, 10> cases = {{
      {"'it\\'s'", "\"it's\""},
      {"\"\"\"a \"b\"\n\\u00E9\"\"\"", "\"a \\\"b\\\"\\né\""},
      {"\"x\" @EN-gb", "\"x\"@en-gb"},
      {"\"x\"@AR--rtl", "\"x\"@ar--rtl"},
      {"\"x\"^^<http://www.w3.org/2001/XMLSchema#string>", "\"x\""},
      {"-01", "\"-01\"^^<http://www.w3.org/2001/XMLSchema#integer>"},
      {"1.e0", "\"1.e0\"^^<http://www.w3.org/2001/XMLSchema#double>"},
      {":a\\,b%20c", "<a:a,b%20c>"},
      {"<\\u0061:\\U000000e9>", "<a:é>"},
      {"<<( :s :p 'x'@EN )>>", "<<<a:s> <a:p> \"x\"@en>>"},
  }};
  for (const auto& [raw, expected] : cases) {
    EXPECT_EQ(only(turtle(":s :p " + std::string(raw) + " .")),
              "<a:s> <a:p> " + std::string(expected));
  }
}

TEST(Turtle, AbsoluteIrisAreNotNormalised) {
  // The same IRI in N-Triples is the same term.
  EXPECT_EQ(only(turtle("<http://a/b/../c> :p <HTTP://a/%7e> .")),
            "<http://a/b/../c> <a:p> <HTTP://a/%7e>");
  ParseOptions options;
  options.base_iri = "http://a/b/c";
  EXPECT_EQ(only(turtle("<../d> :p <> .", options)), "<http://a/d> <a:p> <http://a/b/c>");
  options.base_iri = "no/scheme";
  EXPECT_THAT(only(turtle("", options)), HasSubstr("error invalid: base is not"));
}

TEST(Turtle, PlaceOfErrorsIsExact) {
  const std::array<std::pair<std::string_view, std::string_view>, 22> cases = {{
      {":s :p :o", "2:9: unexpected end"},
      {":s :p \"é😀\" x .", "2:12: expected '.'"},
      {":s\n\n  :p <a b> .", "4:8: space in an IRI"},
      {":s :p <rel> .", "2:7: relative IRI, and there is no base"},
      {":s x:p :o .", "2:4: prefix is not declared"},
      {":s :p \"x\ny\" .", "2:7: string without closing quote"},
      {":s :p '''x", "2:7: string without closing quote"},
      {":s :p \"\"\"\n\\q\"\"\" .", "3:1: bad escape in a string"},
      {":s :p :a\\z .", "2:7: bad escape in a name"},
      {":s :p :a%2 .", "2:7: bad escape in a name"},
      {"\"s\" :p :o .", "2:1: a literal cannot be a subject"},
      {":s \"p\" :o .", "2:4: expected a predicate"},
      {":s :p [ :q ] .", "2:12: expected a term"},
      {":s :p ( 1 ", "2:11: unexpected end"},
      {"@prefx : <a:> .", "2:2: expected @prefix"},
      {"@prefix : <a:>", "2:15: expected '.' at the end of the directive"},
      {":s :p :o . # \xFF", "2:14: not UTF-8"},
      {":s :p \"\xC3\" .", "2:8: not UTF-8"},
      {"<<( :s :p :o )>> :p :o .", "2:1: a triple term cannot be a subject"},
      {":s :p << :s :p [ :q :r ] >> .", "2:18: a triple term cannot hold a node with properties"},
      {"{ :s :p :o }", "2:1: expected a term"},
      {":s :p \"x\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .",
       "2:12: rdf:langString"},
  }};
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(only(turtle(text)), HasSubstr("error invalid: input:" + std::string(expected)))
        << text;
  }
}

TEST(Turtle, LinesAndColumnsSurviveTheWindow) {
  // More than fits into the window, in one line and in many.
  const std::string filler = repeated(300'000, ":s :p :o , :o .");
  EXPECT_THAT(only(turtle(filler + "é ?")), HasSubstr("input:2:4500001: "));
  const std::string lines = repeated(300'000, ":s :p\r\n :o , :o .\r");
  const auto result = turtle(lines + " ?");
  EXPECT_THAT(only(result), HasSubstr("input:600002:2: "));
  const std::string comment = "#" + repeated(1'500'000, "é");
  EXPECT_THAT(only(turtle(comment + "\n?")), HasSubstr("input:3:1: "));
  EXPECT_THAT(only(turtle(comment + "\xC3\n")), HasSubstr("input:2:1500002: not UTF-8"));
}

TEST(Turtle, UnlabelledNodesAreNumberedInOrder) {
  EXPECT_THAT(
      turtle("[] :p ( :x ) , [ :q _:b ] ."),
      ElementsAre("_:anon-2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> <a:x>",
                  "_:anon-2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> "
                  "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>",
                  "_:anon-1 <a:p> _:anon-2", "_:anon-3 <a:q> _:b", "_:anon-1 <a:p> _:anon-3"));
  ParseOptions options;
  int calls = 0;
  options.blank_node_prefix = [&calls]() -> Result<std::string> {
    ++calls;
    return std::string("wabcdefghijklmnopqrstuvwxyz_");
  };
  EXPECT_THAT(
      turtle("[] :p _:anon-1 , _:w22222222222222222222222222_x .", options),
      ElementsAre("_:wabcdefghijklmnopqrstuvwxyz_-1 <a:p> "
                  "_:wabcdefghijklmnopqrstuvwxyz_anon-1",
                  "_:wabcdefghijklmnopqrstuvwxyz_-1 <a:p> _:w22222222222222222222222222_x"));
  EXPECT_EQ(calls, 1);
}

TEST(Turtle, LabelsAsTheyStandNeverMeetUnlabelledNodes) {
  EXPECT_THAT(
      turtle("_:anon-1 :p [], _:anon-7, [] ."),
      ElementsAre("_:anon-1 <a:p> _:anon-2", "_:anon-1 <a:p> _:anon-7", "_:anon-1 <a:p> _:anon-8"));
  EXPECT_THAT(turtle("[] :p _:anon-01, _:anon-5 . [] :p _:anon-3 ."), SizeIs(3));
  EXPECT_THAT(only(turtle("[] :p [] . :s :p _:anon-2 .")),
              HasSubstr("error invalid: input:2:18: a node without a label has this label"));
}

TEST(Turtle, OlderReadingHasTriplesForTerms) {
  ParseOptions star;
  star.triple_terms = TripleTermSyntax::kRdfStar;
  EXPECT_THAT(turtle("<< :s :p :o >> :q << :a :b << :c :d :e >> >> .", star),
              ElementsAre("<<<a:s> <a:p> <a:o>>> <a:q> <<<a:a> <a:b> <<<a:c> <a:d> <a:e>>>>>"));
  EXPECT_THAT(turtle(":s :p :o {| :q :r |} .", star),
              ElementsAre("<a:s> <a:p> <a:o>", "<<<a:s> <a:p> <a:o>>> <a:q> <a:r>"));
  EXPECT_THAT(only(turtle(":s :p :o ~ :r .", star)), HasSubstr("error invalid"));
  EXPECT_THAT(only(turtle("<< :s :p :o >> .", star)), HasSubstr("error invalid"));
}

TEST(Turtle, LenientLeavesNothingOfABadStatement) {
  ParseOptions options;
  options.lenient = true;
  const std::string text =
      ":a :p 1, 2 ; :q <a b> . :b :p :o .\n:c :p \"x .\n:d :p :o .\n:e :p [ :q :r ; ?? ] ; :x 1.5 "
      ".\n"
      "@prefix : <b c> .\n:f :p \"a . b\" ; x .\n:g :p :o . :h :p";
  CollectingSink sink;
  const std::string whole = std::string(kHead) + text;
  codec::MemoryInputView input(whole);
  const auto report = parse(input, Format::kTurtle, options, sink);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(sink.lines,
              ElementsAre("<a:b> <a:p> <a:o>", "<a:d> <a:p> <a:o>", "<a:g> <a:p> <a:o>"));
  EXPECT_EQ(report->skipped, 6U);
  EXPECT_EQ(report->warnings[0].fact("line"), "2");
  EXPECT_EQ(report->warnings[1].fact("line"), "3");
}

TEST(TriG, LenientGoesOnWithinAndBehindGraphs) {
  ParseOptions options;
  options.lenient = true;
  EXPECT_THAT(
      trig(":g { :a :p ; . :b :p :o }\n:h { :c :p :o . :d :p }\n{ :e :p :o } } :f :p :o .\n:i {",
           options),
      ElementsAre("<a:b> <a:p> <a:o> <a:g>", "<a:c> <a:p> <a:o> <a:h>", "<a:e> <a:p> <a:o>"));
}

TEST(TriG, GraphsAreRead) {
  EXPECT_THAT(
      trig(":g { :s :p :o } GRAPH _:b { } graph [] { :s :p 'x' . } { :s :p :o2 . }"),
      ElementsAre("<a:s> <a:p> <a:o> <a:g>", "<a:s> <a:p> \"x\" _:anon-1", "<a:s> <a:p> <a:o2>"));
  for (const std::string_view bad :
       {":g { :s :p :o", ":g { { :s :p :o } }", "[ :p :o ] { }", "() { :s :p :o }", "GRAPH { }",
        ":g :p { :s :p :o }", ":g { @prefix : <b:> . }", "<< :s :p :o >> { }"}) {
    EXPECT_THAT(only(trig(bad)), HasSubstr("error invalid")) << bad;
  }
}

TEST(Turtle, NestingHasALimit) {
  const auto nested = [](size_t depth, std::string_view open, std::string_view close) {
    // The statement is the first level.
    return ":s :p " + repeated(depth - 1, open) + ":o" + repeated(depth - 1, close) + " .";
  };
  EXPECT_THAT(turtle(nested(kNestingMax, "[ :p ", "]")), SizeIs(kNestingMax));
  EXPECT_THAT(only(turtle(nested(kNestingMax + 1, "[ :p ", "]"))),
              HasSubstr("nest too deep (nesting_max)"));
  EXPECT_THAT(turtle(nested(1000, "(", ")")), SizeIs(2 * 999 + 1));
  for (const std::string_view open : {"[ :p ", "(", "<<( :s :p ", "<< :s :p ", "[", "<<("}) {
    EXPECT_THAT(only(turtle(":s :p " + repeated(100'000, open))), HasSubstr("error")) << open;
  }
  EXPECT_THAT(turtle(nested(rdf::kTripleNestingMax + 1, "<<(:s :p ", ")>>")), SizeIs(1));
  EXPECT_THAT(only(turtle(nested(rdf::kTripleNestingMax + 2, "<<(:s :p ", ")>>"))),
              HasSubstr("error limit"));
}

TEST(Turtle, SizesHaveLimits) {
  ParseOptions options;
  options.literal_size_max_bytes = 5000;
  const auto literal = [](size_t size) { return ":s :p \"" + std::string(size - 1, 'x') + "\" ."; };
  EXPECT_THAT(turtle(literal(5000), options), SizeIs(1));
  EXPECT_THAT(only(turtle(literal(5001), options)), HasSubstr("literal_size_max_bytes"));
  const auto iri = [](size_t size) { return ":s :p <a:" + std::string(size - 4, 'x') + "> ."; };
  EXPECT_THAT(turtle(iri(kIriSizeMaxBytes)), SizeIs(1));
  EXPECT_THAT(only(turtle(iri(kIriSizeMaxBytes + 1))), HasSubstr("iri_size_max_bytes"));
  const auto name = [](size_t size) { return ":s :p :" + std::string(size - 4, 'x') + " ."; };
  EXPECT_THAT(turtle(name(kIriSizeMaxBytes)), SizeIs(1));
  EXPECT_THAT(only(turtle(name(kIriSizeMaxBytes + 1))), HasSubstr("error limit"));
  EXPECT_THAT(only(turtle(":s :p " + std::string(3'000'000, '1') + " .")),
              HasSubstr("error limit"));
  std::string prefixes;
  for (size_t i = 1; i < kPrefixesMax; ++i) {
    prefixes += "PREFIX p" + std::to_string(i) + ": <a:>\n";
  }
  EXPECT_TRUE(turtle(prefixes + "PREFIX p1: <b:>").empty());
  EXPECT_THAT(only(turtle(prefixes + "PREFIX x: <b:>")), HasSubstr("prefixes_max"));
}

TEST(Turtle, HugeLiteralsAreRead) {
  const std::string body = repeated(1'000'000, std::string(98, 'y') + "\n ");
  const auto lines = turtle(":s :p \"\"\"" + body + "\"\"\" . :t :p :o .");
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].size(), 101'000'000 + 14);
}

TEST(Turtle, CutsInTheInputDoNotMatter) {
  const std::string text =
      std::string(kHead) +
      repeated(3000,
               ":s a :T ; :p 'x'@en , \"\"\"a\"b\"\"\"^^:d , 1.5e3, ( _:b.c [ :q <a:\\u0062> ] ) "
               "{| :r << :s :p 'o' ~ :i >> |} . # ünd\r\n");
  const std::vector<std::string> expected = quads_of(text, Format::kTurtle);
  ASSERT_GT(expected.size(), 3000U);
  for (const size_t step : {size_t{1}, size_t{1021}}) {
    SlowMemoryInput input(text, step);
    CollectingSink sink;
    ASSERT_TRUE(parse(input, Format::kTurtle, {}, sink).ok());
    EXPECT_EQ(sink.lines, expected);
  }
}

TEST(Turtle, PrefixesAreTold) {
  std::vector<std::string> told;
  ParseOptions options;
  options.on_prefix = [&told](std::string_view prefix, std::string_view iri) {
    told.push_back(std::string(prefix) + "=" + std::string(iri));
  };
  turtle("PREFIX x: <http://x/>", options);
  EXPECT_THAT(told, ElementsAre("=a:", "x=http://x/"));
}

TEST(Turtle, StopEndsTheReading) {
  std::stop_source source;
  source.request_stop();
  ParseOptions options;
  options.stop = source.get_token();
  EXPECT_THAT(only(turtle(":s :p :o .", options)), HasSubstr("error cancelled"));
}

}  // namespace
}  // namespace weft::rdfio

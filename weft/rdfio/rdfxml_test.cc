// RDF/XML. The rules as a whole are tested by tests/conformance; here is what the W3C suite does
// not look at.
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

constexpr std::string_view kOpen =
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:a='a:'>\n";
constexpr std::string_view kClose = "</rdf:RDF>";

std::vector<std::string> rdfxml(std::string_view body, const ParseOptions& options = {}) {
  return quads_of(std::string(kOpen) + std::string(body) + std::string(kClose), Format::kRdfXml,
                  options);
}
std::string only(const std::vector<std::string>& lines) {
  return lines.size() == 1 ? lines[0] : std::to_string(lines.size()) + " lines";
}

TEST(RdfXml, TermsComeOutCanonical) {
  EXPECT_THAT(
      rdfxml("<rdf:Description rdf:about='a:s' a:q='&#xE9;&#10;' xml:lang='EN'>"
             "<a:p rdf:datatype='http://www.w3.org/2001/XMLSchema#string'>x</a:p>"
             "<a:p rdf:datatype='a:d'>&lt;</a:p></rdf:Description>"),
      ElementsAre("<a:s> <a:q> \"é\\n\"@en", "<a:s> <a:p> \"x\"", "<a:s> <a:p> \"<\"^^<a:d>"));
}

TEST(RdfXml, LiteralsAreCanonicalXml) {
  EXPECT_EQ(
      only(rdfxml("<rdf:Description rdf:about='a:s'><a:p rdf:parseType='Literal'>"
                  "<a:e z='&quot;\t' b=\">\"/><!--c--><?d e?>&amp;</a:p></rdf:Description>")),
      "<a:s> <a:p> \"<a:e xmlns:a=\\\"a:\\\" b=\\\">\\\" z=\\\"&quot; \\\"></a:e><!--c--><?d e?>"
      "&amp;\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>");
}

TEST(RdfXml, PlaceOfErrorsIsExact) {
  const std::array<std::pair<std::string_view, std::string_view>, 14> cases = {{
      {"<rdf:Description rdf:about='a:a b'/>", "2:1: space in an IRI"},
      {"é<a:T/>", "2:1: text where only elements may be"},
      {"<a:T><a:p>é<a:T/></a:p></a:T>", "2:12: text and elements in one property"},
      {"<a:T><a:p><a:T/><a:T/></a:p></a:T>", "2:17: more than one node in a property"},
      {"<rdf:li/>", "2:1: this name cannot be a node element"},
      {"<a:T rdf:ID='1'/>", "2:1: rdf:ID is not a name"},
      {"<a:T rdf:about='rel'/>", "2:1: relative IRI, and there is no base"},
      {"<a:T b='c'/>", "2:1: an attribute needs a namespace"},
      {"<a:T xml:lang='e_n'/>", "2:1: malformed language tag"},
      {"<a:T><a:p rdf:resource='a:x'>y</a:p></a:T>", "2:30: text where only elements may be"},
      {"<a:T><b:p/></a:T>", "2:6: not well-formed XML: unbound prefix"},
      {"<a:T>\n</a:S>", "3:3: not well-formed XML: mismatched tag"},
      {"<a:T a:p='&nope;'/>", "2:1: not well-formed XML: undefined entity"},
      {"<a:T a:p='\xFF'/>", "2:11: not well-formed XML"},
  }};
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(only(rdfxml(text)), HasSubstr("error invalid: input:" + std::string(expected)))
        << text;
  }
  EXPECT_THAT(only(quads_of("", Format::kRdfXml)), HasSubstr("error invalid: input:1:1: "));
  EXPECT_THAT(only(quads_of("<a", Format::kRdfXml)), HasSubstr("error invalid"));
}

TEST(RdfXml, LenientLeavesOutWhatIsBad) {
  ParseOptions options;
  options.lenient = true;
  CollectingSink sink;
  const std::string text =
      std::string(kOpen) +
      "<a:T rdf:about='a b'><a:p>x</a:p></a:T><rdf:Description rdf:about='a:s'>"
      "<a:p rdf:resource='b c'/><a:q>y<a:T rdf:about='a:t'/></a:q>stray<a:r>good</a:r>"
      "</rdf:Description>" +
      std::string(kClose);
  codec::MemoryInputView input(text);
  const auto report = parse(input, Format::kRdfXml, options, sink);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->skipped, 4U);
  EXPECT_THAT(sink.lines, testing::Contains("<a:s> <a:r> \"good\""));
  EXPECT_THAT(sink.lines, testing::Not(testing::Contains(HasSubstr("<a:p>"))));
}

TEST(RdfXml, LenientReportsBadTextOnceAndTellsNothingOfBadElements) {
  ParseOptions options;
  options.lenient = true;
  options.literal_size_max_bytes = 1000;
  CollectingSink sink;
  const std::string text =
      std::string(kOpen) + "<a:T rdf:about='a:s' a:p='1' a:q='2' rdf:li='3'/>" +
      "<rdf:Description rdf:about='a:s'><a:p rdf:parseType='Literal'>" + std::string(200'000, 'x') +
      "</a:p><a:q><a:T rdf:about='b c'/></a:q><a:q>y<a:T/>\nz\nz</a:q><a:r>good</a:r>"
      "</rdf:Description>" +
      std::string(kClose);
  codec::MemoryInputView input(text);
  const auto report = parse(input, Format::kRdfXml, options, sink);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->skipped, 4U);
  EXPECT_THAT(sink.lines, ElementsAre("<a:s> <a:r> \"good\""));
}

TEST(RdfXml, EntitiesAreBounded) {
  const auto laughs = [](size_t levels) {
    std::string text = "<!DOCTYPE r [<!ENTITY e0 '0123456789'>";
    for (size_t i = 1; i <= levels; ++i) {
      const std::string inner = "&e" + std::to_string(i - 1) + ";";
      text += "<!ENTITY e" + std::to_string(i) + " '";
      for (int k = 0; k < 10; ++k) {
        text += inner;
      }
      text += "'>";
    }
    return text + "]>" + std::string(kOpen) + "<rdf:Description rdf:about='a:s'><a:p>&e" +
           std::to_string(levels) + ";</a:p></rdf:Description>" + std::string(kClose);
  };
  const auto good = quads_of(laughs(5), Format::kRdfXml);  // 1 MB
  ASSERT_THAT(good, SizeIs(1));
  EXPECT_GT(good[0].size(), 1'000'000U);
  EXPECT_THAT(only(quads_of(laughs(8), Format::kRdfXml)), HasSubstr("error limit"));
  EXPECT_THAT(only(quads_of("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>" +
                                std::string(kOpen) + "<a:T a:q='y'>&x;</a:T>" + std::string(kClose),
                            Format::kRdfXml)),
              HasSubstr("error invalid"));
  EXPECT_THAT(only(quads_of("<!DOCTYPE r SYSTEM 'file:///x.dtd'>" + std::string(kOpen) +
                                "<a:T><a:p>&unknown;</a:p></a:T>" + std::string(kClose),
                            Format::kRdfXml)),
              HasSubstr("entity is not declared"));
}

TEST(RdfXml, LimitsHoldAtTheLimitAndBeyond) {
  ParseOptions options;
  options.nesting_max = 100;
  const auto nested = [](size_t depth) {
    std::string open;
    std::string close;
    for (size_t i = 0; i < depth; ++i) {
      open += i % 2 == 0 ? "<a:T>" : "<a:p>";
      close.insert(0, i % 2 == 0 ? "</a:T>" : "</a:p>");
    }
    return open + close;
  };
  // rdf:RDF is the first level.
  EXPECT_THAT(only(rdfxml(nested(99), options)), testing::Not(HasSubstr("error")));
  EXPECT_THAT(only(rdfxml(nested(100), options)), HasSubstr("nesting_max"));
  std::string deep;
  for (size_t i = 0; i < 100'000; ++i) {
    deep += "<a:T><a:p>";
  }
  EXPECT_THAT(only(rdfxml(deep)), HasSubstr("error limit"));
  options.literal_size_max_bytes = 1000;
  const auto literal = [](size_t size, std::string_view attribute) {
    return "<rdf:Description rdf:about='a:s'><a:p " + std::string(attribute) + ">" +
           std::string(size, 'x') + "</a:p></rdf:Description>";
  };
  for (const std::string_view attribute : {"", "rdf:parseType='Literal'"}) {
    EXPECT_THAT(only(rdfxml(literal(1000, attribute), options)), testing::Not(HasSubstr("error")));
    EXPECT_THAT(only(rdfxml(literal(1001, attribute), options)),
                HasSubstr("literal_size_max_bytes"));
  }
}

TEST(RdfXml, LongValuesCostTheirLength) {
  const std::string value(20'000'000, 'v');
  const auto lines = rdfxml("<rdf:Description rdf:about='a:s' a:p='" + value + "'/>");
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].size(), value.size() + 14);
}

TEST(RdfXml, CutsInTheInputDoNotMatter) {
  const std::string text = std::string(kOpen) +
                           "<a:T rdf:nodeID='n.'><a:p rdf:parseType='Collection'><a:U/></a:p>"
                           "<a:q>text &amp; more &#233;</a:q></a:T>" +
                           std::string(kClose);
  const std::vector<std::string> expected = quads_of(text, Format::kRdfXml);
  EXPECT_THAT(expected, testing::Contains("_:n.- <a:q> \"text & more é\""));
  SlowMemoryInput input(text, 1);
  CollectingSink sink;
  ASSERT_TRUE(parse(input, Format::kRdfXml, {}, sink).ok());
  EXPECT_EQ(sink.lines, expected);
}

TEST(RdfXml, EncodingsOfExpatAreRead) {
  const std::string text = "<?xml version='1.0' encoding='ISO-8859-1'?>" + std::string(kOpen) +
                           "<rdf:Description rdf:about='a:s' a:p='\xE9'/>" + std::string(kClose);
  EXPECT_EQ(only(quads_of(text, Format::kRdfXml)), "<a:s> <a:p> \"é\"");
  EXPECT_THAT(only(quads_of("<?xml version='1.0' encoding='KOI8-R'?>" + std::string(kOpen),
                            Format::kRdfXml)),
              HasSubstr("unknown encoding"));
}

}  // namespace
}  // namespace weft::rdfio

#include "weft/rdfio/write.h"

#include <array>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "weft/rdfio/collect_test.h"

namespace weft::rdfio {
namespace {

using testing::HasSubstr;

using Quads = std::vector<rdf::QuadView>;

std::string written(Format format, const Quads& quads, const WriteOptions& options = {}) {
  codec::StringOutput output;
  const auto writer = make_quad_writer(format, output, options);
  const Status status = writer->accept(quads);
  if (!status.ok()) {
    return "error " + std::string(error_kind_name(status.error().kind())) + ": " +
           status.error().to_string();
  }
  const Status finished = writer->finish();
  return finished.ok() ? output.text() : "error " + finished.error().to_string();
}

TEST(Write, LineFormatsAreCanonical) {
  const Quads quads = {{"<a:s>", "<a:p>", "\"x\\u0001\xEF\xBF\xBE\"@en--ltr", ""},
                       {"_:b", "<a:p>", "<<<a:s> <a:p> <<_:x <a:p> \"o\">>>>", "<a:g>"}};
  EXPECT_EQ(written(Format::kNQuads, quads),
            "<a:s> <a:p> \"x\\u0001\\uFFFE\"@en--ltr .\n"
            "_:b <a:p> <<( <a:s> <a:p> <<( _:x <a:p> \"o\" )>> )>> <a:g> .\n");
  WriteOptions star;
  star.triple_terms = TripleTermSyntax::kRdfStar;
  star.announce_version = true;
  star.merge_graphs = true;
  EXPECT_EQ(written(Format::kNTriples, {quads[1]}, star),
            "VERSION \"1.2\"\n_:b <a:p> << <a:s> <a:p> << _:x <a:p> \"o\" >> >> .\n");
}

TEST(Write, TurtleGroupsAndShortens) {
  WriteOptions options;
  options.prefixes = {{"", "a:"}, {"x", "http://x/"}, {"bad name", "b:"}};
  const Quads quads = {
      {"<a:s>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<a:T>", ""},
      {"<a:s>", "<a:p>", "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>", ""},
      {"<a:s>", "<a:p>", "\"1\"^^<http://x/d>", ""},
      {"_:b", "<http://x/p/q>", "\"01x\"^^<http://www.w3.org/2001/XMLSchema#integer>", ""}};
  EXPECT_EQ(written(Format::kTurtle, quads, options),
            "@prefix : <a:> .\n@prefix x: <http://x/> .\n\n"
            ":s a :T ;\n  :p 1 ,\n    \"1\"^^x:d .\n"
            "_:b <http://x/p/q> \"01x\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
}

TEST(Write, TrigGroupsByGraphAndAnnouncesInBetween) {
  const Quads quads = {{"<a:s>", "<a:p>", "<a:o>", "<a:g>"},
                       {"<a:s>", "<a:p>", "\"x\"@ar--rtl", "<a:g>"},
                       {"<a:s>", "<a:p>", "<a:o>", ""}};
  EXPECT_EQ(written(Format::kTriG, quads),
            "<a:g> {\n  <a:s> <a:p> <a:o> .\n}\nVERSION \"1.2\"\n"
            "<a:g> {\n  <a:s> <a:p> \"x\"@ar--rtl .\n}\n<a:s> <a:p> <a:o> .\n");
}

TEST(Write, GatheredPrefixesAreTheMostUsed) {
  WriteOptions options;
  options.gather_prefixes = true;
  const std::string text =
      written(Format::kTurtle,
              {{"<http://x/1>", "<http://xmlns.com/foaf/0.1/name>", "\"n\"", ""},
               {"<http://x/2>", "<http://xmlns.com/foaf/0.1/knows>", "<http://y/1>", ""}},
              options);
  EXPECT_THAT(text, HasSubstr("@prefix foaf: <http://xmlns.com/foaf/0.1/> ."));
  EXPECT_THAT(text, HasSubstr("@prefix ns1: <http://x/> ."));
  EXPECT_THAT(text, HasSubstr("ns1:2 foaf:knows <http://y/1> ."));
}

TEST(Write, WhatASyntaxCannotHoldIsRefusedByName) {
  const std::array<std::tuple<Format, rdf::QuadView, std::string_view>, 9> cases = {{
      {Format::kNTriples,
       {"<a:s>", "<a:p>", "<a:o>", "<a:g>"},
       "N-Triples cannot hold named graphs"},
      {Format::kTurtle, {"<a:s>", "<a:p>", "<a:o>", "<a:g>"}, "Turtle cannot hold named graphs"},
      {Format::kRdfXml, {"<a:s>", "<a:p>", "<a:o>", "<a:g>"}, "RDF/XML cannot hold named graphs"},
      {Format::kRdfXml, {"<a:s>", "<a:1>", "<a:o>", ""}, "cannot hold this predicate: term=<a:1>"},
      {Format::kRdfXml,
       {"<a:s>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#li>", "<a:o>", ""},
       "cannot hold this predicate"},
      {Format::kRdfXml, {"<a:s>", "<a:p>", "\"\\u0001\"", ""}, "cannot hold characters"},
      {Format::kNQuads,
       {"<<<a:s> <a:p> <a:o>>>", "<a:p>", "<a:o>", ""},
       "no triple terms as subjects"},
      {Format::kTriG,
       {"<a:s>", "<a:p>", "<<<<<a:s> <a:p> <a:o>>> <a:p> <a:o>>>", ""},
       "no triple terms as subjects"},
      {Format::kRdfXml,
       {"<<<a:s> <a:p> <a:o>>>", "<a:p>", "<a:o>", ""},
       "no triple terms as subjects"},
  }};
  for (const auto& [format, quad, expected] : cases) {
    EXPECT_THAT(written(format, {quad}), HasSubstr(expected));
    EXPECT_THAT(written(format, {quad}), HasSubstr("error invalid"));
  }
}

TEST(Write, XmlNamesAreThoseThatEveryParserReads) {
  // U+FEFF and U+10000 are in names of the fifth edition of XML 1.0 only; expat refuses them.
  for (const std::string name : {"\xEF\xBB\xBFp", "\xF0\x90\x80\x80p", "\xC8\xA1p", "gr\xC3\xB6"}) {
    const std::string predicate = "<http://ex/" + name + ">";
    const Quads quads = {{"<a:s>", predicate, "<a:o>", ""}};
    const std::string text = written(Format::kRdfXml, quads);
    EXPECT_THAT(quads_of(text, Format::kRdfXml),
                testing::ElementsAre("<a:s> " + predicate + " <a:o>"))
        << text;
  }
}

TEST(Write, FailuresOfTheOutputReachTheCaller) {
  class FullOutput final : public OutputStream {
   public:
    Status write(ByteView) override { return Error(ErrorKind::kUnavailable, "disk is full"); }
  };
  for (const Format format :
       {Format::kNTriples, Format::kNQuads, Format::kTurtle, Format::kTriG, Format::kRdfXml}) {
    FullOutput output;
    const auto writer = make_quad_writer(format, output);
    const rdf::QuadView quad{"<a:s>", "<a:p>", "<a:o>", ""};
    Status status = writer->accept({&quad, 1});
    if (status.ok()) {
      status = writer->finish();
    }
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message(), "disk is full");
  }
}

// Terms of every kind, with what each syntax has to escape.
std::vector<std::string> odd_objects() {
  return {"<http://x/é?a=b&c='d'#e>",
          "<a:b,c;d(e)>",
          "_:b0",
          "_:0.x-y",
          "_:x-0",
          "_:x-x-0",
          "\"\"",
          "\" \\n\\t\\r\"",
          "\"<&>'\\\"\\\\\"",
          "\"]]>\"",
          "\"\\u007F é 😀\"",
          "\"x\"@zh-hant",
          "\"x\"@ar--rtl",
          "\"1.\"^^<http://www.w3.org/2001/XMLSchema#decimal>",
          "\"-1.5\"^^<http://www.w3.org/2001/XMLSchema#decimal>",
          "\".5e-3\"^^<http://www.w3.org/2001/XMLSchema#double>",
          "\"+7\"^^<http://www.w3.org/2001/XMLSchema#integer>",
          "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
          "\"1\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
          "\"<b></b>\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>",
          "<<_:b0 <http://x/p> \"x\"@ar--rtl>>",
          "<<<a:s> <http://x/p> <<<a:s> <http://x/p> \"1\"^^<a:d>>>>>"};
}

TEST(Write, EveryTermComesBackFromEverySyntax) {
  const std::vector<std::string> objects = odd_objects();
  for (const bool gathers : {false, true}) {
    for (const Format format :
         {Format::kNTriples, Format::kNQuads, Format::kTurtle, Format::kTriG, Format::kRdfXml}) {
      Quads quads;
      std::vector<std::string> expected;
      for (const std::string& object : objects) {
        quads.push_back({"<http://x/s>", "<http://x/p>", object, ""});
        expected.push_back("<http://x/s> <http://x/p> " + object);
      }
      WriteOptions options;
      options.gather_prefixes = gathers;
      const std::string text = written(format, quads, options);
      std::vector<std::string> lines = quads_of(text, format);
      if (format == Format::kRdfXml) {
        // Labels that are no XML names come back with another one.
        expected[3] = "<http://x/s> <http://x/p> _:x-0.x-y";
        expected[4] = "<http://x/s> <http://x/p> _:x-x-0";
        expected[5] = "<http://x/s> <http://x/p> _:x-x-x-0";
      }
      EXPECT_EQ(lines, expected) << format_name(format) << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace weft::rdfio

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "weft/base/executor.h"
#include "weft/rdfio/collect_test.h"
#include "weft/rdfio/parse.h"

namespace weft::rdfio {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kPrefix = "wabcdefghijklmnopqrstuvwxyz_";

std::vector<std::string> triples(std::string_view text, const ParseOptions& options = {}) {
  return quads_of(text, Format::kNTriples, options);
}
std::vector<std::string> quads(std::string_view text, const ParseOptions& options = {}) {
  return quads_of(text, Format::kNQuads, options);
}
std::string only(const std::vector<std::string>& lines) {
  return lines.size() == 1 ? lines[0] : std::to_string(lines.size()) + " lines";
}

TEST(ParseLines, StatementsCommentsAndEmptyLinesAreRead) {
  EXPECT_THAT(triples("# comment\n\n<a:s> <a:p> <a:o> .\n  \t<a:s>\t<a:p>\t\"x\" . # more\r\n"
                      "_:b<a:p>_:c.\r<a:s><a:p>\"1\"^^<a:t>."),
              ElementsAre("<a:s> <a:p> <a:o>", "<a:s> <a:p> \"x\"", "_:b <a:p> _:c",
                          "<a:s> <a:p> \"1\"^^<a:t>"));
  EXPECT_THAT(quads("<a:s> <a:p> <a:o> <a:g> .\n<a:s> <a:p> <a:o> _:g .\n<a:s> <a:p> <a:o> ."),
              ElementsAre("<a:s> <a:p> <a:o> <a:g>", "<a:s> <a:p> <a:o> _:g", "<a:s> <a:p> <a:o>"));
  EXPECT_TRUE(triples("").empty());
  EXPECT_TRUE(triples("\xEF\xBB\xBF").empty());
  EXPECT_THAT(triples("\xEF\xBB\xBF<a:s> <a:p> <a:o> ."), ElementsAre("<a:s> <a:p> <a:o>"));
  EXPECT_THAT(triples("VERSION \"1.2\"\n<a:s> <a:p> <a:o> ."), ElementsAre("<a:s> <a:p> <a:o>"));
}

TEST(ParseLines, TokensComeOutCanonical) {
  const std::array<std::pair<std::string_view, std::string_view>, 13> cases = {{
      {R"("\u00E9\t\n")", "\"é\\t\\n\""},
      {R"("a\'b")", "\"a'b\""},
      {"\"tab\there\"", R"("tab\there")"},
      {"\"x\x7F\"", R"("x\u007F")"},
      {"\"x\" @EN-Us", "\"x\"@en-us"},
      {"\"x\"@en--ltr", "\"x\"@en--ltr"},
      {"\"x\"@EN--rtl", "\"x\"@en--rtl"},
      {"\"x\"^^<http://www.w3.org/2001/XMLSchema#string>", "\"x\""},
      {R"("\u00E9" ^^ <a:t>)", "\"é\"^^<a:t>"},
      {R"(<http://example.org/\u00E9>)", "<http://example.org/é>"},
      {"<<( <a:s> <a:p> \"x\"@EN )>>", "<<<a:s> <a:p> \"x\"@en>>"},
      {"<< <a:s> <a:p> <<(_:b<a:p><a:o>)>> >>", "<<<a:s> <a:p> <<_:b <a:p> <a:o>>>>>"},
      {"<<<a:s> <a:p> <a:o>>>", "<<<a:s> <a:p> <a:o>>>"},
  }};
  for (const auto& [raw, expected] : cases) {
    EXPECT_EQ(only(triples("<a:s> <a:p> " + std::string(raw) + " .\n")),
              "<a:s> <a:p> " + std::string(expected));
  }
}

TEST(ParseLines, PlaceOfErrorsIsExact) {
  const std::array<std::pair<std::string_view, std::string_view>, 23> cases = {{
      {"<a:s> <a:p> <a:o>", "1:18: expected '.'"},
      {"<a:s> <a:p> <a:o> .\n<a:s> <a b> <a:o> .", "2:9: space in an IRI"},
      {"é", "1:1: expected the end of the line"},
      {"<a:s> <a:p> \"é😀\"@e$ .", "1:19: expected '.'"},
      {"<a:s> <a:p> \"x\"@toolonglang .", "1:16: malformed language tag"},
      {"<a:s> <a:p> \"x\"@en--up .", "1:16: malformed language tag"},
      {"<a:s> <a:p> \"x\"@en- .", "1:16: malformed language tag"},
      {"\r\n\r<a:s> <a:p> \"x\\q\" .", "3:15: bad escape in a literal"},
      {"<a:s> <a:p> \"é\\uD800\" .", "1:15: bad escape in a literal"},
      {"<a:s> <a:p> \"x\n\" .", "1:13: literal without closing quote"},
      {"<a:s> <a:p> <a:\\u0020> .", "1:16: bad escape in an IRI"},
      {"<a:s> <a:p> <a:{> .", "1:16: character that an IRI cannot hold"},
      {"<a:s> <a:p> <a:o", "1:13: IRI without closing '>'"},
      {"<a:s> <a:p> <o> .", "1:13: expected an absolute IRI"},
      {"<a:s> <a:p> <http/x:y> .", "1:13: expected an absolute IRI"},
      {"<a:s> _:p <a:o> .", "1:7: expected a predicate"},
      {"\"s\" <a:p> <a:o> .", "1:1: a literal cannot be a subject"},
      {"<a:s> <a:p> \"x\xFF\" .", "1:15: not UTF-8"},
      {"# é\xC3", "1:4: not UTF-8"},
      {"<a:s> <a:p> <a:o> <a:g> .", "1:19: expected '.'"},
      {"<a:s> <a:p> <a:o> . <a:s> <a:p> <a:o> .", "1:21: expected the end of the line"},
      {"<a:s> <a:p> \"x\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .",
       "1:18: rdf:langString"},
      {"<a:s> <a:p> <<( \"x\" <a:p> <a:o> )>> .", "1:17: a literal cannot be a subject"},
  }};
  ParseOptions options;
  options.file_name = "dir/x.nt";
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(only(triples(text, options)),
                HasSubstr("error invalid: dir/x.nt:" + std::string(expected)))
        << text;
  }
  codec::MemoryInputView input("\n é");
  CollectingSink sink;
  const auto report = parse(input, Format::kNTriples, options, sink);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().fact("file"), "dir/x.nt");
  EXPECT_EQ(report.error().fact("line"), "2");
  EXPECT_EQ(report.error().fact("column"), "2");
}

TEST(ParseLines, StrictTakesRdf12SpellingsOnly) {
  ParseOptions strict;
  strict.strict = true;
  for (const std::string_view text :
       {"<a:s> <a:p> << <a:s> <a:p> <a:o> >> .", "<<( <a:s> <a:p> <a:o> )>> <a:p> <a:o> .",
        "<a:s> <a:p> <<( <<( <a:s> <a:p> <a:o> )>> <a:p> <a:o> )>> ."}) {
    EXPECT_EQ(triples(text).size(), 1U);
    EXPECT_THAT(only(triples(text)), testing::Not(HasSubstr("error")));
    EXPECT_THAT(only(triples(text, strict)), HasSubstr("error invalid"));
  }
  EXPECT_THAT(triples("<a:s> <a:p> <<( <a:s> <a:p> <a:o> )>> .", strict), testing::SizeIs(1));
}

TEST(ParseLines, LabelsAreScopedByThePrefixOnceAskedFor) {
  int calls = 0;
  ParseOptions options;
  options.blank_node_prefix = [&calls]() -> Result<std::string> {
    ++calls;
    return std::string(kPrefix);
  };
  EXPECT_THAT(triples("<a:s> <a:p> <a:o> .", options), testing::SizeIs(1));
  EXPECT_EQ(calls, 0);
  const std::string foreign = "_:w22222222222222222222222222_x";
  EXPECT_THAT(
      triples("_:b <a:p> _:é.1 .\n" + foreign + " <a:p> <<( _:b <a:p> <a:o> )>> .", options),
      ElementsAre("_:" + std::string(kPrefix) + "b <a:p> _:" + std::string(kPrefix) + "é.1",
                  foreign + " <a:p> <<_:" + std::string(kPrefix) + "b <a:p> <a:o>>>"));
  EXPECT_EQ(calls, 1);
  options.blank_node_prefix = []() -> Result<std::string> {
    return Error(ErrorKind::kUnavailable, "file changed");
  };
  EXPECT_EQ(only(triples("_:b <a:p> <a:o> .", options)), "error unavailable: file changed");
}

TEST(ParseLines, LenientSkipsBadLinesAndCountsThem) {
  ParseOptions options;
  options.lenient = true;
  size_t told = 0;
  options.on_warning = [&told](const Error&) { ++told; };
  std::string text =
      "<a:1> <a:p> <a:o> .\n<a:2> <a:p> <a b> .\nnonsense\n\xFF\n<a:3> <a:p> \"x .\r\n"
      "<a:4> <a:p> <a:o> .";
  CollectingSink sink;
  codec::MemoryInputView input(text);
  const auto report = parse(input, Format::kNTriples, options, sink);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(sink.lines, ElementsAre("<a:1> <a:p> <a:o>", "<a:4> <a:p> <a:o>"));
  EXPECT_EQ(report->skipped, 4U);
  EXPECT_EQ(told, 4U);
  ASSERT_THAT(report->warnings, testing::SizeIs(4));
  EXPECT_EQ(report->warnings[3].fact("line"), "5");
  std::string many;
  for (size_t i = 0; i <= kWarningsMax; ++i) {
    many += "bad\n";
  }
  codec::MemoryInputView more(many);
  const auto second = parse(more, Format::kNTriples, options, sink);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->skipped, kWarningsMax + 1);
  EXPECT_THAT(second->warnings, testing::SizeIs(kWarningsMax));
}

TEST(ParseLines, LimitsHoldAtTheLimitAndBeyond) {
  ParseOptions options;
  options.literal_size_max_bytes = 1000;
  const auto literal = [](size_t size) {
    return "<a:s> <a:p> \"" + std::string(size - 1, 'x') + "\" .\n";
  };
  EXPECT_THAT(triples(literal(1000), options), testing::SizeIs(1));
  EXPECT_THAT(only(triples(literal(1001), options)), HasSubstr("error limit: input:1:13"));
  const auto iri = [](size_t size) {
    return "<a:s> <a:p> <a:" + std::string(size - 4, 'x') + "> .\n";
  };
  EXPECT_THAT(triples(iri(kIriSizeMaxBytes)), testing::SizeIs(1));
  EXPECT_THAT(only(triples(iri(kIriSizeMaxBytes + 1))), HasSubstr("error limit"));
  const auto nested = [](size_t depth) {
    std::string text = "<a:s> <a:p> ";
    for (size_t i = 0; i < depth; ++i) {
      text += "<<( <a:s> <a:p> ";
    }
    text += "<a:o>";
    for (size_t i = 0; i < depth; ++i) {
      text += ")>>";
    }
    return text + " .";
  };
  EXPECT_THAT(triples(nested(rdf::kTripleNestingMax)), testing::SizeIs(1));
  EXPECT_THAT(only(triples(nested(rdf::kTripleNestingMax + 1))), HasSubstr("error limit"));
  EXPECT_THAT(only(triples(nested(100'000))), HasSubstr("error limit"));
}

TEST(ParseLines, HugeLiteralsAndLinesArePossible) {
  const std::string literal = "\"" + std::string(100'000'000, 'y') + "\"";
  const auto lines = triples("<a:s> <a:p> " + literal + " .\n<a:t> <a:p> <a:o> .\n");
  ASSERT_THAT(lines, testing::SizeIs(2));
  EXPECT_EQ(lines[0].size(), literal.size() + 12);
}

// Lines of every kind, long enough for many blocks.
std::string many_lines(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += "<http://example.org/s" + number + "> <a:p> \"\\u00E9 " + number + "\"@EN _:g" +
            std::to_string(i % 7) + (i % 3 == 0 ? " .\r\n" : " .\n");
  }
  return text;
}

TEST(ParseLines, CutsInTheInputDoNotMatter) {
  const std::string text = many_lines(20000);
  const std::vector<std::string> expected = quads(text);
  ASSERT_EQ(expected.size(), 20000U);
  EXPECT_EQ(expected[19999], "<http://example.org/s19999> <a:p> \"é 19999\"@en _:g0");
  for (const size_t step : {size_t{1}, size_t{4093}, size_t{300'000}}) {
    SlowMemoryInput input(text, step);
    CollectingSink sink;
    ASSERT_TRUE(parse(input, Format::kNQuads, {}, sink).ok());
    EXPECT_EQ(sink.lines, expected);
  }
  std::string feeds = text;
  std::ranges::replace(feeds, '\n', '\r');
  EXPECT_EQ(quads(feeds), expected);
}

TEST(ParseLinesThreads, ParallelGivesTheSameQuads) {
  const std::string text = many_lines(30000);
  std::vector<std::string> expected = quads(text);
  std::ranges::sort(expected);
  base::ThreadPool pool(4);
  std::deque<CollectingSink> sinks(pool.width());
  codec::MemoryInputView input(text);
  const auto report = parse_lines_parallel(input, Format::kNQuads, {}, pool,
                                           [&](size_t i) -> rdf::QuadSink& { return sinks[i]; });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->statements, expected.size());
  EXPECT_EQ(report->bytes, text.size());
  std::vector<std::string> all;
  for (const CollectingSink& sink : sinks) {
    all.insert(all.end(), sink.lines.begin(), sink.lines.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(all, expected);
}

TEST(ParseLinesThreads, WorkersWithoutWorkEnd) {
  base::ThreadPool pool(4);
  for (const std::string_view text : {"", "<a:s> <a:p> <a:o> ."}) {
    for (int round = 0; round < 20; ++round) {
      std::deque<CollectingSink> sinks(pool.width());
      codec::MemoryInputView input(text);
      const auto report = parse_lines_parallel(
          input, Format::kNTriples, {}, pool, [&](size_t i) -> rdf::QuadSink& { return sinks[i]; });
      ASSERT_TRUE(report.ok());
      EXPECT_EQ(report->statements, text.empty() ? 0U : 1U);
    }
  }
}

TEST(ParseLinesThreads, ParallelGivesTheFirstErrorByPosition) {
  std::string text = many_lines(30000);
  const size_t first = text.find("<http://example.org/s12345>");
  for (const char* subject : {"<http://example.org/s29000>", "<http://example.org/s12345>"}) {
    text[text.find(subject) + 8] = ' ';
  }
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(first), '\n') + 1;
  base::ThreadPool pool(4);
  for (int round = 0; round < 10; ++round) {
    std::deque<CollectingSink> sinks(pool.width());
    codec::MemoryInputView input(text);
    const auto report = parse_lines_parallel(input, Format::kNQuads, {}, pool,
                                             [&](size_t i) -> rdf::QuadSink& { return sinks[i]; });
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().fact("line"), std::to_string(line));
    EXPECT_EQ(report.error().fact("column"), "9");
  }
  ParseOptions lenient;
  lenient.lenient = true;
  std::deque<CollectingSink> sinks(pool.width());
  codec::MemoryInputView input(text);
  const auto report = parse_lines_parallel(input, Format::kNQuads, lenient, pool,
                                           [&](size_t i) -> rdf::QuadSink& { return sinks[i]; });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->skipped, 2U);
  EXPECT_EQ(report->statements, 29998U);
  EXPECT_EQ(report->warnings[0].fact("line"), std::to_string(line));
}

TEST(ParseLinesThreads, FailuresOfSinkAndStopReachTheCaller) {
  class FailingSink final : public rdf::QuadSink {
   public:
    Status accept(std::span<const rdf::QuadView>) override {
      return Error(ErrorKind::kLimit, "sink is full");
    }
  };
  const std::string text = many_lines(30000);
  base::ThreadPool pool(3);
  FailingSink sink;
  codec::MemoryInputView input(text);
  const auto report = parse_lines_parallel(input, Format::kNQuads, {}, pool,
                                           [&](size_t) -> rdf::QuadSink& { return sink; });
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message(), "sink is full");
  std::stop_source source;
  source.request_stop();
  ParseOptions stopped;
  stopped.stop = source.get_token();
  codec::MemoryInputView again(text);
  const auto cancelled = parse_lines_parallel(again, Format::kNQuads, stopped, pool,
                                              [&](size_t) -> rdf::QuadSink& { return sink; });
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().kind(), ErrorKind::kCancelled);
  codec::MemoryInputView turtle("");
  EXPECT_EQ(parse_lines_parallel(turtle, Format::kTurtle, {}, pool,
                                 [&](size_t) -> rdf::QuadSink& { return sink; })
                .error()
                .kind(),
            ErrorKind::kUnsupported);
}

TEST(Format, NamesAndFileNamesAreKnown) {
  for (const Format format :
       {Format::kNTriples, Format::kNQuads, Format::kTurtle, Format::kTriG, Format::kRdfXml}) {
    EXPECT_EQ(format_by_name(format_name(format)), format);
  }
  EXPECT_EQ(format_by_name("TTL"), Format::kTurtle);
  EXPECT_EQ(format_by_name("application/rdf+xml"), Format::kRdfXml);
  EXPECT_EQ(format_by_name("csv"), std::nullopt);
  EXPECT_EQ(format_by_file_name("a/b.c/x.NT.gz"), Format::kNTriples);
  EXPECT_EQ(format_by_file_name("x.nq.zst"), Format::kNQuads);
  EXPECT_EQ(format_by_file_name("x.trig.bz2"), Format::kTriG);
  EXPECT_EQ(format_by_file_name("x.owl"), Format::kRdfXml);
  EXPECT_EQ(format_by_file_name("dir.ttl/x"), std::nullopt);
  EXPECT_EQ(format_by_file_name("ttl"), std::nullopt);
}

TEST(OpenInput, MissingFilesAndFoldersAreTold) {
  EXPECT_EQ(open_input("does/not/exist.nt").error().kind(), ErrorKind::kNotFound);
  const auto folder = open_input("/");
  EXPECT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().kind(), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace weft::rdfio

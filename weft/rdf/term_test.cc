#include "weft/rdf/term.h"

#include <array>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "weft/rdf/ids.h"
#include "weft/rdf/utf8.h"

namespace weft::rdf {
namespace {

constexpr std::string_view kLangString = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

std::string canonical(std::string_view token) {
  Result<std::string> result = canonical_token(token);
  return result.ok() ? *result : "error: " + std::string(error_kind_name(result.error().kind()));
}

std::string nested_triple(size_t depth) {
  std::string token = "<a:o>";
  for (size_t i = 0; i < depth; ++i) {
    token = make_triple("<a:s>", "<a:p>", token);
  }
  return token;
}

TEST(Term, KindIsToldByTheFirstBytes) {
  EXPECT_EQ(kind_of("<a:b>"), TermKind::kIri);
  EXPECT_EQ(kind_of("_:b"), TermKind::kBlankNode);
  EXPECT_EQ(kind_of("\"x\""), TermKind::kLiteral);
  EXPECT_EQ(kind_of("<<<a:s> <a:p> <a:o>>>"), TermKind::kTriple);
}

TEST(Term, LiteralsSplitIntoTheirParts) {
  const LiteralParts simple = split_literal(R"("a \"quoted\" word")");
  EXPECT_EQ(simple.escaped, R"(a \"quoted\" word)");
  EXPECT_EQ(effective_datatype(simple), "http://www.w3.org/2001/XMLSchema#string");
  const LiteralParts tagged = split_literal("\"chat\"@fr-be");
  EXPECT_EQ(tagged.language, "fr-be");
  EXPECT_EQ(effective_datatype(tagged), kLangString);
  const LiteralParts directed = split_literal("\"x\"@ar--rtl");
  EXPECT_EQ(directed.language, "ar");
  EXPECT_EQ(directed.direction, "rtl");
  EXPECT_EQ(effective_datatype(directed),
            "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString");
  const LiteralParts typed = split_literal("\"1@en\"^^<a:t>");
  EXPECT_EQ(typed.escaped, "1@en");
  EXPECT_EQ(typed.datatype, "a:t");
  EXPECT_TRUE(typed.language.empty());
  EXPECT_EQ(split_literal(R"("\\")").escaped, R"(\\)");
}

TEST(Term, TriplesSplitAtTheRightPlaces) {
  const std::string inner = make_triple("_:x", "<a:p>", "\">> <<\"@en");
  const std::string outer = make_triple(inner, "<a:q>", inner);
  const auto parts = split_triple(outer);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->subject, inner);
  EXPECT_EQ(parts->predicate, "<a:q>");
  EXPECT_EQ(parts->object, inner);
  EXPECT_EQ(split_triple(inner)->object, "\">> <<\"@en");
  const auto spaced = split_triple("<<(  <a:s>\t<a:p> \"1\"^^<a:t> )>>");
  ASSERT_TRUE(spaced);
  EXPECT_EQ(spaced->object, "\"1\"^^<a:t>");
  const auto dense = split_triple("<<_:a<a:p>_:b>>");
  ASSERT_TRUE(dense);
  EXPECT_EQ(dense->object, "_:b");
}

TEST(Term, MalformedTriplesDoNotSplit) {
  for (const std::string_view token :
       {"<<>>", "<<<a:s> <a:p>>>", "<<<a:s> <a:p> <a:o> <a:g>>>", "<<<a:s> <a:p> <a:o>)>>",
        "<<(<a:s> <a:p> <a:o>>>", "<<<a:s> <a:p> \"o>>", "<<<a:s> <a:p> o>>", "<<a:s>"}) {
    EXPECT_FALSE(split_triple(token)) << token;
  }
}

TEST(Term, CanonicalTokensAreRecognisedAndKept) {
  for (const std::string_view token :
       {"<http://example.org/é>", "<>", "_:b0", "_:a.b-c", "\"\"", "\"é\\n\\u0001\\u007F\"",
        "\"x\"@en", "\"x\"@zh-hant-x-a1", "\"x\"@ar--rtl", "\"1\"^^<a:t>", "<<_:a <a:p> \"x\"@en>>",
        "<<<<<a:s> <a:p> <a:o>>> <a:p> <a:o>>>"}) {
    EXPECT_TRUE(is_canonical(token)) << token;
    EXPECT_EQ(canonical(token), token);
  }
}

TEST(Term, RawTokensAreBroughtToOneForm) {
  const std::array<std::pair<std::string_view, std::string_view>, 14> cases = {{
      {R"("\u00E9")", "\"é\""},
      {R"("\U0001F600")", "\"😀\""},
      {"\"tab\there\"", R"("tab\there")"},
      {R"("\'")", "\"'\""},
      {R"("\u000A\u000b\u0022")", R"("\n\u000B\"")"},
      {"\"x\"^^<http://www.w3.org/2001/XMLSchema#string>", "\"x\""},
      {R"("x"^^<http://www.w3.org/2001/XMLSchema#\u0073tring>)", "\"x\""},
      {"\"x\"@EN-us", "\"x\"@en-us"},
      {"\"x\"@AR--RTL", "\"x\"@ar--rtl"},
      {R"(<http://example.org/\u00e9>)", "<http://example.org/é>"},
      {R"(<a:\U00000053>)", "<a:S>"},
      {"<<(  <a:s> <a:p>\t\"x\"@EN )>>", "<<<a:s> <a:p> \"x\"@en>>"},
      {"<< <<( _:a <a:p> _:b )>> <a:p> <a:o> >>", "<<<<_:a <a:p> _:b>> <a:p> <a:o>>>"},
      {"\"x\"@nineletters", "\"x\"@nineletters"},
  }};
  for (const auto& [raw, expected] : cases) {
    EXPECT_EQ(canonical(raw), expected);
    EXPECT_EQ(is_canonical(raw), raw == expected) << raw;
    EXPECT_TRUE(is_canonical(expected)) << expected;
  }
}

TEST(Term, WhatNoIriMayHoldKeepsItsSpelling) {
  for (const std::string_view token : {"<a b>", R"(<a:\u0020b>)", "<a:{x}>", R"(<a:\x>)"}) {
    EXPECT_FALSE(is_canonical(token));
    EXPECT_EQ(canonical(token), token);
  }
}

TEST(Term, WhatIsNoTermIsRefused) {
  for (const std::string_view token : {"",
                                       "x",
                                       "<a:b",
                                       "\"x",
                                       "\"x\"en",
                                       "\"x\"@",
                                       "\"x\"@en--",
                                       "\"x\"@en--up",
                                       "\"x\"@-en",
                                       "\"x\"^^a:t",
                                       "\"x\"^^<a:t> ",
                                       R"("\x")",
                                       R"("\uD800")",
                                       R"("\U00110000")",
                                       "_:",
                                       "_:a b",
                                       "<<<a:s> <a:p>>>",
                                       "\"\xFF\"",
                                       "<a:\xC3>",
                                       "\"\xED\xA0\x80\""}) {
    EXPECT_EQ(canonical(token), "error: invalid") << token;
    EXPECT_FALSE(is_canonical(token)) << token;
  }
}

TEST(Term, TriplesNestUpToTheLimitAndNoFurther) {
  EXPECT_TRUE(is_canonical(nested_triple(kTripleNestingMax)));
  EXPECT_FALSE(is_canonical(nested_triple(kTripleNestingMax + 1)));
  EXPECT_EQ(canonical(nested_triple(kTripleNestingMax)), nested_triple(kTripleNestingMax));
  EXPECT_NE(canonical(nested_triple(kTripleNestingMax + 1)).find("error"), std::string::npos);
  EXPECT_NE(canonical(std::string(1'000'000, '<')).find("error"), std::string::npos);
}

TEST(Term, LiteralsAreMadeCanonical) {
  EXPECT_EQ(make_literal("a\"b\\c\n\x01\x7F"), R"("a\"b\\c\n\u0001\u007F")");
  EXPECT_EQ(make_literal("x", "EN", "RTL"), "\"x\"@en--rtl");
  EXPECT_EQ(make_literal("x", {}, {}, "http://www.w3.org/2001/XMLSchema#string"), "\"x\"");
  EXPECT_EQ(make_literal("x", {}, {}, "a:t"), "\"x\"^^<a:t>");
  EXPECT_EQ(make_iri("a:b"), "<a:b>");
}

TEST(Term, EscapingAndUnescapingAreInverse) {
  std::string all;
  for (char32_t value = 0; value < 0x300; ++value) {
    append_code_point(all, value);
  }
  std::string escaped;
  append_escaped(escaped, all);
  EXPECT_TRUE(is_canonical("\"" + escaped + "\""));
  EXPECT_EQ(unescape(escaped), all);
}

TEST(Term, Utf8IsCheckedByTheByte) {
  EXPECT_EQ(find_invalid_utf8("plain ascii text, long enough"), 29U);
  EXPECT_EQ(find_invalid_utf8("eight by\xC3\xA9te\xC3"), 12U);
  for (const std::string_view bad : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5",
                                     "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_FALSE(is_valid_utf8(bad));
  }
  EXPECT_TRUE(is_valid_utf8("\xF4\x8F\xBF\xBF\xEF\xBF\xBF\xED\x9F\xBF"));
  EXPECT_EQ(count_code_points("aé😀"), 3U);
}

TEST(Permutation, NamesFollowTheirPositions) {
  constexpr std::string_view kLetters = "spo";
  for (size_t i = 0; i < kPermutationCount; ++i) {
    const auto permutation = static_cast<Permutation>(i);
    std::string expected;
    for (const Position position : positions(permutation)) {
      expected.push_back(kLetters[static_cast<size_t>(position)]);
    }
    EXPECT_EQ(permutation_name(permutation), expected);
  }
}

}  // namespace
}  // namespace weft::rdf

#include "weft/rete/text_words.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/uchar.h>

#include "weft/base/random.h"
#include "weft/rdf/utf8.h"
#include "weft/rete/build/unicode_text.h"
#include "weft/rete/lower_case.h"

namespace weft::rete {
namespace {

using Letters = rdf::TextNeed::Letters;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> described(const rdf::TextNeed& need) {
  std::vector<std::string> result;
  for (const WordPart& part : word_parts(need)) {
    result.push_back((part.begins ? "^" : "") + part.text + (part.ends ? "$" : ""));
  }
  return result;
}

std::vector<std::string> parts(std::string text, Letters letters = Letters::kAsWritten) {
  return described({.text = std::move(text), .letters = letters});
}

TEST(WordParts, AreTheRunsOfTheNeededTextAndSayWhereWordsBeginAndEnd) {
  EXPECT_THAT(parts("Needle"), ElementsAre("needle"));
  EXPECT_THAT(parts("two words"), ElementsAre("two$", "^words"));
  EXPECT_THAT(parts("a big-blue, one"), ElementsAre("^big$", "^blue$", "^one"));
  EXPECT_THAT(parts(" all \n"), ElementsAre("^all$"));
  EXPECT_THAT(described({.text = "exactly this", .at_start = true, .at_end = true}),
              ElementsAre("^exactly$", "^this$"));
  EXPECT_THAT(parts("same same same x"), ElementsAre("same$", "^same$"));
}

TEST(WordParts, TextsWithoutTwoLettersInARowSayNothing) {
  for (const std::string text : {"", "a", "a b c", "+-*/", "\xC3\xA4", " ", "a\xCC\x88"}) {
    EXPECT_THAT(parts(text), IsEmpty()) << text;
  }
}

TEST(WordParts, LettersBeyondAsciiAreLoweredAndWhatIsNoneOnlyCuts) {
  EXPECT_THAT(parts("\xC3\x84PFEL"), ElementsAre("\xC3\xA4pfel"));
  EXPECT_THAT(parts("\xE6\x9D\xB1\xE4\xBA\xAC\xE9\x83\xBD"),
              ElementsAre("\xE6\x9D\xB1\xE4\xBA\xAC\xE9\x83\xBD"));
  // A dash beyond ASCII and bytes that are no UTF-8: no word is said to end there.
  EXPECT_THAT(parts("left\xE2\x80\x93right"), ElementsAre("left", "right"));
  EXPECT_THAT(parts("left\xFFright"), ElementsAre("left", "right"));
  // U+1F1E6 is of no alphabet; U+0378 is not assigned at all.
  EXPECT_THAT(parts("left\xCD\xB8right"), ElementsAre("left", "right"));
}

TEST(WordParts, TheSigmaAndTheDottedICut) {
  EXPECT_THAT(parts("\xCE\x9F\xCE\x94\xCE\x9F\xCE\xA3\xCE\x91\xCE\x92"),
              ElementsAre("\xCE\xBF\xCE\xB4\xCE\xBF", "\xCE\xB1\xCE\xB2"));
  EXPECT_THAT(parts("\xC4\xB0stanbul"), ElementsAre("stanbul"));
}

TEST(WordParts, AfterLowerCaseNoCapitalIsALetter) {
  EXPECT_THAT(parts("abcDef", Letters::kLowered), ElementsAre("abc", "ef"));
}

TEST(WordParts, LettersWithSeveralLowerCasesCutWhereCaseDoesNotMatter) {
  // An s equals the long s, and a k the Kelvin sign, which has the same lower case.
  EXPECT_THAT(parts("museum kelvin", Letters::kFolded), ElementsAre("mu", "eum$", "^kelvin"));
  EXPECT_THAT(parts("Gr\xC3\xB6\xC3\x9F\x65n", Letters::kFolded).front(),
              testing::StartsWith("gr"));
}

TEST(LowerCase, OfPiecesIsThatOfTheWhole) {
  const std::string text = "\xC3\x84PFEL \xE6\x9D\xB1 \xC4\xB0STANBUL \xF0\x90\x90\x80";
  for (size_t piece = 4; piece < text.size() + 2; ++piece) {
    EXPECT_EQ(to_lower_case(text, piece), to_lower_case(text)) << piece;
  }
}

// What a search without an index says.
bool satisfies(const std::string& value, const rdf::TextNeed& need) {
  const auto folded = [](std::string_view text) {
    std::u32string result;
    for (size_t at = 0; at < text.size();) {
      const rdf::DecodedCodePoint one = rdf::decode_code_point(text.substr(at));
      result += static_cast<char32_t>(u_foldCase(static_cast<UChar32>(one.value), 0));
      at += one.size_bytes;
    }
    return result;
  };
  if (need.letters == Letters::kFolded) {
    return folded(value).find(folded(need.text)) != std::u32string::npos;
  }
  const std::string text = need.letters == Letters::kLowered ? to_lower_case(value) : value;
  return (need.at_start ? text.starts_with(need.text)
                        : text.find(need.text) != std::string::npos) &&
         (!need.at_end || text.ends_with(need.text));
}

bool is_held(const WordPart& part, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const bool begins = !part.begins || word.starts_with(part.text);
    const bool ends = !part.ends || word.ends_with(part.text);
    if (begins && ends && (!part.begins || !part.ends || word == part.text) &&
        word.find(part.text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

// Letters that case and classes treat badly, among ordinary ones.
constexpr std::u32string_view kAlphabet =
    U"aAbBiIkKsSzZ09 -'._\n\"\\"
    U"\u00E4\u00C4\u00DF\u1E9E\u017F\u212A\u212B\u00E5\u0130\u0131\u01C5\u01C6\u0149\u00B5\u03BC"
    U"\u03A3\u03C3\u03C2\u03B1\u0391\u1FB3\u1FBC\u03B8\u03F4\u03D1\u0430\u0410\u1C80\u0432\u13A0"
    U"\uAB70\u6771\u4EAC\u0301\u0307\u0345\u00AA\u00B2\u2160\u2170\u24B6\u24D0\u0660\u0E01\u0E31"
    U"\uFB00\u00A0\u200D\u2013\u3000\U0001F600\U00010400\U00010428\U0001F130";

std::string random_text(base::Random& random, size_t characters) {
  std::string text;
  for (size_t i = 0; i < characters; ++i) {
    // Few different letters are close together, so that needles are found.
    const uint64_t range = random.below(3) == 0 ? kAlphabet.size() : 12;
    rdf::append_code_point(text, kAlphabet[random.below(range)]);
  }
  return text;
}

size_t character_begin(const std::string& text, base::Random& random) {
  size_t at = random.below(text.size() + 1);
  while (at > 0 && at < text.size() && (static_cast<uint8_t>(text[at]) & 0xC0U) == 0x80) {
    --at;
  }
  return at;
}

// A part of the value, so that it is held, with another case now and then.
rdf::TextNeed random_need(const std::string& value, base::Random& random) {
  const size_t a = character_begin(value, random);
  const size_t b = character_begin(value, random);
  rdf::TextNeed need;
  need.letters = static_cast<Letters>(random.below(3));
  const std::string source = need.letters == Letters::kLowered ? to_lower_case(value) : value;
  need.text = source.size() == value.size()
                  ? source.substr(std::min(a, b), std::max(a, b) - std::min(a, b))
                  : to_lower_case(value.substr(0, std::max(a, b)));
  if (need.letters == Letters::kFolded && random.below(2) == 0) {
    need.text = to_lower_case(need.text);
  }
  need.at_start = need.letters != Letters::kFolded && random.below(4) == 0;
  need.at_end = need.letters != Letters::kFolded && random.below(4) == 0;
  return need;
}

TEST(WordParts, AreHeldByAWordOfEveryValueThatSatisfiesTheNeed) {
  base::Random random(20'261'130);
  size_t satisfied = 0;
  size_t with_parts = 0;
  for (int round = 0; round < 60'000; ++round) {
    const std::string value = random_text(random, random.below(14));
    const rdf::TextNeed need = random_need(value, random);
    if (!satisfies(value, need)) {
      continue;
    }
    ++satisfied;
    std::vector<std::string> words;
    build::for_each_word(value, [&](std::string_view word) { words.emplace_back(word); });
    const std::vector<WordPart> all = word_parts(need);
    with_parts += all.empty() ? 0 : 1;
    for (const WordPart& part : all) {
      EXPECT_TRUE(is_held(part, words))
          << "value '" << value << "' need '" << need.text << "' part '" << part.text << "' "
          << part.begins << part.ends;
    }
  }
  EXPECT_GT(satisfied, 20'000U);
  EXPECT_GT(with_parts, 8'000U);
}

}  // namespace
}  // namespace weft::rete

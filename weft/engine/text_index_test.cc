// Answers with the text index and without it, over segments, folds and journals of random texts.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <unicode/uchar.h>

#include "weft/engine/graph.h"
#include "weft/exec/query.h"
#include "weft/exec/regex.h"
#include "weft/manifest/manifest_store.h"
#include "weft/quads/ingest.h"
#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"
#include "weft/rete/lower_case.h"
#include "weft/rete/text_words.h"
#include "weft/sparql/parser.h"
#include "weft/storage/local_store.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::engine {
namespace {

constexpr std::u32string_view kAlphabet =
    U"abAB kKsSiI01.-'\"\\\n"
    U"\u00E4\u00C4\u00DF\u1E9E\u017F\u212A\u0130\u0131\u03A3\u03C3\u03C2\u03B1\u0391\u0430\u0410"
    U"\u6771\u4EAC\u0301\u0307\u2013\u00A0\u24B6\u24D0\U0001F600\U00010400\U00010428";

class TextIndexTest : public testing::Test {
 protected:
  std::string random_text(size_t characters) {
    std::string text;
    for (size_t i = 0; i < characters; ++i) {
      const uint64_t range = random_.below(4) == 0 ? kAlphabet.size() : 8;
      rdf::append_code_point(text, kAlphabet[random_.below(range)]);
    }
    return text;
  }

  static std::string quoted(std::string_view text) {
    std::string token = "\"";
    rdf::append_escaped(token, text);
    return token + "\"";
  }

  std::string random_object() {
    const std::string text = random_text(random_.below(16));
    switch (random_.below(8)) {
      case 0:
        return quoted(text) + "@en";
      case 1:
        return quoted(text) + "^^<http://e/type>";
      case 2:
        return quoted(std::to_string(random_.below(100'000))) +
               "^^<http://www.w3.org/2001/XMLSchema#integer>";
      case 3:
        return random_.chance(1, 6) ? "<http://e/ab" + std::to_string(random_.below(5'000)) + "kA>"
                                    : quoted(text);
      default:
        return quoted(text);
    }
  }

  // Lines of N-Quads, or of a journal.
  std::string random_quads(size_t count, std::string_view prefix = {}) {
    std::string lines;
    for (size_t i = 0; i < count; ++i) {
      lines += std::string(prefix) + "<http://e/s" + std::to_string(random_.below(4'000)) +
               "> <http://e/" + (random_.chance(1, 5) ? "q" : "p") + "> " + random_object() +
               (random_.chance(1, 8) ? " <http://e/g> .\n" : " .\n");
    }
    return lines;
  }

  void write_file(const std::string& name, std::string_view text) {
    ASSERT_EQ(store_->put_if_absent(name, as_bytes(text)).value(), storage::PutOutcome::kDone);
  }

  manifest::SegmentPin build(const std::string& name, const std::string& input, bool with_index,
                             const rete::TextIndexScope& scope = {.named_graphs = true,
                                                                  .listed = {}}) {
    const std::vector<std::string> inputs = {folder_ / input};
    rete::BuildOptions options;
    if (with_index) {
      options.text_index = scope;
    }
    const auto scratch = storage::memory_scratch();
    const auto report =
        quads::build_segment_of(inputs, {}, options, executor_, *scratch, *store_, name);
    EXPECT_TRUE(report.ok());
    return {name, report->build.file_bytes, report->build.content_hash};
  }

  std::unique_ptr<Graph> open(const std::string& name) {
    auto graph = Graph::open(environment_, folder_ / name);
    EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().to_string());
    return graph.ok() ? std::move(graph).value() : nullptr;
  }

  // The rows as lines of tokens, in their order.
  std::vector<std::string> ask(Graph& graph, const std::string& text) {
    base::MemoryBudget budget("test", uint64_t{64} << 20U);
    base::Random random(1);
    exec::QueryOptions options;
    options.budget = &budget;
    options.executor = &executor_;
    options.clock = &clock_;
    options.random = &random;
    auto query = sparql::parse_query(text);
    EXPECT_TRUE(query.ok()) << text;
    auto prepared = exec::prepare(std::move(query).value(), graph.source(), options);
    EXPECT_TRUE(prepared.ok()) << text;
    const auto solutions = prepared.value()->select();
    EXPECT_TRUE(solutions.ok());
    std::vector<std::string> rows;
    for (exec::RowBatch batch;;) {
      EXPECT_TRUE(solutions.value()->next(batch).ok());
      if (batch.empty()) {
        break;
      }
      std::vector<std::string> lines(batch.rows);
      for (const exec::Column& column : batch.columns) {
        std::vector<std::string> tokens;
        EXPECT_TRUE(solutions.value()->tokens(column, tokens).ok());
        for (size_t row = 0; row < batch.rows; ++row) {
          lines[row] += tokens[row] + " ";
        }
      }
      rows.insert(rows.end(), lines.begin(), lines.end());
    }
    explanation_ = prepared.value()->explain();
    return rows;
  }

  std::string random_needle() {
    if (random_.chance(1, 5)) {  // of an IRI
      return "ab" + std::to_string(random_.below(5'000)).substr(0, 1 + random_.below(3));
    }
    std::string text = random_text(random_.below(8));
    return random_.chance(1, 3) ? rete::to_lower_case(text) : text;
  }

  // A pattern in which the needle stands by its characters, and perhaps something else.
  std::string random_pattern() {
    std::string pattern;
    for (const char c : random_needle()) {
      pattern += std::string_view(".-\"\\'").find(c) != std::string_view::npos && c != '\''
                     ? c == '"' ? "\"" : "\\" + std::string(1, c)
                     : std::string(1, c);
    }
    static const std::vector<std::string> kMore = {"",       ".*a", "b+",     "k?",     "[ab]",
                                                   "(a|b)k", "|kb", "a{2}",   "(?:ab)", "^",
                                                   "\\s",    "$",   "a{0,2}b"};
    return pattern + kMore[random_.below(kMore.size())] + (random_.chance(1, 2) ? "ab" : "");
  }

  std::string random_condition() {
    static const std::vector<std::string> kSources = {"?v", "STR(?v)", "LCASE(?v)",
                                                      "LCASE(STR(?v))", "UCASE(?v)"};
    const std::string source = kSources[random_.below(kSources.size())];
    const std::string needle = quoted(random_needle());
    switch (random_.below(9)) {
      case 0:
        return "STRSTARTS(" + source + ", " + needle + ")";
      case 1:
        return "STRENDS(" + source + ", " + needle + ")";
      case 2:
      case 3:
        return "REGEX(" + source + ", " + quoted(random_pattern()) + ")";
      case 4:
        return "REGEX(" + source + ", " + quoted(random_pattern()) + ", \"i\")";
      case 5:
        return "REGEX(" + source + ", " + needle + ", \"qi\")";
      case 6:
        return "CONTAINS(" + source + ", " + needle + "@en)";
      default:
        return "CONTAINS(" + source + ", " + needle + ")";
    }
  }

  std::string random_query() {
    static const std::vector<std::string> kPatterns = {
        "?s <http://e/p> ?v",
        "?s <http://e/p> ?v",
        "?s ?p ?v",
        "GRAPH <http://e/g> { ?s <http://e/p> ?v }",
        "GRAPH ?g { ?s <http://e/p> ?v }",
        "?s <http://e/p> ?v . ?s <http://e/q> ?w",
        "?s <http://e/p> ?v OPTIONAL { ?s <http://e/q> ?w }",
    };
    std::string condition = random_condition();
    if (random_.chance(1, 4)) {
      condition += (random_.chance(1, 2) ? " && " : " || ") + random_condition();
    } else if (random_.chance(1, 8)) {
      condition = "!" + condition;
    }
    return "SELECT * { " + kPatterns[random_.below(kPatterns.size())] + " FILTER(" + condition +
           ") }";
  }

  // Asks both graphs the same; how often the index was used.
  size_t compare(Graph& with, Graph& without, size_t rounds) {
    size_t used = 0;
    for (size_t round = 0; round < rounds; ++round) {
      const std::string query = random_query();
      std::vector<std::string> expected = ask(without, query);
      EXPECT_EQ(explanation_.find("by the text index"), std::string::npos);
      std::vector<std::string> found = ask(with, query);
      used += explanation_.find("by the text index") != std::string::npos ? 1 : 0;
      std::ranges::sort(expected);
      std::ranges::sort(found);
      EXPECT_EQ(found, expected) << query << "\n" << explanation_;
    }
    return used;
  }

  storage::TestFolder folder_;
  std::unique_ptr<storage::ObjectStore> store_ = storage::open_local_store(folder_.path()).value();
  base::InlineExecutor executor_;
  base::SystemClock clock_;
  Environment environment_{executor_, clock_, {}};
  base::Random random_{4'711};
  std::string explanation_;
};

TEST_F(TextIndexTest, ASegmentAnswersTheSameWithItAndWithout) {
  write_file("a.nq", random_quads(12'000));
  build("with.rete", "a.nq", true);
  build("without.rete", "a.nq", false);
  EXPECT_GT(compare(*open("with.rete"), *open("without.rete"), 500), 60U);
}

TEST_F(TextIndexTest, ScopesOfGraphsAndPredicatesAreKept) {
  write_file("a.nq", random_quads(12'000));
  build("without.rete", "a.nq", false);
  const auto without = open("without.rete");
  using Predicates = rete::TextIndexScope::Predicates;
  size_t number = 0;
  for (const Predicates predicates : {Predicates::kAll, Predicates::kOnly, Predicates::kAllBut}) {
    for (const std::string listed : {"<http://e/p>", "<http://e/q>"}) {
      const std::string name = "with" + std::to_string(number++) + ".rete";
      build(name, "a.nq", true,
            {.named_graphs = false, .predicates = predicates, .listed = {listed}});
      compare(*open(name), *without, 60);
    }
  }
}

TEST_F(TextIndexTest, SegmentsWithoutOneAndAJournalAreLookedThroughBesideIt) {
  const std::string text = random_quads(12'000);
  write_file("a.nq", text);
  write_file("b.nq", random_quads(100));
  write_file("c.nq", random_quads(100));
  std::string journal = random_quads(40, "+ ");
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (random_.chance(1, 300)) {
      journal += "- " + text.substr(at, end - at) + "\n";
    }
    at = end + 1;
  }
  for (const bool with_index : {true, false}) {
    const std::string name = with_index ? "with" : "without";
    manifest::LogEntry second;
    manifest::Manifest log =
        manifest::Manifest::create("g", build(name + "a.rete", "a.nq", with_index));
    second.adds = build(name + "b.rete", "b.nq", false);
    second.dels = build(name + "c.rete", "c.nq", with_index);
    ASSERT_TRUE(log.append(second).ok());
    write_file(name + ".json", log.text());
    write_file(name + ".json.changes", journal);
  }
  EXPECT_GT(compare(*open("with.json"), *open("without.json"), 250), 20U);
}

// The index is asked only once many rows went by; rows before and after come in one order.
TEST_F(TextIndexTest, UnderALimitRowsComeInTheOrderOfTheScan) {
  std::string lines;
  for (size_t i = 0; i < 60'000; ++i) {
    lines += "<http://e/s" + std::to_string(100'000 + i * 7'919 % 60'000) +
             "> <http://e/p> \"text " + std::to_string(i) + (i % 977 == 5 ? " needle" : "") +
             "\" .\n";
  }
  write_file("a.nq", lines);
  build("with.rete", "a.nq", true);
  build("without.rete", "a.nq", false);
  const auto with = open("with.rete");
  const auto without = open("without.rete");
  for (const std::string limit : {"1", "10", "25", "1000"}) {
    const std::string query =
        "SELECT ?s ?v { ?s <http://e/p> ?v FILTER(CONTAINS(?v, \"needle\")) } LIMIT " + limit;
    const std::vector<std::string> expected = ask(*without, query);
    EXPECT_EQ(ask(*with, query), expected);
    if (limit != "1") {
      EXPECT_THAT(explanation_, testing::HasSubstr("62 subjects by the text index")) << limit;
    }
  }
  EXPECT_THAT(
      ask(*with, "SELECT ?v { ?s <http://e/p> ?v FILTER(CONTAINS(?v, \"needle\")) }").size(), 62U);
  EXPECT_THAT(explanation_, testing::HasSubstr("62 subjects by the text index"));
}

// What the proof in rete/text_words.h assumes of regular expressions that ignore case: what the
// expression takes for a letter has the letter's lower case.
TEST_F(TextIndexTest, WhatRegularExpressionsTakeForALetterHasItsLowerCase) {
  std::vector<std::string> letters;
  std::string all;
  for (UChar32 c = 'A'; c < 0x1F000; ++c) {
    if (u_hasBinaryProperty(c, UCHAR_CHANGES_WHEN_CASEMAPPED) != 0) {
      std::string& letter = letters.emplace_back();
      rdf::append_code_point(letter, static_cast<char32_t>(c));
      all += letter + "\n";
    }
  }
  size_t settled = 0;
  for (const std::string& letter : letters) {
    const auto parts =
        rete::word_parts({.text = letter + letter, .letters = rdf::TextNeed::Letters::kFolded});
    if (parts.empty()) {
      continue;
    }
    ++settled;
    const auto regex = exec::Regex::compile(letter, "i").value();
    const std::string others =
        regex->replace(all, "", all.size()).value().value_or("");  // those it does not match
    std::multiset<std::string_view> left;
    size_t lines = 0;
    for (size_t at = 0; at < others.size(); ++lines) {
      const size_t end = others.find('\n', at);
      if (end != at) {
        left.insert(std::string_view(others).substr(at, end - at));
      }
      at = end + 1;
    }
    ASSERT_EQ(lines, letters.size());
    for (const std::string& other : letters) {
      if (!left.contains(other)) {
        EXPECT_EQ(rete::to_lower_case(other), rete::to_lower_case(letter)) << other << letter;
      }
    }
  }
  EXPECT_GT(settled, 1'500U);
}

}  // namespace
}  // namespace weft::engine

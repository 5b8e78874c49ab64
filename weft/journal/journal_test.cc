#include "weft/journal/journal.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::journal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Taken : ChangeSink {
  std::vector<std::string> lines;
  Status change(bool insert, const rdf::QuadView& quad) override {
    std::string line = insert ? "+" : "-";
    for (const std::string_view token : {quad.subject, quad.predicate, quad.object, quad.graph}) {
      line += token.empty() ? "" : " " + std::string(token);
    }
    lines.push_back(line);
    return ok_status();
  }
};

constexpr std::string_view kOne = "+ <s> <p> \"1\" .\n";
constexpr std::string_view kTwo = "- <s> <p> \"2\" <g> .\n";

std::string commit(uint64_t sequence, std::string_view lines, std::string_view id = "j1") {
  return mark_line(make_mark(id, sequence, lines)) + std::string(lines);
}

TEST(Journal, LinesOfReteAreReadInOrder) {
  Taken taken;
  const auto report = read_journal(
      "+ <s> <p> \"two\\nlines \\\"q\\\" caf\xC3\xA9\"@en-gb .\n- _:x <p> <o> _:g .\n"
      "+ <<<s> <p> \"1\"^^<t>>> <by> <b> .\n+ <s> <p> <<_:a <p> \">>\">> .\n",
      "j", taken);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(taken.lines, ElementsAre("+ <s> <p> \"two\\nlines \\\"q\\\" caf\xC3\xA9\"@en-gb",
                                       "- _:x <p> <o> _:g", "+ <<<s> <p> \"1\"^^<t>>> <by> <b>",
                                       "+ <s> <p> <<_:a <p> \">>\">>"));
  EXPECT_EQ(report->change_count, 4U);
  EXPECT_EQ(report->cut_bytes, 0U);
}

TEST(Journal, LaxFormsOfReteAreTaken) {
  for (const std::string_view text :
       {"+ <s> <p> \"1\" .", "+<s> <p> \"1\" .\n", "  +   <s> <p> \"1\".\r\n\n\n",
        "+ <s> <p> \"1\"^^<http://www.w3.org/2001/XMLSchema#string> .\n",
        "+ <s>\t<p>  \"\\u0031\" .\n", "+<s><p>\"1\".\n"}) {
    Taken taken;
    const auto report = read_journal(text, "j", taken);
    ASSERT_TRUE(report.ok()) << text;
    EXPECT_THAT(taken.lines, ElementsAre("+ <s> <p> \"1\"")) << text;
    EXPECT_EQ(report->cut_bytes, 0U);
  }
}

TEST(Journal, AnEmptyJournalHoldsNothing) {
  Taken taken;
  EXPECT_EQ(read_journal("", "j", taken)->change_count, 0U);
  EXPECT_EQ(read_journal("\n \n", "j", taken)->change_count, 0U);
}

TEST(Journal, ATornTailIsCutAndReported) {
  struct Case {
    std::string tail;
    std::string_view reason;
  };
  for (const Case& each :
       {Case{"+ <s> <p> _:b.", "torn line"}, Case{"+ <s> <p> \"tor", "torn"},
        Case{"+ <s> <http://e", "torn"}, Case{"+", "torn"},
        Case{std::string(8, '\0'), "zero bytes"},
        Case{"+ <s> <p> \"x" + std::string(4, '\0'), "zero bytes"},
        Case{"+ <s> <p> \"x .", "torn line: not an RDF term"}, Case{"\xC3 .", "torn"}}) {
    Taken taken;
    const auto report = read_journal(std::string(kOne) + each.tail, "j", taken);
    ASSERT_TRUE(report.ok()) << each.tail;
    EXPECT_THAT(taken.lines, ElementsAre("+ <s> <p> \"1\""));
    EXPECT_EQ(report->cut_offset, kOne.size());
    EXPECT_EQ(report->cut_bytes, each.tail.size());
    EXPECT_EQ(report->cut_line, 2U);
    EXPECT_THAT(report->cut_reason, HasSubstr(std::string(each.reason)));
  }
}

TEST(Journal, DamageBeforeTheEndStopsWithItsLine) {
  for (const std::string_view line : {
           "# c",
           "* <s> <p> <o> .",
           "+",
           "+ <s> <p> \"1\" . # c",
           "+ <s> <p> \"1\"",
           "+ <s> <p> \"1\" . <s> <p> \"2\" .",
           "+ <s> <p> \"1\" .+ <s> <p> \"2\" .",
           "\xC3\xA9 <s> <p> <o> .",
           "+ \"lit\" <p> <o> .",
           "+ <s> <p> <o> \"lit\" .",
           "+ <s> \"p\" <o> .",
           "+ <s> _:p <o> .",
           "+ <a b> <p> <o> .",
           "+ <s> <p> <o> <<<s> <p> <o>>> .",
           "+ <s> <p> \"\xFF\" .",
           "+ <s> <p> \"a\\x\" .",
           "+ <s> <p> .",
           "+ <s> <p> <o> <g> <h> .",
           "+ <s> <p> <<<a> <b> <c>> .",
       }) {
    const std::string text =
        std::string(kOne) + "\n" + std::string(line) + "\n" + std::string(kTwo);
    Taken taken;
    const auto report = read_journal(text, "j.changes", taken);
    ASSERT_FALSE(report.ok()) << line;
    EXPECT_EQ(report.error().kind(), ErrorKind::kCorrupt) << line;
    EXPECT_EQ(report.error().fact("line"), "3") << line;
    EXPECT_EQ(report.error().fact("journal"), "j.changes");
  }
}

TEST(Journal, MarksAreNoChanges) {
  const std::string text = commit(1, std::string(kOne) + std::string(kTwo)) + commit(2, kTwo);
  Taken taken;
  const auto report = read_journal(text, "j", taken);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(taken.lines,
              ElementsAre("+ <s> <p> \"1\"", "- <s> <p> \"2\" <g>", "- <s> <p> \"2\" <g>"));
  EXPECT_EQ(report->commit_count, 2U);
  EXPECT_EQ(report->last_sequence, 2U);
  EXPECT_EQ(report->journal_id, "j1");
}

TEST(Journal, ACommitIsThereAsAWholeOrNotAtAll) {
  const std::string first = commit(1, kOne);
  const std::string second = commit(2, std::string(kOne) + std::string(kTwo));
  for (size_t size = 0; size <= second.size(); ++size) {
    Taken taken;
    const auto report = read_journal(first + second.substr(0, size), "j", taken);
    ASSERT_TRUE(report.ok()) << size;
    EXPECT_EQ(taken.lines.size(), size == second.size() ? 3U : 1U) << size;
    // A mark without its newline is whole and names a commit that is not there.
    EXPECT_EQ(report->cut_bytes, size == second.size() ? 0U : size);
    EXPECT_TRUE(size == 0 || size == second.size() || report->cut_offset == first.size());
  }
}

TEST(Journal, ACommitInTheMiddleThatDiffersIsDamage) {
  const std::string second = commit(2, kTwo);
  std::string text = commit(1, kOne) + second + commit(3, kOne);
  const size_t digit = text.find("\"2\"") + 1;
  text[digit] = '3';
  Taken taken;
  const auto report = read_journal(text, "j", taken);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(report.error().fact("line"), "3");

  // The last one may be torn: a page of it never reached the disk.
  std::string torn = commit(1, kOne) + second;
  torn[digit] = '3';
  Taken before;
  const auto cut = read_journal(torn, "j", before);
  ASSERT_TRUE(cut.ok());
  EXPECT_THAT(before.lines, ElementsAre("+ <s> <p> \"1\""));
  EXPECT_EQ(cut->cut_bytes, second.size());
}

TEST(Journal, AMissingCommitOrOneOfAnotherJournalIsDamage) {
  for (const std::string& text :
       {commit(1, kOne) + commit(3, kTwo), commit(1, kOne) + commit(2, kTwo, "other"),
        commit(1, std::string(kOne) + commit(2, kTwo)),
        "+ <urn:weft:journal:1> <urn:weft:commit> \"j1 1 0 0\" .\n" + commit(1, kOne),
        "- <urn:weft:journal:1> <urn:weft:commit> \"j1 1 x\" .\n" + commit(1, kOne)}) {
    Taken taken;
    EXPECT_EQ(read_journal(text, "j", taken).error().kind(), ErrorKind::kCorrupt) << text;
  }
}

TEST(Journal, EveryByteOfTheLastCommitMayBeMissingOrWrong) {
  const std::string first = commit(1, kOne);
  const std::string second = commit(2, kTwo);
  for (size_t at = 0; at < second.size(); ++at) {
    for (const int bit : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::string text = first + second;
      text[first.size() + at] = static_cast<char>(text[first.size() + at] ^ bit);
      Taken taken;
      const auto report = read_journal(text, "j", taken);
      ASSERT_TRUE(report.ok()) << at << " " << bit << " " << report.error().to_string();
      // Cut, or whole: a mark that became the deletion of some other absent quad.
      if (report->cut_bytes > 0) {
        EXPECT_EQ(report->cut_offset, first.size()) << at << " " << bit;
        EXPECT_THAT(taken.lines, ElementsAre("+ <s> <p> \"1\""));
      } else {
        ASSERT_GE(taken.lines.size(), 3U) << at << " " << bit;
        EXPECT_EQ(taken.lines.back(), "- <s> <p> \"2\" <g>");
      }
    }
  }
}

TEST(Journal, AHoleInTheLastCommitIsCutAlsoIfItIsTheFirst) {
  std::string text = commit(1, std::string(kOne) + std::string(kTwo));
  for (size_t end = 1; end < text.size(); ++end) {
    std::string torn = text;
    std::fill_n(torn.begin(), end, '\0');
    Taken taken;
    const auto report = read_journal(torn, "j", taken);
    ASSERT_TRUE(report.ok()) << end;
    EXPECT_THAT(taken.lines, IsEmpty()) << end;
    EXPECT_EQ(report->cut_offset, 0U);
  }
}

TEST(Journal, WhatIsSealedIsCheckedAndLeftOut) {
  const std::string text = commit(4, kOne) + commit(5, kTwo) + commit(6, kOne);
  Taken taken;
  const auto report = read_journal(text, "j", taken, JournalPosition{"j1", 5});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(taken.lines, ElementsAre("+ <s> <p> \"1\""));
  EXPECT_EQ(report->sealed_commits, 2U);
  EXPECT_EQ(report->commit_count, 3U);
  Taken all;
  EXPECT_EQ(read_journal(text, "j", all, JournalPosition{"other", 5})->sealed_commits, 0U);
  EXPECT_EQ(all.lines.size(), 3U);
}

TEST(Journal, ALineThatIsWrittenReadsBack) {
  std::string line;
  append_line(line, false,
              {.subject = "_:a", .predicate = "<p>", .object = "\"x\\ny\"@en", .graph = "<g>"});
  EXPECT_EQ(line, "- _:a <p> \"x\\ny\"@en <g> .\n");
  Taken taken;
  ASSERT_TRUE(read_journal(line, "j", taken).ok());
  EXPECT_THAT(taken.lines, ElementsAre("- _:a <p> \"x\\ny\"@en <g>"));
}

TEST(Journal, LinesOfOtherWritersStandBetweenCommits) {
  Taken taken;
  const auto report = read_journal(
      commit(4, kOne) + std::string(kTwo) + commit(5, kOne) + std::string(kTwo), "j", taken);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(taken.lines.size(), 4U);
  EXPECT_EQ(report->last_sequence, 5U);
}

}  // namespace
}  // namespace weft::journal

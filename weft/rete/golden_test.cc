// The files of the real engines, both generations.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "weft/base/executor.h"
#include "weft/rete/dump.h"
#include "weft/rete/segment.h"
#include "weft/rete/testing/segment_probe.h"
#include "weft/rete/verify.h"

namespace weft::rete {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Triple terms are printed by the engine as <<( s p o )>>, and by us as they are stored.
std::string storage_spelling(std::string line) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"<<( ", "<<"},
                                 {" )>>", ">>"},
                                 {"<< ", "<<"},
                                 {" >>", ">>"}}) {
    for (size_t at = line.find(from); at != std::string::npos; at = line.find(from, at)) {
      line.replace(at, from.size(), to);
    }
  }
  return line;
}

class Golden : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test_data("rete-golden");
    if (folder_.empty()) {
      GTEST_SKIP() << "WEFT_TESTDATA/rete-golden is absent: golden files are not read";
    }
  }
  std::string folder_;
};

TEST_F(Golden, EveryFileDumpsToWhatTheEngineExports) {
  size_t count = 0;
  for (const std::string& name : files_in(folder_, ".rete")) {
    if (name.starts_with("damaged")) {
      continue;
    }
    SCOPED_TRACE(name);
    auto segment = Segment::open(bytes_reader(read_whole(folder_ + "/" + name)), {});
    ASSERT_TRUE(segment.ok()) << segment.error().to_string();
    const auto lines = dump_lines(**segment, false);
    ASSERT_TRUE(lines.ok()) << lines.error().to_string();
    std::vector<std::string> expected =
        lines_of(read_whole(folder_ + "/" + name.substr(0, name.find('.')) + ".sorted.nq"));
    for (std::string& line : expected) {
      line = storage_spelling(std::move(line));
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(*lines, expected);
    ++count;
  }
  EXPECT_GE(count, 40U);
}

TEST_F(Golden, EveryFileVerifies) {
  base::ThreadPool pool(2);
  for (const std::string& name : files_in(folder_, ".rete")) {
    SCOPED_TRACE(name);
    VerifyOptions options;
    options.executor = &pool;
    uint64_t last = 0;
    options.progress = [&](const VerifyProgress& progress) {
      EXPECT_GE(progress.done_bytes, last);
      last = progress.done_bytes;
    };
    const auto report = verify(bytes_reader(read_whole(folder_ + "/" + name)), options);
    if (name.starts_with("damaged")) {
      ASSERT_FALSE(report.ok());
      EXPECT_EQ(report.error().kind(), ErrorKind::kCorrupt) << report.error().to_string();
      EXPECT_EQ(report.error().fact("file"), "memory.rete");
      EXPECT_FALSE(report.error().fact("section").empty());
    } else {
      EXPECT_TRUE(report.ok()) << report.error().to_string();
    }
  }
}

TEST_F(Golden, DamagedFilesAnswerNothing) {
  for (const std::string& name : files_in(folder_, ".rete")) {
    if (!name.starts_with("damaged")) {
      continue;
    }
    SCOPED_TRACE(name);
    for (const Answer& answer : ask_everything(bytes_reader(read_whole(folder_ + "/" + name)), {},
                                               {"<http://ex.org/a>"})) {
      EXPECT_TRUE(answer.is_error || answer.question == "card") << answer.question;
      if (answer.is_error) {
        EXPECT_EQ(answer.kind, ErrorKind::kCorrupt) << answer.text;
      }
    }
  }
}

TEST_F(Golden, BothGenerationsAnswerAlike) {
  // Same input, same dictionary: ids are equal, so all answers are.
  for (const std::string stem : {"blocks.min", "one.min", "two.min", "star.min", "empty.min"}) {
    SCOPED_TRACE(stem);
    const auto five = ask_everything(bytes_reader(read_whole(folder_ + "/" + stem + ".05.rete")),
                                     {}, {"<http://ex.org/a>"});
    const auto six = ask_everything(bytes_reader(read_whole(folder_ + "/" + stem + ".06.rete")), {},
                                    {"<http://ex.org/a>"});
    ASSERT_EQ(five.size(), six.size());
    for (size_t i = 0; i < five.size(); ++i) {
      EXPECT_FALSE(five[i].is_error) << five[i].text;
      if (five[i].question != "counts") {  // estimates depend on how things are stored
        EXPECT_EQ(five[i].text, six[i].text) << five[i].question;
      }
    }
  }
}

TEST_F(Golden, LabelsAreAllFound) {
  for (const std::string name : {"labels.labels.05.rete", "labels.labels.06.rete"}) {
    SCOPED_TRACE(name);
    auto segment = Segment::open(bytes_reader(read_whole(folder_ + "/" + name)), {});
    ASSERT_TRUE(segment.ok());
    const auto all = (*segment)->labels_with_prefix("", 1'000'000);
    ASSERT_TRUE(all.ok()) << all.error().to_string();
    EXPECT_GT(all->size(), 100U);
    // Every prefix of every key finds exactly the keys that begin with it.
    std::set<std::string> prefixes;
    for (const LabelMatch& match : *all) {
      prefixes.insert(match.key.substr(0, 3));
      prefixes.insert(match.key);
    }
    for (const std::string& prefix : prefixes) {
      const auto found = (*segment)->labels_with_prefix(prefix, 1'000'000);
      ASSERT_TRUE(found.ok());
      const auto expected = std::count_if(all->begin(), all->end(), [&](const LabelMatch& match) {
        return match.key.starts_with(prefix);
      });
      EXPECT_EQ(found->size(), static_cast<size_t>(expected)) << prefix;
    }
  }
}

TEST_F(Golden, WordsAreFound) {
  for (const std::string name : {"text.text.05.rete", "text.text.06.rete", "text.textall.06.rete",
                                 "text.textpart.05.rete", "text.textpart.06.rete"}) {
    SCOPED_TRACE(name);
    auto segment = Segment::open(bytes_reader(read_whole(folder_ + "/" + name)), {});
    ASSERT_TRUE(segment.ok());
    const auto scope = (*segment)->text_scope();
    ASSERT_TRUE(scope.ok()) << scope.error().to_string();
    ASSERT_TRUE(scope->has_value());
    EXPECT_EQ((*scope)->covers_named_graphs, name.find("textall") != std::string::npos);
    EXPECT_EQ((*scope)->predicates == TextScope::Predicates::kOnly,
              name.find("textpart") != std::string::npos);
    EXPECT_FALSE((*segment)->subjects_with_word("nosuchword")->size() > 0);
  }
}

}  // namespace
}  // namespace weft::rete

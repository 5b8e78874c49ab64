// R2 of segment.h: whatever bit of a file is wrong, each answer is the right one or kCorrupt.
#include <set>

#include <gtest/gtest.h>

#include "weft/rete/testing/segment_maker.h"
#include "weft/rete/testing/segment_probe.h"

namespace weft::rete {
namespace {

const std::vector<std::string>& asked_tokens() {
  static const std::vector<std::string> tokens = {
      "<http://example.org/s1>", "<http://example.org/p1>",
      "<http://example.org/o1>", "<http://ex.org/a>",
      "<http://ex.org/p>",       "\"1\"",
      "<http://ex/nothing>",     "_:n1"};
  return tokens;
}

void expect_same_or_corrupt(const std::vector<Answer>& sound, const std::vector<Answer>& answers,
                            const std::string& what) {
  for (size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    if (answer.is_error) {
      ASSERT_EQ(answer.kind, ErrorKind::kCorrupt)
          << what << ": " << answer.question << ": " << answer.text;
    } else {
      ASSERT_EQ(answers.size(), sound.size());
      ASSERT_TRUE(answer.text == sound[i].text)
          << what << ": another answer to " << answer.question;
    }
  }
}

// Every bit, or (one_per_byte) one bit of each byte, a different one each time.
void flip_bits(const std::string& bytes, bool one_per_byte, const SegmentOptions& options = {}) {
  const std::vector<Answer> sound = ask_everything(bytes_reader(bytes), options, asked_tokens());
  for (const Answer& answer : sound) {
    ASSERT_FALSE(answer.is_error) << answer.question << ": " << answer.text;
  }
  for (size_t byte = 0; byte < bytes.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (one_per_byte && bit != (byte * 5 + byte / 8) % 8) {
        continue;
      }
      std::string damaged = bytes;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      expect_same_or_corrupt(
          sound, ask_everything(bytes_reader(std::move(damaged)), options, asked_tokens()),
          "bit " + std::to_string(bit) + " of byte " + std::to_string(byte));
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }
}

void cut_everywhere(const std::string& bytes) {
  const std::vector<Answer> sound = ask_everything(bytes_reader(bytes), {}, asked_tokens());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<Answer> answers =
        ask_everything(bytes_reader(bytes.substr(0, size)), {}, asked_tokens());
    ASSERT_EQ(answers.size(), 1U) << "opened although cut to " << size;
    ASSERT_EQ(answers[0].kind, ErrorKind::kCorrupt) << answers[0].text;
  }
}

TEST(BitFlip, OurFilesNeverAnswerWrongly) {
  BuildOptions options;
  options.label_index = true;
  options.text_index = TextIndexScope{};
  std::vector<QuadText> quads = random_quads(1, 40, 3);
  quads.push_back({"<http://example.org/s1>", "<http://www.w3.org/2000/01/rdf-schema#label>",
                   "\"Some Label\"", ""});
  flip_bits(make_segment(quads, options), true);
}

TEST(BitFlip, OurSmallestFileNeverAnswersWrongly) {
  flip_bits(make_segment(random_quads(2, 6, 1)), false);
}

TEST(BitFlip, OurFilesAreCheckedBlockByBlock) {
  // More than one digest block in the data region; codec 0 makes the file long.
  BuildOptions options;
  options.compress = false;
  const std::string bytes = make_segment(random_quads(3, 6000, 2), options);
  ASSERT_GT(bytes.size(), 3 * 65536U);
  const std::vector<Answer> sound = ask_everything(bytes_reader(bytes), {}, asked_tokens());
  for (size_t byte = 100; byte < bytes.size(); byte += bytes.size() / 100) {
    std::string damaged = bytes;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 4);
    expect_same_or_corrupt(sound, ask_everything(bytes_reader(damaged, true), {}, asked_tokens()),
                           "remote, byte " + std::to_string(byte));
    expect_same_or_corrupt(sound, ask_everything(bytes_reader(damaged), {}, asked_tokens()),
                           "local, byte " + std::to_string(byte));
  }
}

TEST(BitFlip, FilesWithoutDigestsAreCheckedAsAWhole) {
  BuildOptions options;
  options.block_digests = false;
  options.label_index = true;
  options.text_index = TextIndexScope{};
  flip_bits(make_segment(random_quads(4, 30, 3), options), true);
}

class GoldenBitFlip : public testing::TestWithParam<std::pair<const char*, bool>> {};

TEST_P(GoldenBitFlip, NeverAnswersWrongly) {
  const std::string folder = test_data("rete-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/rete-golden is absent";
  }
  const auto [name, one_per_byte] = GetParam();
  flip_bits(read_whole(folder + "/" + name), one_per_byte);
}

INSTANTIATE_TEST_SUITE_P(
    Files, GoldenBitFlip,
    testing::Values(std::pair{"one.min.06.rete", false}, std::pair{"star.min.06.rete", false},
                    std::pair{"star.min.05.rete", false}, std::pair{"two.05old.rete", false},
                    std::pair{"empty.min.05.rete", false}, std::pair{"two.conv.06.rete", false},
                    std::pair{"graphs-few.05old.rete", true},
                    std::pair{"labels.labels.05.rete", true},
                    std::pair{"labels.labels.06.rete", true},
                    std::pair{"text.textpart.05.rete", true}, std::pair{"pyramid.05.rete", true}));

TEST(Truncation, EveryLengthIsRefused) {
  cut_everywhere(make_segment(random_quads(5, 20, 2)));
  const std::string folder = test_data("rete-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/rete-golden is absent: only our own file was cut";
  }
  for (const char* name : {"star.min.05.rete", "star.min.06.rete", "two.05old.rete"}) {
    SCOPED_TRACE(name);
    cut_everywhere(read_whole(folder + "/" + name));
  }
}

}  // namespace
}  // namespace weft::rete

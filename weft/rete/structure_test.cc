// Files whose digests are right and whose structure is not: another writer's mistake, or malice.
// They may be refused or answer something; they must not crash, hang or run away with memory.
#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/rete/format.h"
#include "weft/rete/testing/reseal.h"
#include "weft/rete/testing/segment_maker.h"
#include "weft/rete/testing/segment_probe.h"
#include "weft/rete/verify.h"

namespace weft::rete {
namespace {

void expect_sane(const std::string& bytes) {
  for (const Answer& answer : ask_everything(bytes_reader(bytes), {}, {"<http://ex.org/a>", ""})) {
    if (answer.is_error) {
      ASSERT_TRUE(answer.kind == ErrorKind::kCorrupt || answer.kind == ErrorKind::kUnsupported ||
                  answer.kind == ErrorKind::kInvalid)
          << answer.question << ": " << answer.text;
    }
  }
  const auto report = verify(bytes_reader(bytes), {});
  if (!report.ok()) {
    ASSERT_TRUE(report.error().kind() == ErrorKind::kCorrupt ||
                report.error().kind() == ErrorKind::kUnsupported ||
                report.error().kind() == ErrorKind::kInvalid)
        << report.error().to_string();
  }
}

// Changes bytes anywhere behind `from`, seals, asks. Returns how many mutants verify refused.
size_t mutate(const std::string& bytes, size_t from, size_t rounds, void (*reseal)(std::string&)) {
  base::Random random(5);
  size_t refused = 0;
  for (size_t round = 0; round < rounds && !testing::Test::HasFatalFailure(); ++round) {
    std::string mutant = bytes;
    const size_t changes = 1 + random.below(3);
    for (size_t i = 0; i < changes; ++i) {
      const size_t at = from + random.below(mutant.size() - from);
      mutant[at] = static_cast<char>(random.chance(1, 2) ? mutant[at] ^ (1 << random.below(8))
                                                         : random.next());
    }
    reseal(mutant);
    expect_sane(mutant);
    refused += verify(bytes_reader(mutant), {}).ok() ? 0 : 1;
  }
  return refused;
}

TEST(Structure, ResealingASoundFileChangesNothing) {
  BuildOptions options;
  options.label_index = true;
  const std::string bytes = make_segment(random_quads(41, 300, 4), options);
  std::string sealed = bytes;
  reseal6(sealed);
  EXPECT_EQ(sealed, bytes);
}

TEST(Structure, MutantsOfGenerationSixDoNoHarm) {
  BuildOptions options;
  options.compress = false;  // so that a change reaches the structure, not the decompressor
  options.label_index = true;
  options.text_index = TextIndexScope{};
  const std::string bytes = make_segment(random_quads(42, 120, 5), options);
  const size_t refused = mutate(bytes, kHeaderBytes6, 3000, reseal6);
  EXPECT_GT(refused, 2000U);
}

TEST(Structure, MutantsOfGenerationFiveDoNoHarm) {
  const std::string folder = test_data("rete-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/rete-golden is absent";
  }
  for (const char* name : {"star.min.05.rete", "two.05old.rete", "graphs-few.05old.rete",
                           "labels.labels.05.rete", "text.textpart.05.rete"}) {
    SCOPED_TRACE(name);
    std::string bytes = read_whole(folder + "/" + name);
    std::string sealed = bytes;
    reseal5(sealed);
    EXPECT_EQ(sealed, bytes);
    mutate(bytes, 24, 400, reseal5);
  }
}

TEST(Structure, VerifyTellsOrdersThatDisagree) {
  // One triple more in one permutation than in another cannot be built; so exchange two sections'
  // bytes of equal length instead: POS gets the tiles of OSP.
  BuildOptions options;
  options.compress = false;
  options.six_permutations = false;
  options.schema = false;
  const std::vector<QuadText> quads = {{"<http://e/a>", "<http://e/p>", "<http://e/b>", ""},
                                       {"<http://e/b>", "<http://e/p>", "<http://e/a>", ""}};
  const std::string bytes = make_segment(quads, options);
  ASSERT_TRUE(verify(bytes_reader(bytes), {}).ok());
  // s, p, o of SPO: (1 1 2) (2 1 1); the object of the second row becomes 2.
  std::string mutant = bytes;
  const std::string spo("\x01\x02\x01\x01\x01\x02\x02\x02\x01\x01\x01\x01\x02\x01\x01\x01\x01\x01",
                        18);
  const size_t at = mutant.find(spo);
  ASSERT_NE(at, std::string::npos);
  mutant[at + 17] = '\x02';
  mutant[at + 4] = '\x02';  // the zone map
  reseal6(mutant);
  const auto report = verify(bytes_reader(mutant), {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind(), ErrorKind::kCorrupt);
}

TEST(Structure, VerifyTellsATermThatHasTwoIds) {
  BuildOptions options;
  options.compress = false;
  options.six_permutations = false;
  options.schema = false;
  // Subjects a and b, objects c and d: as sections they are disjoint.
  const std::vector<QuadText> quads = {{"<http://e/a>", "<http://e/p>", "<http://e/c>", ""},
                                       {"<http://e/b>", "<http://e/p>", "<http://e/d>", ""}};
  const std::string bytes = make_segment(quads, options);
  ASSERT_TRUE(verify(bytes_reader(bytes), {}).ok());
  // The object c becomes a, which is a subject, too.
  const size_t object = bytes.find("<http://e/c>");
  ASSERT_NE(object, std::string::npos);
  std::string mutant = bytes;
  for (size_t at = object; at != std::string::npos; at = mutant.find("<http://e/c>", at)) {
    mutant[at + 10] = 'a';
  }
  reseal6(mutant);
  const auto report = verify(bytes_reader(mutant), {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(report.error().fact("term"), "<http://e/a>") << report.error().to_string();
}

}  // namespace
}  // namespace weft::rete

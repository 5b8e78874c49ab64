// The parts of the builder that keep large data in order: tokens, rows, spools, strings, words.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/rete/build/label_blocks.h"
#include "weft/rete/build/row_sorter.h"
#include "weft/rete/build/string_sorter.h"
#include "weft/rete/build/token_sort.h"
#include "weft/rete/build/unicode_text.h"

namespace weft::rete::build {
namespace {

std::string random_bytes(base::Random& random, size_t size_max, uint64_t alphabet) {
  std::string text(random.below(size_max + 1), '\0');
  for (char& c : text) {
    c = static_cast<char>(random.below(alphabet));
  }
  return text;
}

// A space with very little memory.
struct TightSpace {
  explicit TightSpace(size_t threads = 1, uint64_t scratch_bytes_max = UINT64_MAX)
      : executor(threads),
        scratch(storage::memory_scratch(scratch_bytes_max)),
        space{.executor = executor,
              .scratch = *scratch,
              .spools = budget,
              .sort_bytes = 100'000,
              .codec = codec,
              .stop = {},
              .progress = {}} {}
  base::ThreadPool executor;
  std::unique_ptr<storage::ScratchSpace> scratch;
  base::MemoryBudget budget{"test memory", 1 << 20U};
  BlockCodec codec{true, 3};
  BuildSpace space;
};

TEST(TokenSort, AnyBytesComeInByteOrder) {
  base::Random random(1);
  for (const uint64_t alphabet : {1U, 2U, 256U}) {
    std::string arena;
    std::vector<TokenRef> refs;
    std::vector<std::string> expected;
    for (uint32_t i = 0; i < 3000; ++i) {
      const std::string prefix(random.below(4) * 9, 'p');
      const std::string token = prefix + random_bytes(random, 30, alphabet);
      refs.push_back({.offset = static_cast<uint32_t>(arena.size()),
                      .length_and_roles = static_cast<uint32_t>(token.size() << 2U),
                      .id = i});
      arena += token;
      expected.push_back(token);
    }
    sort_tokens(refs, arena.data());
    std::sort(expected.begin(), expected.end());
    for (size_t i = 0; i < refs.size(); ++i) {
      ASSERT_EQ(arena.substr(refs[i].offset, refs[i].length()), expected[i]);
    }
  }
}

TEST(TokenSort, LongCommonPrefixesNeedNoDepth) {
  std::string arena;
  std::vector<TokenRef> refs;
  for (uint32_t i = 0; i < 2000; ++i) {  // each is a prefix of the next one
    refs.push_back({.offset = 0, .length_and_roles = (2000 - i) << 2U, .id = i});
  }
  arena.assign(2000, 'a');
  sort_tokens(refs, arena.data());
  for (uint32_t i = 0; i < refs.size(); ++i) {
    ASSERT_EQ(refs[i].length(), i + 1);
  }
}

TEST(RowSorterThreads, SortsWhateverTheMemory) {
  base::Random random(2);
  TightSpace tight(3);
  for (const uint32_t value_max : {1U, 50U, 1'000'000U, UINT32_MAX}) {
    std::vector<Row<3>> rows;
    ColumnHistogram histogram(1, value_max);
    for (size_t i = 0; i < 60000; ++i) {
      // A hub takes half of the rows.
      const uint32_t leading =
          random.chance(1, 2) ? 1 : static_cast<uint32_t>(1 + random.below(value_max));
      rows.push_back({{leading, static_cast<uint32_t>(1 + random.below(5)),
                       static_cast<uint32_t>(1 + random.below(3000))}});
      histogram.add(leading);
    }
    RowSorter<3> sorter({{0, 1, value_max}, {1, 1, 5}, {2, 1, 3000}}, histogram, true, tight.space);
    for (size_t at = 0; at < rows.size(); at += 1000) {
      ASSERT_TRUE(sorter.accept(std::span(rows).subspan(at, 1000)).ok());
    }
    std::vector<Row<3>> sorted;
    const Status status = sorter.emit([&sorted](std::span<const Row<3>> batch) {
      sorted.insert(sorted.end(), batch.begin(), batch.end());
      return ok_status();
    });
    ASSERT_TRUE(status.ok()) << status.error().to_string();
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    EXPECT_TRUE(sorted == rows) << value_max;
  }
}

// A hub that is not the least value, as a graph name among all subjects is: what is sorted once
// more is narrower each time, and as much scratch space as the rows take a few times over is
// enough.
TEST(RowSorterThreads, ARangeWithAllRowsInOnePlaceIsNarrowed) {
  for (const std::vector<uint32_t>& hubs : {std::vector<uint32_t>{3'000'000'000U},
                                            {UINT32_MAX},
                                            {700'000U},
                                            {5U, UINT32_MAX - 1},
                                            {2'000'000'000U, 2'000'000'001U}}) {
    constexpr size_t kRows = 400'000;
    TightSpace tight(2, 6 * kRows * sizeof(Row<3>));
    ColumnHistogram histogram(1, UINT32_MAX);
    std::vector<Row<3>> rows;
    base::Random random(4);
    for (size_t i = 0; i < kRows; ++i) {
      const uint32_t leading = hubs[random.below(hubs.size())];
      rows.push_back({{leading, static_cast<uint32_t>(random.next()), 7}});
      histogram.add(leading);
    }
    RowSorter<3> sorter({{0, 1, UINT32_MAX}, {1, 0, UINT32_MAX}}, histogram, false, tight.space);
    ASSERT_TRUE(sorter.accept(rows).ok());
    std::vector<Row<3>> sorted;
    const Status status = sorter.emit([&sorted](std::span<const Row<3>> batch) {
      sorted.insert(sorted.end(), batch.begin(), batch.end());
      return ok_status();
    });
    ASSERT_TRUE(status.ok()) << status.error().to_string();
    std::sort(rows.begin(), rows.end());
    EXPECT_TRUE(sorted == rows) << hubs.front();
  }
}

TEST(RowSorter, IsStableInTheColumnsItDoesNotSortBy) {
  TightSpace tight;
  ColumnHistogram histogram(1, 10);
  std::vector<Row<3>> rows;
  for (uint32_t i = 0; i < 50000; ++i) {
    rows.push_back({{i, i % 10 + 1, 0}});
    histogram.add(i % 10 + 1);
  }
  RowSorter<3> sorter({{1, 1, 10}}, histogram, false, tight.space);
  ASSERT_TRUE(sorter.accept(rows).ok());
  std::vector<Row<3>> sorted;
  ASSERT_TRUE(sorter
                  .emit([&sorted](std::span<const Row<3>> batch) {
                    sorted.insert(sorted.end(), batch.begin(), batch.end());
                    return ok_status();
                  })
                  .ok());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row<3>& a, const Row<3>& b) { return a.at[1] < b.at[1]; });
  EXPECT_TRUE(sorted == rows);
}

TEST(StringSorter, SpilledStringsComeOnceAndInOrder) {
  base::Random random(3);
  TightSpace tight;
  StringSorter sorter(tight.space);
  std::set<std::string> expected;
  for (size_t i = 0; i < 20000; ++i) {
    const std::string text = random_bytes(random, 12, 5);
    expected.insert(text);
    ASSERT_TRUE(sorter.add(text).ok());
  }
  std::vector<std::string> sorted;
  ASSERT_TRUE(sorter
                  .for_each([&sorted](std::string_view text) {
                    sorted.emplace_back(text);
                    return ok_status();
                  })
                  .ok());
  EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end()));
}

TEST(Spool, GivesBackWhatWasAppendedBeyondItsBudget) {
  TightSpace tight;
  Spool spool(*tight.scratch, tight.budget);
  std::string expected;
  base::Random random(4);
  for (size_t i = 0; i < 400; ++i) {
    const std::string piece = random_bytes(random, 20000, 256);
    expected += piece;
    ASSERT_TRUE(spool.append(as_bytes(piece)).ok());
  }
  ASSERT_GT(expected.size(), tight.budget.limit_bytes());
  EXPECT_LE(tight.budget.peak_bytes(), tight.budget.limit_bytes());
  std::string all;
  ASSERT_TRUE(spool.read(0, spool.size(), all).ok());
  EXPECT_TRUE(all == expected);
  ASSERT_TRUE(spool.read(123456, 654321, all).ok());
  EXPECT_TRUE(all == expected.substr(123456, 654321));
}

TEST(UnicodeText, WordsAreRunsOfLettersAndDigitsInLowerCase) {
  const auto words = [](std::string_view text) {
    std::string joined;
    for_each_word(text, [&joined](std::string_view word) { joined += std::string(word) + "|"; });
    return joined;
  };
  EXPECT_EQ(words("Ein Haus, 2 Häuser; ΟΔΟΣ-x a1"), "ein|haus|häuser|οδος|a1|");
  EXPECT_EQ(words(""), "");
  EXPECT_EQ(words("x y z"), "");
}

TEST(UnicodeText, LabelsAreTrimmedAndCutAtCharacters) {
  EXPECT_EQ(normalize_label("  a \t b\n"), "a b");
  EXPECT_EQ(normalize_label(" \n"), "");
  const std::string word(511, 'x');
  EXPECT_EQ(normalize_label(word + "é"), word);
  EXPECT_EQ(normalize_label(word + " y z"), word);
  EXPECT_EQ(normalize_label(std::string(512, 'x') + " y"), std::string(512, 'x'));
}

TEST(PackedLabels, SortAsTheirPartsDo) {
  base::Random random(5);
  std::vector<std::pair<std::string, std::string>> parts;
  for (size_t i = 0; i < 500; ++i) {
    parts.emplace_back(random_bytes(random, 4, 2), random_bytes(random, 4, 2));
  }
  for (const auto& a : parts) {
    const std::string packed = pack_label({a.first, a.second, "label"});
    const UnpackedLabel unpacked = unpack_label(packed);
    EXPECT_EQ(unpacked.key, a.first);
    EXPECT_EQ(unpacked.subject, a.second);
    EXPECT_EQ(unpacked.label, "label");
    for (const auto& b : parts) {
      if (a != b) {
        EXPECT_EQ(packed < pack_label({b.first, b.second, "label"}), a < b);
      }
    }
  }
}

}  // namespace
}  // namespace weft::rete::build

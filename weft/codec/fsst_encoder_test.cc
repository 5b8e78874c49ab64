#include "weft/codec/fsst_encoder.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/codec/varint.h"

namespace weft::codec {
namespace {

// A decoder made from the table's bytes alone.
std::string decode(const std::string& table, const uint8_t* codes, size_t size) {
  ByteReaderView reader(as_bytes(table));
  const uint64_t header = reader.u64();
  EXPECT_EQ(header >> 32U, 0x46535354U);
  EXPECT_EQ(header >> 24U & 1U, 1U);
  const size_t count = header & 0xffU;
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    if (codes[i] == 255) {
      out.push_back(static_cast<char>(codes[++i]));
    } else {
      EXPECT_LT(codes[i], count);
      out.append(table, 8 + 8 * size_t{codes[i]},
                 static_cast<uint8_t>(table[8 + 8 * count + codes[i]]));
    }
  }
  return out;
}

struct Values {
  std::string text;
  std::vector<uint64_t> offsets{0};
  void add(std::string_view value) {
    text += value;
    offsets.push_back(text.size());
  }
  std::string_view at(size_t i) const {
    return std::string_view(text).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  size_t count() const { return offsets.size() - 1; }
};

// Encodes every value, checks that it comes back, and returns the ratio.
double round_trip(const Values& values) {
  const FsstEncoder encoder = FsstEncoder::train(as_bytes(values.text), values.offsets);
  const std::string table = encoder.table();
  EXPECT_EQ(table.size(), kFsstTableBytes);
  size_t total = 0;
  // Exactly the room that is asked for, again.
  std::vector<uint8_t> all(2 * values.text.size() + 1);
  std::vector<uint64_t> ends(values.offsets.size());
  const std::string text(values.text);
  encoder.encode_all(as_bytes(text), values.offsets, all.data(), ends);
  for (size_t i = 0; i < values.count(); ++i) {
    // Exactly the room that is asked for: a sanitizer sees what goes beyond.
    std::vector<uint8_t> codes(2 * values.at(i).size() + 1);
    const size_t size = encoder.encode(as_bytes(values.at(i)), codes.data());
    EXPECT_EQ(decode(table, codes.data(), size), values.at(i)) << i;
    EXPECT_EQ(ends[i], total);
    EXPECT_TRUE(std::equal(codes.begin(), codes.begin() + static_cast<ptrdiff_t>(size),
                           all.begin() + static_cast<ptrdiff_t>(total)))
        << i;
    total += size;
  }
  EXPECT_EQ(ends.back(), total);
  return values.text.empty() ? 1
                             : static_cast<double>(total) / static_cast<double>(values.text.size());
}

TEST(FsstEncoder, WordsShrink) {
  base::Random random(3);
  std::vector<std::string> words;
  for (int i = 0; i < 300; ++i) {
    std::string word;
    for (uint64_t n = 3 + random.below(7); n > 0; --n) {
      word.push_back(static_cast<char>('a' + random.below(20)));
    }
    words.push_back(word);
  }
  Values values;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (uint64_t n = 5 + random.below(20); n > 0; --n) {
      text += words[random.below(words.size())] + " ";
    }
    values.add(text);
  }
  EXPECT_LT(round_trip(values), 0.6);
}

TEST(FsstEncoder, AddressesShrinkToAThird) {
  Values values;
  for (int i = 0; i < 5000; ++i) {
    values.add("https://example.org/resource/" + std::to_string(i * 7919) + "/page");
  }
  EXPECT_LT(round_trip(values), 0.36);
}

TEST(FsstEncoder, RandomBytesAndEdgesComeBack) {
  base::Random random(5);
  for (int seed = 0; seed < 40; ++seed) {
    Values values;
    const uint64_t alphabet = 1 + random.below(256);
    const uint64_t longest = 1 + random.below(40);
    for (uint64_t n = random.below(400); n > 0; --n) {
      std::string text;
      for (uint64_t k = random.below(longest); k > 0; --k) {
        text.push_back(static_cast<char>(random.below(alphabet)));
      }
      values.add(text);
    }
    round_trip(values);
  }
}

TEST(FsstEncoder, ZerosInsideAndBehindAValueAreNotConfused) {
  Values values;
  for (int i = 0; i < 2000; ++i) {
    values.add(std::string(static_cast<size_t>(i % 11), '\0'));
    values.add(std::string("ab\0\0", static_cast<size_t>(i % 5)));
  }
  EXPECT_LT(round_trip(values), 0.5);
}

TEST(FsstEncoder, OneTrainingIsAsTheNext) {
  Values values;
  for (int i = 0; i < 3000; ++i) {
    values.add("item " + std::to_string(i * 31) + " of the list");
  }
  const FsstEncoder a = FsstEncoder::train(as_bytes(values.text), values.offsets);
  const FsstEncoder b = FsstEncoder::train(as_bytes(values.text), values.offsets);
  EXPECT_EQ(a.table(), b.table());
  EXPECT_LT(a.sample_ratio(), 0.5);
}

TEST(FsstEncoder, NothingToLearnFromIsNoProblem) {
  Values values;
  EXPECT_EQ(round_trip(values), 1);
  values.add("");
  EXPECT_EQ(round_trip(values), 1);
}

}  // namespace
}  // namespace weft::codec

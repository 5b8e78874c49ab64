#include "weft/codec/lane_packing.h"

#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/random.h"

namespace weft::codec {
namespace {

// The format document's sentence, bit by bit: where value r of lane l lies.
template <typename T>
T slow_value(const std::vector<T>& words, uint32_t width, size_t element) {
  constexpr size_t kBits = sizeof(T) * 8;
  constexpr size_t kLanes = 1024 / kBits;
  constexpr std::array<size_t, 8> kOrder = {0, 4, 2, 6, 1, 5, 3, 7};
  for (size_t row = 0; row < kBits; ++row) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (kOrder[row / 8] * 16 + (row % 8) * 128 + lane != element) {
        continue;
      }
      T value = 0;
      for (size_t bit = 0; bit < width; ++bit) {
        const size_t at = row * width + bit;
        const T word = words[kLanes * (at / kBits) + lane];
        value = static_cast<T>(value | static_cast<T>(((word >> (at % kBits)) & 1U)) << bit);
      }
      return value;
    }
  }
  ADD_FAILURE() << "element " << element << " is in no lane";
  return 0;
}

template <typename T>
class LanePacking : public testing::Test {};
using Words = testing::Types<uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(LanePacking, Words);

TYPED_TEST(LanePacking, EveryWidthComesBackAndLiesWhereTheFormatSays) {
  using T = TypeParam;
  base::Random random(17);
  for (uint32_t width = 0; width <= sizeof(T) * 8; ++width) {
    std::array<T, 1024> values{};
    for (T& value : values) {
      value = width == 0 ? T{0}
                         : static_cast<T>(static_cast<T>(random.next()) >> (sizeof(T) * 8 - width));
    }
    std::vector<T> words(packed_word_count<T>(width), T{0x5a});
    pack_lanes<T>(values, width, words);
    std::array<T, 1024> back{};
    back.fill(T{0x33});
    unpack_lanes<T>(words, width, back);
    EXPECT_EQ(values, back) << "width " << width;
    // One by one, from words that are not aligned.
    std::vector<std::byte> bytes(1 + words.size() * sizeof(T));
    if (!words.empty()) {
      std::memcpy(bytes.data() + 1, words.data(), words.size() * sizeof(T));
    }
    for (size_t element = 0; element < 1024; ++element) {
      EXPECT_EQ(unpack_value<T>(ByteView(bytes).subspan(1), width, element), values[element]);
    }
    for (size_t element = 0; element < 1024; element += 37) {
      EXPECT_EQ(slow_value<T>(words, width, element), values[element]) << width << " " << element;
    }
  }
}

TYPED_TEST(LanePacking, WidthIsThatOfTheLargest) {
  using T = TypeParam;
  EXPECT_EQ(width_of<T>(std::vector<T>{0, 0}), 0U);
  EXPECT_EQ(width_of<T>(std::vector<T>{1, 5, 2}), 3U);
  EXPECT_EQ(width_of<T>(std::vector<T>{static_cast<T>(~T{0})}), sizeof(T) * 8);
}

}  // namespace
}  // namespace weft::codec

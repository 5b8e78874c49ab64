// The limits of a segment that is written: at the limit it is read again, one beyond it is refused.
#include <gtest/gtest.h>

#include "weft/rete/build/quad_lines.h"
#include "weft/rete/build/segment_builder.h"
#include "weft/rete/format.h"
#include "weft/rete/testing/segment_probe.h"

namespace weft::rete {
namespace {

constexpr std::string_view kOne = "<http://ex.org/a> <http://ex.org/p> \"1\" .\n";

std::string card_of(uint64_t size) {
  std::string card = R"({"title":")";
  constexpr std::string_view kEnd = R"("})";
  card.append(size - card.size() - kEnd.size(), 'x');
  card += kEnd;
  return card;
}

TEST(SegmentLimits, ACardOfTheLargestSizeIsKeptAndALargerOneRefused) {
  for (const uint8_t generation : {uint8_t{5}, uint8_t{6}}) {
    BuildOptions options = bare_options();
    options.format_version = generation;
    options.card_json = card_of(kCardBytesMax);
    const auto built = build_segment(parse_quad_lines(kOne), options);
    ASSERT_TRUE(built.ok()) << built.error().to_string();
    auto segment = Segment::open(bytes_reader(built->bytes), {});
    ASSERT_TRUE(segment.ok()) << segment.error().to_string();
    const auto card = (*segment)->card();
    ASSERT_TRUE(card.ok()) << card.error().to_string();
    EXPECT_TRUE(*card == options.card_json);

    options.card_json = card_of(kCardBytesMax + 1);
    const auto beyond = build_segment(parse_quad_lines(kOne), options);
    ASSERT_FALSE(beyond.ok());
    EXPECT_EQ(beyond.error().kind(), ErrorKind::kLimit);
    EXPECT_EQ(beyond.error().fact("limit_bytes"), std::to_string(kCardBytesMax));
  }
}

// Kinds of byte 6 are told apart by one byte, so that its 255 sections cannot be exceeded.
TEST(SegmentLimits, AFileOfByte5HoldsAsManySectionsAsTheFormatAndNotOneMore) {
  BuildOptions options = bare_options();
  options.format_version = 5;
  const auto build_with = [&options](size_t count) {
    options.carried.clear();
    for (size_t i = 0; i < count; ++i) {
      options.carried.push_back({static_cast<uint8_t>(64 + i), 0, to_bytes("x")});
    }
    return build_segment(parse_quad_lines(kOne), options);
  };
  size_t most = kSectionsMax5;
  while (most > 0 && !build_with(most).ok()) {
    --most;
  }
  ASSERT_GT(most, 0U);
  const auto full = build_with(most);
  ASSERT_TRUE(full.ok());
  const auto segment = Segment::open(bytes_reader(full->bytes), {});
  ASSERT_TRUE(segment.ok()) << segment.error().to_string();
  const auto beyond = build_with(most + 1);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(beyond.error().fact("sections"), std::to_string(kSectionsMax5 + 1));
}

}  // namespace
}  // namespace weft::rete

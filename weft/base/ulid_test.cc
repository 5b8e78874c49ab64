#include "weft/base/ulid.h"

#include <set>

#include <gtest/gtest.h>

namespace weft::base {
namespace {

TEST(Ulid, TheTextOfTheSpecificationIsReadAndWritten) {
  const std::string text = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const auto ulid = Ulid::parse(text);
  ASSERT_TRUE(ulid.ok());
  EXPECT_EQ(ulid->text(), text);
  // 2016-07-30T23:54:10.259Z.
  EXPECT_EQ(ulid->time().microseconds, 1'469'922'850'259'000);
}

TEST(Ulid, ItsOrderIsThatOfItsTextAndOfTime) {
  Random random(1);
  std::set<std::string> texts;
  Ulid last;
  for (int64_t ms = 0; ms < 1'000; ++ms) {
    const Ulid ulid = Ulid::make({(int64_t{1} << 40U) + ms * 1'000'000}, random);
    EXPECT_LT(last, ulid);
    EXPECT_LT(last.text(), ulid.text());
    EXPECT_EQ(*Ulid::parse(ulid.text()), ulid);
    texts.insert(ulid.text());
    last = ulid;
  }
  EXPECT_EQ(texts.size(), 1'000U);
}

TEST(Ulid, TimesThatCannotBeWrittenAreTheNearestThatCan) {
  Random random(1);
  EXPECT_EQ(Ulid::make({-5'000'000}, random).time().microseconds, 0);
  EXPECT_EQ(Ulid::make({INT64_MAX}, random).time().microseconds,
            std::min((int64_t{1} << 48U) - 1, INT64_MAX / 1'000) * 1'000);
}

TEST(Ulid, OtherFormsAreRefused) {
  for (const std::string_view text :
       {"", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAVX",
        "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAI",
        "01ARZ3NDEKTSV4RRFFQ69G5FAU"}) {
    EXPECT_EQ(Ulid::parse(text).error().kind(), ErrorKind::kInvalid) << text;
  }
  EXPECT_TRUE(Ulid::parse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").ok());
  EXPECT_TRUE(Ulid::parse("00000000000000000000000000")->is_none());
}

}  // namespace
}  // namespace weft::base

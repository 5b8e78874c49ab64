#include "weft/schema/moment.h"

#include <gtest/gtest.h>

namespace weft::schema {
namespace {

TEST(Dates, AreReadInEveryFormAndNoOther) {
  EXPECT_EQ(parse_date("1970-01-01"), 0);
  EXPECT_EQ(parse_date("1969-12-31"), -1);
  EXPECT_EQ(parse_date("2024-02-29"), 19782);
  EXPECT_EQ(parse_date("2024-2-9"), 19762);
  EXPECT_EQ(parse_date("20240229"), 19782);
  EXPECT_EQ(parse_date("2024-02-29T23:00:00-05:00"), 19782);
  EXPECT_EQ(parse_date("0000-01-01"), -719528);
  EXPECT_EQ(parse_date("-0001-01-01"), -719893);
  for (const char* text : {"", "2023-02-29", "19782", "10000-01-01", " 2024-01-01", "2024-01-01 ",
                           "2024/01/01", "2024-13-01", "2024-00-01", "2024-01-00", "nope",
                           "2024-01-01T00:00", "+2024-01-01", "2024-01", "202401011"}) {
    EXPECT_EQ(parse_date(text), std::nullopt) << text;
  }
}

TEST(DateTimes, AreReadInEveryFormAndNoOther) {
  constexpr int64_t kSecond = 1704164645000;
  EXPECT_EQ(parse_date_time("2024-01-02T03:04:05Z"), kSecond);
  EXPECT_EQ(parse_date_time("2024-01-02 03:04:05"), kSecond);
  EXPECT_EQ(parse_date_time("2024-01-02t03:04:05z"), kSecond);
  EXPECT_EQ(parse_date_time("2024-01-02T05:04:05+02:00"), kSecond);
  EXPECT_EQ(parse_date_time("2024-01-02T01:04:05-0200"), kSecond);
  EXPECT_EQ(parse_date_time("2024-01-02T03:04:05.1Z"), kSecond + 100);
  EXPECT_EQ(parse_date_time("2024-01-02T03:04:05.123999999Z"), kSecond + 123);
  EXPECT_EQ(parse_date_time("2024-01-02T23:59:60Z"), parse_date_time("2024-01-03"));
  EXPECT_EQ(parse_date_time("1970-01-01"), 0);
  EXPECT_EQ(parse_date_time("1969-12-31T23:59:59.999Z"), -1);
  for (const char* text :
       {"", "now", "2024-01-02T03:04Z", "2024-01-02T24:00:00Z", "2024-13-02T03:04:05Z",
        "1704164645000", "2024-01-02T03:04:61Z", "2024-01-02T03:60:00Z", "2024-01-02T03:04:05.Z",
        "2024-01-02T03:04:05 Z", "2024-01-02T03:04:05+24:00", "2024-01-02T03:04:05Zx"}) {
    EXPECT_EQ(parse_date_time(text), std::nullopt) << text;
  }
}

TEST(Moments, AreWrittenAsTheyAreRead) {
  for (const char* text : {"2024-02-29", "0000-03-01", "-0001-12-31", "9999-12-31", "1970-01-01"}) {
    EXPECT_EQ(date_text(*parse_date(text)), text);
  }
  for (const char* text :
       {"2262-04-11T23:47:16.854Z", "1969-12-31T23:59:59.999Z", "-0001-01-01T00:00:00.001Z"}) {
    EXPECT_EQ(date_time_text(*parse_date_time(text)), text);
  }
  for (int32_t days = -1'000'000; days < 1'000'000; days += 997) {
    const std::string text = date_text(days);
    if (text.size() == 10) {
      EXPECT_EQ(parse_date(text), days) << text;
    }
  }
  EXPECT_EQ(date_text(INT32_MAX), "5881580-07-11");
  EXPECT_FALSE(date_time_text(INT64_MIN).empty());
}

}  // namespace
}  // namespace weft::schema

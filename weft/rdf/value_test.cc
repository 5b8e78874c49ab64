#include "weft/rdf/value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/rdf/term.h"

namespace weft::rdf {
namespace {

std::string typed(std::string_view lexical, std::string_view local) {
  return make_literal(lexical, {}, {}, std::string(kXsd).append(local));
}

Value value(std::string_view lexical, std::string_view local) {
  return Value::from_token(typed(lexical, local));
}

// "5 integer", "error", "a string".
std::string show(const Value& v) {
  if (!v.is_defined()) {
    return "error";
  }
  const std::string_view datatype = v.datatype();
  const size_t hash = datatype.rfind('#');
  return v.lexical().value_or(std::string(v.text())) + " " +
         std::string(hash == std::string_view::npos ? datatype : datatype.substr(hash + 1));
}

std::string show(std::optional<bool> answer) {
  return answer.has_value() ? (*answer ? "true" : "false") : "error";
}

TEST(Value, IsSmall) {
  EXPECT_LE(sizeof(Value), 32U);
}

TEST(Value, LiteralsHaveCanonicalForms) {
  struct Case {
    std::string lexical, datatype, canonical;
  };
  const std::vector<Case> cases = {
      {"007", "integer", "7"},
      {"+5", "integer", "5"},
      {"-0", "integer", "0"},
      {"9223372036854775807", "integer", "9223372036854775807"},
      {"-9223372036854775808", "integer", "-9223372036854775808"},
      {"0009223372036854775808", "integer", "9223372036854775808"},
      {"1.50", "decimal", "1.5"},
      {"-.5", "decimal", "-0.5"},
      {"3.", "decimal", "3"},
      {"0.0", "decimal", "0"},
      {"123456789012345678901234567890.0001", "decimal", "123456789012345678901234567890.0001"},
      {"1", "double", "1.0E0"},
      {"1e3", "double", "1.0E3"},
      {"-0.000123E-5", "double", "-1.23E-9"},
      {"0.1", "double", "1.0E-1"},
      {"1e400", "double", "INF"},
      {"-1e400", "double", "-INF"},
      {"1e-400", "double", "0.0E0"},
      {"-0", "double", "-0.0E0"},
      {"NaN", "double", "NaN"},
      {"+INF", "double", "INF"},
      {"0.1", "float", "1.0E-1"},
      {"16777217", "float", "1.6777216E7"},
      {"1", "boolean", "true"},
      {"0", "boolean", "false"},
      {"5", "byte", "5"},
      {"2024-02-29T24:00:00Z", "dateTime", "2024-03-01T00:00:00Z"},
      {"2024-02-29T12:00:00.1200+00:00", "dateTime", "2024-02-29T12:00:00.12Z"},
      {"-0044-03-15", "date", "-0044-03-15"},
      {"0000-01-01", "date", "0000-01-01"},
      {"12345-01-01-05:30", "date", "12345-01-01-05:30"},
      {"23:59:59.999+14:00", "time", "23:59:59.999+14:00"},
      {"24:00:00", "time", "00:00:00"},
      {"2024", "gYear", "2024"},
      {"2024-12Z", "gYearMonth", "2024-12Z"},
      {"--02-29", "gMonthDay", "--02-29"},
      {"--11", "gMonth", "--11"},
      {"---31", "gDay", "---31"},
      {"P1Y14M", "duration", "P2Y2M"},
      {"PT36H", "duration", "P1DT12H"},
      {"-P1Y2M3DT4H5M6.70S", "duration", "-P1Y2M3DT4H5M6.7S"},
      {"PT0S", "duration", "PT0S"},
      {"P0Y", "yearMonthDuration", "P0M"},
      {"PT90M", "dayTimeDuration", "PT1H30M"},
      {"2024-01-01T00:00:00+01:00", "dateTimeStamp", "2024-01-01T00:00:00+01:00"},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(value(test.lexical, test.datatype).to_token(), typed(test.canonical, test.datatype))
        << test.lexical << " " << test.datatype;
  }
}

TEST(Value, IllTypedLiteralsStayTerms) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "integer"},
      {"1.0", "integer"},
      {" 1", "integer"},
      {"--1", "integer"},
      {"1e0", "decimal"},
      {".", "decimal"},
      {"1.2.3", "decimal"},
      {"inf", "double"},
      {"1e", "double"},
      {"1e+-2", "double"},
      {"0x1", "double"},
      {"TRUE", "boolean"},
      {"128", "byte"},
      {"-129", "byte"},
      {"-1", "nonNegativeInteger"},
      {"0", "positiveInteger"},
      {"1", "negativeInteger"},
      {"256", "unsignedByte"},
      {"18446744073709551616", "unsignedLong"},
      {"2023-02-29", "date"},
      {"2024-13-01", "date"},
      {"24-01-01", "date"},
      {"02024-01-01", "date"},
      {"2024-01-01T24:00:01", "dateTime"},
      {"2024-01-01T00:00:00+14:01", "dateTime"},
      {"2024-01-01T00:00:00", "dateTimeStamp"},
      {"2024-01-01T00:00", "dateTime"},
      {"P", "duration"},
      {"PT", "duration"},
      {"P1M1Y", "duration"},
      {"P1D", "yearMonthDuration"},
      {"P1M", "dayTimeDuration"},
      {"P1.5D", "duration"},
      {"1Y", "duration"},
      {"1M\x01", "yearMonthDuration"},
      {"-", "duration"},
      {"P1YT", "duration"},
      {"--13", "gMonth"},
      {"--02-30", "gMonthDay"},
      {"---32", "gDay"},
      {"x", "hexBinary"},
      {"x", "nothing"},
  };
  for (const auto& [lexical, datatype] : cases) {
    const Value v = value(lexical, datatype);
    EXPECT_EQ(v.kind(), ValueKind::kOther) << lexical << " " << datatype;
    EXPECT_EQ(v.to_token(), typed(lexical, datatype));
    EXPECT_EQ(v.lexical(), lexical);
    EXPECT_EQ(v.datatype(), std::string(kXsd) + datatype);
  }
}

TEST(Value, TermsKeepTheirTokens) {
  for (const std::string token :
       {"<http://example.org/>", "_:b0", "\"a\\\"b\\nc\"", "\"x\"@en-gb", "\"x\"@ar--rtl",
        "<<<s> <p> \"o\">>", "\"a string that is longer than what fits inside a value\"",
        "\"zażółć\"^^<http://example.org/dt>", "\"\""}) {
    EXPECT_EQ(Value::from_token(token).to_token(), token);
  }
  EXPECT_FALSE(Value::from_token("").is_defined());
  EXPECT_EQ(Value::from_token("\"x\"@ar--rtl").direction(), "rtl");
  EXPECT_EQ(Value::from_token("\"x\"@ar--rtl").datatype(), std::string(kRdf) + "dirLangString");
  EXPECT_EQ(Value::from_token("\"x\"@ar").language(), "ar");
}

TEST(Value, ArithmeticIsExactAndPromotes) {
  struct Case {
    Value a;
    char operation;
    Value b;
    std::string result;
  };
  const int64_t most = std::numeric_limits<int64_t>::max();
  const int64_t least = std::numeric_limits<int64_t>::min();
  const std::vector<Case> cases = {
      {Value::integer(2), '+', Value::integer(3), "5 integer"},
      {Value::integer(most), '+', Value::integer(1), "9223372036854775808 integer"},
      {Value::integer(least), '-', Value::integer(1), "-9223372036854775809 integer"},
      {Value::integer(most), '*', Value::integer(most),
       "85070591730234615847396907784232501249 integer"},
      {value("9223372036854775808", "integer"), '-', Value::integer(1),
       "9223372036854775807 integer"},
      {Value::integer(1), '/', Value::integer(4), "0.25 decimal"},
      {Value::integer(4), '/', Value::integer(2), "2 decimal"},
      {Value::integer(1), '/', Value::integer(3), "0.333333333333333333 decimal"},
      {Value::integer(2), '/', Value::integer(3), "0.666666666666666667 decimal"},
      {Value::integer(-2), '/', Value::integer(3), "-0.666666666666666667 decimal"},
      {Value::integer(1), '/', Value::integer(0), "error"},
      {value("1.0", "decimal"), '/', value("0.0", "decimal"), "error"},
      {Value::integer(1), '/', Value::double_number(0), "INF double"},
      {value("0.1", "decimal"), '+', value("0.2", "decimal"), "0.3 decimal"},
      {value("0.1", "double"), '+', value("0.2", "double"), "3.0000000000000004E-1 double"},
      {value("1.5", "decimal"), '*', value("1.5", "decimal"), "2.25 decimal"},
      {value("0.000000000000000001", "decimal"), '*', value("0.000000000000000001", "decimal"),
       "0.000000000000000000000000000000000001 decimal"},
      {value("99999999999999999999.9", "decimal"), '+', value("0.1", "decimal"),
       "100000000000000000000 decimal"},
      {Value::integer(1), '+', value("0.5", "decimal"), "1.5 decimal"},
      {Value::integer(1), '+', value("0.5", "float"), "1.5E0 float"},
      {value("0.5", "float"), '+', value("0.5", "double"), "1.0E0 double"},
      {value("5", "byte"), '+', value("5", "byte"), "10 integer"},
      {Value::string("1"), '+', Value::integer(1), "error"},
      {Value(), '+', Value::integer(1), "error"},
      {value("2024-01-31", "date"), '+', value("P1M", "yearMonthDuration"), "2024-02-29 date"},
      {value("2024-03-01", "date"), '-', value("P1D", "dayTimeDuration"), "2024-02-29 date"},
      {value("2024-03-01", "date"), '-', value("2024-02-01", "date"), "P29D dayTimeDuration"},
      {value("2024-01-01T00:00:00Z", "dateTime"), '-',
       value("2024-01-01T00:00:00+01:00", "dateTime"), "PT1H dayTimeDuration"},
      {value("23:30:00", "time"), '+', value("PT1H", "dayTimeDuration"), "00:30:00 time"},
      {value("0001-01-01T00:00:00.5", "dateTime"), '-', value("PT0.75S", "dayTimeDuration"),
       "0000-12-31T23:59:59.75 dateTime"},
      {value("P1Y", "yearMonthDuration"), '*', value("1.5", "decimal"), "P1Y6M yearMonthDuration"},
      {value("PT1S", "dayTimeDuration"), '/', Value::integer(4), "PT0.25S dayTimeDuration"},
      {value("P1D", "dayTimeDuration"), '/', value("PT1H", "dayTimeDuration"), "24 decimal"},
      {value("P1Y", "yearMonthDuration"), '+', value("P1D", "dayTimeDuration"), "P1Y1D duration"},
      {value("P1Y", "yearMonthDuration"), '-', value("P1D", "dayTimeDuration"), "error"},
  };
  for (const Case& test : cases) {
    const Value result = test.operation == '+'   ? add(test.a, test.b)
                         : test.operation == '-' ? subtract(test.a, test.b)
                         : test.operation == '*' ? multiply(test.a, test.b)
                                                 : divide(test.a, test.b);
    EXPECT_EQ(show(result), test.result) << show(test.a) << test.operation << show(test.b);
  }
}

TEST(Value, NumbersAreBounded) {
  const std::string digits(kNumberDigitsMax, '9');
  const Value largest = value(digits, "integer");
  EXPECT_EQ(largest.kind(), ValueKind::kInteger);
  EXPECT_EQ(value(digits + "9", "integer").kind(), ValueKind::kOther);
  EXPECT_EQ(value("000" + digits + ".000", "decimal").kind(), ValueKind::kDecimal);
  EXPECT_EQ(value("0." + digits, "decimal").kind(), ValueKind::kDecimal);
  EXPECT_EQ(value("0.0" + digits, "decimal").kind(), ValueKind::kOther);
  EXPECT_EQ(show(add(largest, Value::integer(1))), "error");
  EXPECT_EQ(show(multiply(largest, largest)), "error");
  EXPECT_EQ(show(subtract(largest, largest)), "0 integer");
  EXPECT_TRUE(std::isinf(largest.as_double()));
}

TEST(Value, RoundingFollowsXPath) {
  const auto decimal = [](std::string_view text) { return value(text, "decimal"); };
  EXPECT_EQ(show(round(decimal("2.5"))), "3 decimal");
  EXPECT_EQ(show(round(decimal("-2.5"))), "-2 decimal");
  EXPECT_EQ(show(round(decimal("2.4999"))), "2 decimal");
  EXPECT_EQ(show(floor(decimal("-1.5"))), "-2 decimal");
  EXPECT_EQ(show(ceiling(decimal("-1.5"))), "-1 decimal");
  EXPECT_EQ(show(absolute(decimal("-1.5"))), "1.5 decimal");
  EXPECT_EQ(show(absolute(Value::integer(std::numeric_limits<int64_t>::min()))),
            "9223372036854775808 integer");
  EXPECT_EQ(show(negate(Value::integer(std::numeric_limits<int64_t>::min()))),
            "9223372036854775808 integer");
  EXPECT_EQ(show(round(Value::double_number(2.5))), "3.0E0 double");
  EXPECT_EQ(show(round(Value::double_number(-2.5))), "-2.0E0 double");
  EXPECT_EQ(show(round(Value::double_number(-0.4))), "-0.0E0 double");
  EXPECT_EQ(show(round(Value::double_number(0.49999999999999994))), "0.0E0 double");
  EXPECT_EQ(show(round(value("7", "byte"))), "7 integer");
  EXPECT_EQ(show(floor(Value::string("1"))), "error");
}

TEST(Value, EqualityKnowsTypes) {
  struct Case {
    std::string a, b, result;
  };
  const std::vector<Case> cases = {
      {typed("1", "integer"), typed("01", "integer"), "true"},
      {typed("1", "integer"), typed("1.0", "decimal"), "true"},
      {typed("1", "integer"), typed("1e0", "double"), "true"},
      {typed("0.1", "decimal"), typed("0.1", "double"), "true"},
      {typed("0.1", "decimal"), typed("0.1", "float"), "true"},
      {typed("0.1", "float"), typed("0.1", "double"), "false"},
      {typed("NaN", "double"), typed("NaN", "double"), "false"},
      {typed("-0", "double"), typed("0", "double"), "true"},
      {typed("9007199254740993", "integer"), typed("9007199254740992", "double"), "true"},
      {typed("true", "boolean"), typed("1", "boolean"), "true"},
      {"\"a\"", "\"a\"", "true"},
      {"\"a\"", "\"a\"@en", "false"},
      {"\"a\"@en", "\"a\"@en", "true"},
      {"\"a\"@en", "\"a\"@en--ltr", "false"},
      {"\"1\"", typed("1", "integer"), "false"},
      {"<a>", "<a>", "true"},
      {"<a>", "\"a\"", "false"},
      {typed("x", "unknown"), typed("x", "unknown"), "true"},
      {typed("x", "unknown"), typed("y", "unknown"), "error"},
      {typed("x", "unknown"), "\"x\"", "error"},
      {typed("x", "unknown"), "\"x\"@en", "false"},
      {typed("x", "integer"), typed("1", "integer"), "error"},
      {typed("2024-01-01", "date"), typed("2024-01-01Z", "date"), "error"},
      {typed("2024-01-01", "date"), typed("2024-01-03Z", "date"), "false"},
      {typed("2024-01-01T00:00:00Z", "dateTime"), typed("2024-01-01T01:00:00+01:00", "dateTime"),
       "true"},
      {typed("P1Y", "duration"), typed("P12M", "yearMonthDuration"), "true"},
      {"<<<a> <b> " + typed("1", "integer") + ">>", "<<<a> <b> " + typed("1.0", "decimal") + ">>",
       "true"},
      {"<<<a> <b> <c>>>", "<<<a> <b> <d>>>", "false"},
  };
  for (const Case& test : cases) {
    const Value a = Value::from_token(test.a);
    const Value b = Value::from_token(test.b);
    EXPECT_EQ(show(equal(a, b)), test.result) << test.a << " = " << test.b;
    EXPECT_EQ(show(equal(b, a)), test.result) << test.b << " = " << test.a;
  }
  EXPECT_EQ(show(equal(Value(), Value())), "error");
}

TEST(Value, LessIsDefinedWithinAFamily) {
  const auto check = [](const std::string& a, const std::string& b) {
    return show(less(Value::from_token(a), Value::from_token(b)));
  };
  EXPECT_EQ(check(typed("1", "integer"), typed("1.5", "decimal")), "true");
  EXPECT_EQ(check(typed("-INF", "double"), typed("-5", "integer")), "true");
  EXPECT_EQ(check(typed("NaN", "double"), typed("5", "integer")), "false");
  EXPECT_EQ(check("\"a\"", "\"b\""), "true");
  EXPECT_EQ(check("\"\U0001F600\"", "\"\uFFFD\""), "false");
  EXPECT_EQ(check(typed("false", "boolean"), typed("true", "boolean")), "true");
  EXPECT_EQ(check("\"a\"@en", "\"b\"@en"), "error");
  EXPECT_EQ(check("<a>", "<b>"), "error");
  EXPECT_EQ(check("\"1\"", typed("2", "integer")), "error");
  EXPECT_EQ(check(typed("2024-01-01", "date"), typed("2024-01-02", "date")), "true");
  EXPECT_EQ(check(typed("2024-01-01", "date"), typed("2024-01-02Z", "date")), "true");
  EXPECT_EQ(check(typed("2024-01-01", "date"), typed("2024-01-01Z", "date")), "error");
  EXPECT_EQ(check(typed("P11M", "yearMonthDuration"), typed("P1Y", "yearMonthDuration")), "true");
  EXPECT_EQ(check(typed("P1M", "duration"), typed("P30D", "duration")), "error");
  EXPECT_EQ(show(less_or_equal(Value::integer(2), Value::integer(2))), "true");
  EXPECT_EQ(show(less_or_equal(value("NaN", "float"), value("NaN", "float"))), "false");
}

TEST(Value, EffectiveBooleanValues) {
  const auto check = [](const std::string& token) {
    return show(effective_boolean(Value::from_token(token)));
  };
  EXPECT_EQ(check(typed("true", "boolean")), "true");
  EXPECT_EQ(check(typed("0", "integer")), "false");
  EXPECT_EQ(check(typed("0.00", "decimal")), "false");
  EXPECT_EQ(check(typed("9223372036854775808", "integer")), "true");
  EXPECT_EQ(check(typed("NaN", "double")), "false");
  EXPECT_EQ(check("\"\""), "false");
  EXPECT_EQ(check("\"x\"@en"), "error");
  EXPECT_EQ(check(typed("abc", "integer")), "error");
  EXPECT_EQ(check(typed("abc", "dateTime")), "error");
  EXPECT_EQ(check(typed("2024-01-01", "date")), "error");
  EXPECT_EQ(check("<a>"), "error");
  EXPECT_EQ(show(effective_boolean(Value())), "error");
}

TEST(Value, OrderIsTotal) {
  // Ascending; neighbours in one inner list are equivalent.
  const std::vector<std::vector<std::string>> ladder = {
      {""},
      {"_:a"},
      {"_:b"},
      {"<a>"},
      {"<b>"},
      {"\"\""},
      {"\"a\""},
      {"\"a\"@de"},
      {"\"a\"@en"},
      {"\"b\"@de"},
      {typed("false", "boolean")},
      {typed("true", "boolean"), typed("1", "boolean")},
      {typed("NaN", "double"), typed("NaN", "float")},
      {typed("-INF", "double"), typed("-INF", "float")},
      {typed("-" + std::string(400, '9'), "integer")},
      {typed("-1", "integer"), typed("-1.0", "decimal"), typed("-1", "double")},
      {typed("0", "integer"), typed("-0", "double")},
      {typed("0.1", "decimal")},
      {typed("0.1", "double")},
      {typed("0.1", "float")},
      {typed("9007199254740992", "integer"), typed("9007199254740992", "double")},
      {typed("9007199254740993", "integer")},
      {typed(std::string(400, '9'), "integer")},
      {typed("INF", "double")},
      {typed("2024-01-01T00:00:00", "dateTime")},
      {typed("2024-01-01T00:00:00Z", "dateTime"), typed("2024-01-01T01:00:00+01:00", "dateTime")},
      {typed("2024-01-01", "date")},
      {typed("P1D", "duration"), typed("PT24H", "dayTimeDuration")},
      {typed("P1M", "duration")},
      {typed("abc", "integer")},
      {typed("x", "unknown")},
      {"<<<a> <b> <c>>>"},
      {"<<<a> <b> <d>>>"},
  };
  for (size_t i = 0; i < ladder.size(); ++i) {
    for (size_t j = 0; j < ladder.size(); ++j) {
      for (const std::string& a : ladder[i]) {
        for (const std::string& b : ladder[j]) {
          const auto expected = i <=> j;
          EXPECT_TRUE(order(Value::from_token(a), Value::from_token(b)) == expected)
              << a << " and " << b;
        }
      }
    }
  }
}

TEST(Value, CastsFollowTheTable) {
  struct Case {
    std::string token;
    ValueKind target;
    std::string result;
  };
  const std::vector<Case> cases = {
      {"\" 12 \"", ValueKind::kInteger, "12 integer"},
      {"\"1.9\"", ValueKind::kInteger, "error"},
      {typed("1.9", "decimal"), ValueKind::kInteger, "1 integer"},
      {typed("-1.9E1", "double"), ValueKind::kInteger, "-19 integer"},
      {typed("1e30", "double"), ValueKind::kInteger, "1000000000000000019884624838656 integer"},
      {typed("NaN", "double"), ValueKind::kInteger, "error"},
      {typed("0.1", "double"), ValueKind::kDecimal,
       "0.1000000000000000055511151231257827021181583404541015625 decimal"},
      {typed("true", "boolean"), ValueKind::kInteger, "1 integer"},
      {typed("true", "boolean"), ValueKind::kDouble, "1.0E0 double"},
      {typed("0", "integer"), ValueKind::kBoolean, "false boolean"},
      {typed("NaN", "double"), ValueKind::kBoolean, "false boolean"},
      {"\"1\"", ValueKind::kBoolean, "true boolean"},
      {"\"yes\"", ValueKind::kBoolean, "error"},
      {typed("1.0", "decimal"), ValueKind::kString, "1 string"},
      {typed("1e0", "double"), ValueKind::kString, "1 string"},
      {typed("1.5e-3", "double"), ValueKind::kString, "0.0015 string"},
      {typed("1e6", "double"), ValueKind::kString, "1.0E6 string"},
      {typed("-0", "double"), ValueKind::kString, "-0 string"},
      {"<http://a>", ValueKind::kString, "http://a string"},
      {"\"x\"@en", ValueKind::kString, "x string"},
      {"_:b", ValueKind::kString, "error"},
      {"<http://a>", ValueKind::kInteger, "error"},
      {typed("x", "integer"), ValueKind::kString, "x string"},
      {typed("5", "byte"), ValueKind::kInteger, "5 integer"},
      {typed("2024-01-02T03:04:05Z", "dateTime"), ValueKind::kDate, "2024-01-02Z date"},
      {typed("2024-01-02T03:04:05Z", "dateTime"), ValueKind::kTime, "03:04:05Z time"},
      {typed("2024-01-02", "date"), ValueKind::kDateTime, "2024-01-02T00:00:00 dateTime"},
      {typed("P1Y2DT3H", "duration"), ValueKind::kDayTimeDuration, "P2DT3H dayTimeDuration"},
      {typed("16777217", "integer"), ValueKind::kFloat, "1.6777216E7 float"},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(show(cast(Value::from_token(test.token), test.target)), test.result) << test.token;
  }
}

TEST(Value, DatesHaveParts) {
  const DateTimeParts parts = *value("-0004-02-29T23:59:58.25-05:30", "dateTime").date_time_parts();
  EXPECT_EQ(parts.year, -4);
  EXPECT_EQ(parts.month, 2);
  EXPECT_EQ(parts.day, 29);
  EXPECT_EQ(parts.hour, 23);
  EXPECT_EQ(parts.minute, 59);
  EXPECT_EQ(parts.second, 58);
  EXPECT_EQ(parts.attosecond, 250'000'000'000'000'000U);
  EXPECT_EQ(parts.timezone_minutes, -330);
  EXPECT_FALSE(Value::integer(1).date_time_parts().has_value());
  EXPECT_EQ(Value::date_time(-1).to_token(), typed("1969-12-31T23:59:59.999Z", "dateTime"));
}

// Every day of 800 years there and back, through text.
TEST(Value, DaysFollowEachOther) {
  Value day = value("1599-12-31", "date");
  const Value step = value("P1D", "dayTimeDuration");
  std::string before;
  size_t leap_days = 0;
  for (int i = 0; i < 292'194; ++i) {
    day = add(day, step);
    const std::string text = *day.lexical();
    ASSERT_LT(before, text);
    leap_days += text.ends_with("-02-29") ? 1 : 0;
    before = text;
    if (i % 1000 == 0) {
      ASSERT_EQ(*value(text, "date").lexical(), text);
    }
  }
  EXPECT_EQ(before, "2399-12-31");
  EXPECT_EQ(leap_days, 194U);
}

TEST(Value, CopiesShareAndMovesEmpty) {
  Value text = Value::string(std::string(100, 'x'));
  Value copy = text;
  EXPECT_EQ(copy.text().data(), text.text().data());
  const Value moved = std::move(text);
  EXPECT_EQ(moved.text().size(), 100U);
  copy = Value::integer(1);
  EXPECT_EQ(moved.text().size(), 100U);
  Value self = value("123456789012345678901234567890", "integer");
  const Value& alias = self;
  self = alias;
  EXPECT_EQ(*self.lexical(), "123456789012345678901234567890");
}

TEST(ValueThreads, CopiesMayBeMadeAndDroppedAnywhere) {
  const Value shared = Value::string(std::string(100, 'x'));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&shared] {
      for (int i = 0; i < 10'000; ++i) {
        const Value copy = shared;
        ASSERT_EQ(copy.text().size(), 100U);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace weft::rdf

#include "weft/rdf/order_prefix.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/random.h"

namespace weft::rdf {
namespace {

std::string number(const std::string& lexical, const std::string& type) {
  return "\"" + lexical + "\"^^<http://www.w3.org/2001/XMLSchema#" + type + ">";
}

std::vector<std::string> tokens() {
  std::vector<std::string> all = {"",
                                  "_:a",
                                  "_:b",
                                  "<http://e/a>",
                                  "<http://e/b>",
                                  "<>",
                                  "\"\"",
                                  "\"a\"",
                                  "\"b\"",
                                  "\"abcdefg\"",
                                  "\"abcdefgh\"",
                                  "\"\xC3\xA9\"",
                                  "\"\\u0001\"",
                                  "\"a\"@en",
                                  "\"a\"@de",
                                  "\"a\"@en--rtl",
                                  "\"x\"^^<http://e/t>",
                                  "\"no\"^^<http://www.w3.org/2001/XMLSchema#integer>",
                                  "<<<http://e/a> <http://e/p> \"1\">>",
                                  "<<<http://e/a> <http://e/p> \"2\">>"};
  for (const char* const lexical :
       {"0", "-0", "1", "-1", "10", "9007199254740993", "9007199254740992", "-9007199254740993",
        "123456789012345678901234567890"}) {
    all.push_back(number(lexical, "integer"));
    all.push_back(number(lexical, "decimal"));
    all.push_back(number(lexical, "double"));
    all.push_back(number(lexical, "float"));
  }
  for (const char* const lexical : {"NaN", "INF", "-INF", "1e308", "-1e-308", "0.1", "-0.0"}) {
    all.push_back(number(lexical, "double"));
    all.push_back(number(lexical, "float"));
  }
  all.push_back(number("1" + std::string(400, '0'), "integer"));
  all.push_back(number("0.1", "decimal"));
  all.push_back(number("0.100000000000000001", "decimal"));
  for (const char* const lexical :
       {"2020-01-01T00:00:00Z", "2020-01-01T00:00:00", "2020-01-01T00:00:00+14:00",
        "-0001-12-31T23:59:59.5Z", "1999-12-31T23:59:59Z"}) {
    all.push_back(number(lexical, "dateTime"));
  }
  all.insert(all.end(),
             {number("2020-01-01", "date"), number("2020-01-02Z", "date"),
              number("10:00:00", "time"), number("2020", "gYear"),
              number("P1Y", "yearMonthDuration"), number("P1D", "dayTimeDuration"),
              number("P1Y1D", "duration"), number("true", "boolean"), number("false", "boolean")});
  return all;
}

void expect_agrees(const Value& a, const Value& b, const std::string& what) {
  if (order_prefix(a) < order_prefix(b)) {
    EXPECT_TRUE(order(a, b) < 0) << what;
  } else if (order_prefix(a) > order_prefix(b)) {
    EXPECT_TRUE(order(a, b) > 0) << what;
  }
}

TEST(OrderPrefix, NeverContradictsTheOrderOfValues) {
  size_t told_apart = 0;
  const std::vector<std::string> all = tokens();
  for (const std::string& a : all) {
    for (const std::string& b : all) {
      expect_agrees(Value::from_token(a), Value::from_token(b), a + " and " + b);
      told_apart +=
          order_prefix(Value::from_token(a)) != order_prefix(Value::from_token(b)) ? 1 : 0;
    }
  }
  EXPECT_GT(told_apart, all.size() * all.size() * 8 / 10);
}

TEST(OrderPrefix, NeverContradictsTheOrderOfRandomNumbersAndTexts) {
  base::Random random(11);
  const auto value = [&] {
    const uint64_t kind = random.below(4);
    std::string digits = std::to_string(random.below(kind == 0 ? 100 : 100'000'000'000));
    if (kind == 1) {
      digits.insert(digits.size() / 2, ".");
      return Value::from_token(number((random.chance(1, 2) ? "-0" : "0") + digits, "decimal"));
    }
    return kind == 2 ? Value::from_token(
                           number(digits + "e-" + std::to_string(random.below(20)), "double"))
           : kind == 3 ? Value::string(digits.substr(0, random.below(9)))
                       : Value::from_token(number(digits, "integer"));
  };
  for (int i = 0; i < 100'000; ++i) {
    const Value a = value();
    const Value b = value();
    expect_agrees(a, b, a.to_token() + " and " + b.to_token());
  }
}

}  // namespace
}  // namespace weft::rdf

// The limits of a query's text: at the limit it is parsed, one beyond it is refused.
#include <cstdlib>

#include <gtest/gtest.h>

#include "weft/sparql/parser.h"

namespace weft::sparql {
namespace {

TEST(QueryLimits, ATextOfTheLargestSizeIsParsedAndALongerOneRefused) {
  std::string text = "ASK {}";
  text.append(kQueryBytesMax - text.size(), ' ');
  EXPECT_TRUE(parse_query(text).ok());
  text.push_back(' ');
  const auto beyond = parse_query(text);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().kind(), ErrorKind::kLimit);
}

TEST(QueryLimits, ValuesHoldTenMillionCellsAndNotOneRowMore) {
  if (std::getenv("WEFT_SLOW_TESTS") == nullptr) {
    GTEST_SKIP() << "takes half a gigabyte and ten seconds; WEFT_SLOW_TESTS is not set";
  }
  // Rows of many cells, so that the text stays below its own limit.
  constexpr size_t kCells = 10'000'000;
  constexpr size_t kColumns = 1'000;
  std::string begin = "ASK { VALUES (";
  std::string row = "(";
  for (size_t i = 0; i < kColumns; ++i) {
    begin += "?v" + std::to_string(i) + " ";
    row += "1 ";
  }
  begin += ") {";
  row += ")";
  std::string rows;
  for (size_t i = 0; i < kCells / kColumns; ++i) {
    rows += row;
  }
  EXPECT_TRUE(parse_query(begin + rows + "} }").ok());
  const auto beyond = parse_query(begin + rows + row + "} }");
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(beyond.error().fact("values_cells_max"), std::to_string(kCells));
}

}  // namespace
}  // namespace weft::sparql

#include "weft/rdfio/line_blocks.h"

#include <gmock/gmock.h>

namespace weft::rdfio {
namespace {

TEST(LineBlocks, AnEmptyBlockThatComesAfterTheEndStaysEmpty) {
  codec::MemoryInputView input("one\ntwo\n");
  LineBlocks blocks(input, "lines", 1'000);
  LineBlock first;
  ASSERT_TRUE(blocks.next(first).value());
  EXPECT_EQ(first.text(), "one\ntwo\n");
  LineBlock late;
  EXPECT_FALSE(blocks.next(late).value());
  EXPECT_TRUE(late.text().empty());
}

}  // namespace
}  // namespace weft::rdfio

#include "weft/codec/lz4.h"

#include <gtest/gtest.h>

namespace weft::codec {
namespace {

std::span<std::byte> room(std::string& text) {
  return std::as_writable_bytes(std::span<char>(text.data(), text.size()));
}

TEST(Lz4, ABlockReadsBackAsItWas) {
  for (const std::string& content : {std::string(), std::string("a"), std::string(100'000, 'x'),
                                     std::string("no repeats 123")}) {
    std::string block = "prefix";
    ASSERT_TRUE(lz4_append_block(block, as_bytes(content)).ok());
    std::string out(content.size(), '?');
    ASSERT_TRUE(lz4_decompress_block(as_bytes(block).subspan(6), room(out)).ok());
    EXPECT_EQ(out, content);
  }
}

TEST(Lz4, AnotherLengthThanSaidIsDamage) {
  std::string block;
  ASSERT_TRUE(lz4_append_block(block, as_bytes(std::string(1000, 'x'))).ok());
  for (const size_t size : {size_t{0}, size_t{999}, size_t{1001}}) {
    std::string out(size, '?');
    const Status status = lz4_decompress_block(as_bytes(block), room(out));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST(Lz4, EveryCutBlockIsDamage) {
  std::string content;
  for (int i = 0; i < 500; ++i) {
    content += std::to_string(i % 37);
  }
  std::string block;
  ASSERT_TRUE(lz4_append_block(block, as_bytes(content)).ok());
  for (size_t size = 0; size < block.size(); ++size) {
    std::string out(content.size(), '?');
    EXPECT_FALSE(lz4_decompress_block(as_bytes(block).first(size), room(out)).ok()) << size;
  }
}

}  // namespace
}  // namespace weft::codec

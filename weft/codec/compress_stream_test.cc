#include "weft/codec/compress_stream.h"

#include <gmock/gmock.h>

namespace weft::codec {
namespace {

std::string read_all(InputStream& input) {
  std::string text;
  std::array<std::byte, 1000> piece{};
  for (;;) {
    const Result<size_t> count = input.read(piece);
    EXPECT_TRUE(count.ok());
    if (!count.ok() || *count == 0) {
      return text;
    }
    text += as_text(ByteView(piece).first(*count));
  }
}

TEST(CompressStream, WhatIsCompressedInPiecesComesBack) {
  for (const Compression compression : {Compression::kGzip, Compression::kZstd}) {
    std::string text;
    StringOutput compressed;
    auto output = compress(compression, compressed).value();
    for (int i = 0; i < 20'000; ++i) {
      const std::string line = "line " + std::to_string(i * 7919 % 1000) + "\n";
      text += line;
      ASSERT_TRUE(output->write(as_bytes(line)).ok());
    }
    ASSERT_TRUE(output->finish().ok());
    EXPECT_LT(compressed.text().size(), text.size() / 3);
    auto input = decompress(std::make_unique<MemoryInputView>(compressed.text())).value();
    EXPECT_EQ(read_all(*input), text) << compression_name(compression);
  }
}

TEST(CompressStream, AnEmptyStreamIsAWholeOne) {
  for (const Compression compression : {Compression::kGzip, Compression::kZstd}) {
    StringOutput compressed;
    auto output = compress(compression, compressed).value();
    ASSERT_TRUE(output->finish().ok());
    EXPECT_GT(compressed.text().size(), 0U);
    auto input = decompress(std::make_unique<MemoryInputView>(compressed.text())).value();
    EXPECT_EQ(read_all(*input), "");
  }
}

TEST(CompressStream, OtherKindsAreRefusedByName) {
  StringOutput output;
  EXPECT_EQ(compress(Compression::kBzip2, output).error().kind(), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace weft::codec

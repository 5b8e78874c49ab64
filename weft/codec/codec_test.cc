#include <algorithm>

#include <gmock/gmock.h>

#include "weft/base/random.h"
#include "weft/codec/blake3.h"
#include "weft/codec/compression.h"
#include "weft/codec/varint.h"

namespace weft::codec {
namespace {

// The input of the published BLAKE3 test vectors: bytes 0, 1, … 250, 0, 1, …
std::string vector_input(size_t size) {
  std::string input(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    input[i] = static_cast<char>(i % 251);
  }
  return input;
}

std::string hash_hex(std::string_view text) {
  return to_hex(blake3(as_bytes(text)));
}

TEST(Blake3, GivesTheKnownDigestOfNothing) {
  EXPECT_EQ(hash_hex(""), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
}

// b3sum of the vector input, one size per shape of the tree. Made with `python -m blake3`.
TEST(Blake3, AgreesWithTheReferenceOverTreeShapes) {
  const std::vector<std::pair<size_t, std::string>> cases = {
#include "weft/codec/blake3_vectors.inc"
  };
  for (const auto& [size, hex] : cases) {
    EXPECT_EQ(hash_hex(vector_input(size)), hex) << size;
  }
}

TEST(Blake3, PiecesGiveTheDigestOfTheWhole) {
  const std::string input = vector_input(100'000);
  base::Random random(1);
  for (int round = 0; round < 50; ++round) {
    Blake3 hasher;
    size_t position = 0;
    while (position < input.size()) {
      const size_t piece = std::min<size_t>(random.below(20'000), input.size() - position);
      hasher.update(as_bytes(std::string_view(input).substr(position, piece)));
      position += piece;
    }
    EXPECT_EQ(to_hex(hasher.digest()), hash_hex(input));
  }
}

TEST(Varint, RoundTripsAtEveryLength) {
  for (uint32_t shift = 0; shift < 64; ++shift) {
    for (const uint64_t value : {uint64_t{1} << shift, (uint64_t{1} << shift) - 1}) {
      std::string bytes;
      append_varint(bytes, value);
      EXPECT_EQ(bytes.size(), varint_size(value));
      ByteReaderView reader(as_bytes(bytes));
      EXPECT_EQ(reader.varint(), value);
      EXPECT_TRUE(reader.ok());
      EXPECT_EQ(reader.remaining(), 0U);
    }
  }
}

TEST(Varint, RefusesEndOfInputAndAnEleventhByte) {
  for (const std::string& bytes : {std::string("\x80"), std::string(11, '\x80'), std::string()}) {
    ByteReaderView reader(as_bytes(bytes));
    EXPECT_EQ(reader.varint(), 0U);
    EXPECT_FALSE(reader.ok());
  }
}

TEST(Varint, ZigzagRoundTrips) {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1}, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
  EXPECT_EQ(zigzag(-1), 1U);
  EXPECT_EQ(zigzag(1), 2U);
}

TEST(ByteReader, ACountThatCannotFitFails) {
  std::string bytes;
  append_varint(bytes, uint64_t{1} << 40U);
  bytes += "xxxx";
  ByteReaderView reader(as_bytes(bytes));
  EXPECT_EQ(reader.count(1), 0U);
  EXPECT_FALSE(reader.ok());
}

TEST(Zstd, RoundTripsAndBoundsWhatItAllocates) {
  const std::string block = vector_input(70'000);
  ZstdCompressor compressor(9);
  std::string frame;
  compressor.append_frame(frame, as_bytes(block));
  std::string out;
  ASSERT_TRUE(zstd_decompress(as_bytes(frame), block.size(), out).ok());
  EXPECT_EQ(out, block);
  const Status small = zstd_decompress(as_bytes(frame), block.size() - 1, out);
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().kind(), ErrorKind::kLimit);
}

TEST(Zstd, EveryCutAndEveryAppendedByteIsCorrupt) {
  ZstdCompressor compressor(9);
  std::string frame;
  compressor.append_frame(frame, as_bytes("some block of bytes"));
  std::string out;
  for (size_t size = 0; size < frame.size(); ++size) {
    EXPECT_FALSE(zstd_decompress(as_bytes(frame.substr(0, size)), 1 << 20, out).ok()) << size;
  }
  EXPECT_FALSE(zstd_decompress(as_bytes(frame + "x"), 1 << 20, out).ok());
}

}  // namespace
}  // namespace weft::codec

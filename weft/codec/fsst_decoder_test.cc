#include "weft/codec/fsst_decoder.h"

#include <gtest/gtest.h>

#include "weft/codec/fsst_encoder.h"

namespace weft::codec {
namespace {

std::string decoded(const FsstDecoder& decoder, std::string_view value) {
  std::string out(FsstDecoder::decoded_size_max(value.size()) + FsstDecoder::kSlackBytes, '?');
  auto* const begin = reinterpret_cast<uint8_t*>(out.data());
  const uint8_t* const end = decoder.decode(as_bytes(value), begin);
  if (end == nullptr) {
    return "damaged";
  }
  out.resize(static_cast<size_t>(end - begin));
  return out;
}

// Symbols "a", "bcd", "12345678".
std::string table(bool on = true, uint8_t length = 8) {
  std::string out;
  const uint64_t header = uint64_t{0x46535354} << 32U | uint64_t{on ? 1U : 0U} << 24U | 3U;
  out.append(reinterpret_cast<const char*>(&header), sizeof(header));
  for (const std::string_view symbol : {"a", "bcd", "12345678"}) {
    out.append(symbol);
    out.append(8 - symbol.size(), '\0');
  }
  out.push_back(1);
  out.push_back(3);
  out.push_back(static_cast<char>(length));
  return out;
}

TEST(FsstDecoder, CodesBecomeSymbolsAndEscapesThemselves) {
  const Result<FsstDecoder> decoder = FsstDecoder::parse(as_bytes(table()));
  ASSERT_TRUE(decoder.ok());
  using std::string_literals::operator""s;
  EXPECT_EQ(decoded(*decoder, "\0\1\2"s), "abcd12345678");
  EXPECT_EQ(decoded(*decoder, "\0\0\0\0\1\xff\xff\2"s),
            "aaaabcd\xff"
            "12345678");
  EXPECT_EQ(decoded(*decoder, ""), "");
}

TEST(FsstDecoder, UnknownCodesAndCutEscapesAreDamage) {
  const Result<FsstDecoder> decoder = FsstDecoder::parse(as_bytes(table()));
  ASSERT_TRUE(decoder.ok());
  using std::string_literals::operator""s;
  for (const std::string& value : {"\3"s, "\0\0\0\3"s, "\xff"s, "\0\0\0\0\xff"s}) {
    EXPECT_EQ(decoded(*decoder, value), "damaged");
  }
}

TEST(FsstDecoder, ATableThatIsOffCopies) {
  const Result<FsstDecoder> decoder = FsstDecoder::parse(as_bytes(table(false)));
  ASSERT_TRUE(decoder.ok());
  EXPECT_FALSE(decoder->is_on());
  EXPECT_EQ(decoded(*decoder, "abc\xff"), "abc\xff");
}

TEST(FsstDecoder, DamagedTablesAreRefused) {
  const std::string good = table();
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(FsstDecoder::parse(as_bytes(good).first(size)).ok()) << size;
  }
  EXPECT_FALSE(FsstDecoder::parse(as_bytes(table(true, 9))).ok());
  EXPECT_FALSE(FsstDecoder::parse(as_bytes(table(true, 0))).ok());
  std::string other = good;
  other[7] = 0;
  EXPECT_FALSE(FsstDecoder::parse(as_bytes(other)).ok());
}

TEST(FsstDecoder, WhatTheEncoderWritesComesBack) {
  std::string text;
  std::vector<uint64_t> offsets = {0};
  for (int i = 0; i < 2000; ++i) {
    text +=
        "https://example.org/things/" + std::to_string(i * 7919) + (i % 3 == 0 ? "\xff\x00" : "");
    offsets.push_back(text.size());
  }
  const FsstEncoder encoder = FsstEncoder::train(as_bytes(text), offsets);
  const std::string bytes = encoder.table();
  const Result<FsstDecoder> decoder = FsstDecoder::parse(as_bytes(bytes));
  ASSERT_TRUE(decoder.ok()) << decoder.error().to_string();
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::string_view value =
        std::string_view(text).substr(offsets[i], offsets[i + 1] - offsets[i]);
    std::string code(2 * value.size() + 9, '\0');
    code.resize(encoder.encode(as_bytes(value), reinterpret_cast<uint8_t*>(code.data())));
    ASSERT_EQ(decoded(*decoder, code), value);
  }
}

}  // namespace
}  // namespace weft::codec

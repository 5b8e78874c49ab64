#include "weft/codec/decompress.h"

#include <array>
#include <string>
#include <utility>

#include <bzlib.h>
#include <gmock/gmock.h>
#include <zlib.h>
#include <zstd.h>

namespace weft::codec {
namespace {

std::string sample_text(size_t lines) {
  std::string text;
  for (size_t i = 0; i < lines; ++i) {
    text += "<http://example.org/s" + std::to_string(i * 7919 % 1000) + "> line " +
            std::to_string(i) + "\n";
  }
  return text;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text, int window_log = 0) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  if (window_log != 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  }
  // As a stream, so that the frame keeps its window size.
  ZSTD_inBuffer input{text.data(), text.size(), 0};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush);
  ZSTD_compressStream2(context, &output, &input, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  out.resize(output.pos);
  return out;
}

std::string bzip2(const std::string& text) {
  std::string out(text.size() + text.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  std::string in = text;
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, in.data(), static_cast<unsigned>(in.size()),
                                     9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

// Gives a few bytes at a time, as a pipe may.
class SlowInput final : public InputStream {
 public:
  SlowInput(std::string bytes, size_t step_bytes)
      : bytes_(std::move(bytes)), view_(bytes_), step_bytes_(step_bytes) {}
  Result<size_t> read(std::span<std::byte> out) override {
    return view_.read(out.first(std::min(out.size(), step_bytes_)));
  }

 private:
  std::string bytes_;
  MemoryInputView view_;
  size_t step_bytes_;
};

// The decompressed text, or "KIND: reason".
std::string read_all(std::string bytes, size_t step_bytes = size_t{1} << 20U) {
  auto stream = decompress(std::make_unique<SlowInput>(std::move(bytes), step_bytes));
  if (!stream.ok()) {
    return std::string(error_kind_name(stream.error().kind()));
  }
  std::string text;
  std::array<std::byte, 4099> buffer{};
  while (true) {
    const Result<size_t> size = (*stream)->read(buffer);
    if (!size.ok()) {
      return std::string(error_kind_name(size.error().kind())) + ": " +
             std::string(size.error().fact("reason"));
    }
    if (*size == 0) {
      return text;
    }
    text.append(as_text(ByteView(buffer).first(*size)));
  }
}

TEST(Decompress, PlainBytesPass) {
  for (const std::string& text : {std::string(), std::string("x"), std::string("\x1F"),
                                  std::string("BZhello"), sample_text(2000)}) {
    EXPECT_EQ(read_all(text), text);
    EXPECT_EQ(read_all(text, 1), text);
  }
}

TEST(Decompress, EveryKindIsRecognisedByContent) {
  const std::string text = sample_text(20000);
  for (const std::string& packed : {gzip(text), zstd(text), bzip2(text)}) {
    EXPECT_EQ(read_all(packed), text);
    EXPECT_EQ(read_all(packed, 7), text);
  }
  for (const std::string& packed : {gzip(""), zstd(""), bzip2("")}) {
    EXPECT_EQ(read_all(packed), "");
  }
}

TEST(Decompress, ConcatenatedMembersAreReadAsOne) {
  const std::string one = sample_text(300);
  const std::string two = sample_text(17);
  EXPECT_EQ(read_all(gzip(one) + gzip("") + gzip(two)), one + two);
  EXPECT_EQ(read_all(zstd(one) + zstd(two), 3), one + two);
  EXPECT_EQ(read_all(bzip2(one) + bzip2(two), 3), one + two);
  EXPECT_EQ(read_all(gzip(one) + std::string(600, '\0')), one);
  const std::string skippable("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  EXPECT_EQ(read_all(skippable + zstd(one) + skippable), one);
}

TEST(Decompress, DamageIsNeverTakenForTheEnd) {
  const std::string text = sample_text(500);
  for (const std::string& packed : {gzip(text), zstd(text), bzip2(text)}) {
    for (size_t size = 4; size < packed.size(); size += 1 + packed.size() / 40) {
      EXPECT_THAT(read_all(packed.substr(0, size)), testing::StartsWith("corrupt")) << size;
    }
    EXPECT_THAT(read_all(packed + "tail"), testing::StartsWith("corrupt"));
    EXPECT_THAT(read_all(packed + "x"), testing::StartsWith("corrupt"));
  }
  EXPECT_THAT(read_all(gzip(text) + zstd(text)), testing::StartsWith("corrupt"));
  std::string flipped = gzip(text);
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);
  EXPECT_THAT(read_all(flipped), testing::StartsWith("corrupt"));
}

TEST(Decompress, ZstdWindowsAreBounded) {
  EXPECT_EQ(read_all(zstd("small", kZstdWindowLogMax)), "small");
  EXPECT_THAT(read_all(zstd("small", kZstdWindowLogMax + 1)), testing::StartsWith("limit"));
}

}  // namespace
}  // namespace weft::codec

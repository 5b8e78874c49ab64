#include "weft/codec/compress_stream.h"

#include <algorithm>
#include <array>

#include <zlib.h>
#include <zstd.h>

namespace weft::codec {
namespace {

constexpr size_t kOutBytes = size_t{32} << 10U;
constexpr int kGzipLevel = 5;
constexpr int kZstdLevel = 3;
// zlib: 15 bits of window, and 16 for the gzip frame.
constexpr int kGzipWindow = 15 + 16;
constexpr int kGzipMemory = 8;

class GzipOutput final : public CompressingOutput {
 public:
  explicit GzipOutput(OutputStream& output) : output_(output) {
    WEFT_CHECK(deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, kGzipWindow, kGzipMemory,
                            Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~GzipOutput() override { deflateEnd(&stream_); }
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  Status write(ByteView bytes) override {
    constexpr size_t kPieceMax = size_t{1} << 30U;  // avail_in has 32 bits
    while (!bytes.empty()) {
      const ByteView piece = bytes.first(std::min(bytes.size(), kPieceMax));
      WEFT_TRY_STATUS(run(piece, Z_NO_FLUSH));
      bytes = bytes.subspan(piece.size());
    }
    return ok_status();
  }
  Status finish() override { return run({}, Z_FINISH); }

 private:
  Status run(ByteView bytes, int flush) {
    // zlib does not write to its input.
    stream_.next_in = const_cast<Bytef*>(as_octets(bytes));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int code = deflate(&stream_, flush);
      WEFT_CHECK(code != Z_STREAM_ERROR);
      const size_t made = out_.size() - stream_.avail_out;
      if (made > 0) {
        WEFT_TRY_STATUS(output_.write(ByteView(out_).first(made)));
      }
    } while (stream_.avail_out == 0);
    return ok_status();
  }

  OutputStream& output_;
  z_stream stream_{};
  std::array<std::byte, kOutBytes> out_{};
};

class ZstdOutput final : public CompressingOutput {
 public:
  explicit ZstdOutput(OutputStream& output) : output_(output), context_(ZSTD_createCCtx()) {
    WEFT_CHECK(context_ != nullptr);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kZstdLevel);
  }
  ~ZstdOutput() override { ZSTD_freeCCtx(context_); }
  ZstdOutput(const ZstdOutput&) = delete;
  ZstdOutput& operator=(const ZstdOutput&) = delete;

  Status write(ByteView bytes) override { return run(bytes, ZSTD_e_continue); }
  Status finish() override { return run({}, ZSTD_e_end); }

 private:
  Status run(ByteView bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const size_t left = ZSTD_compressStream2(context_, &out, &in, directive);
      WEFT_CHECK(ZSTD_isError(left) == 0);
      if (out.pos > 0) {
        WEFT_TRY_STATUS(output_.write(ByteView(out_).first(out.pos)));
      }
      if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) {
        return ok_status();
      }
    }
  }

  OutputStream& output_;
  ZSTD_CCtx* context_;
  std::array<std::byte, kOutBytes> out_{};
};

}  // namespace

Result<std::unique_ptr<CompressingOutput>> compress(Compression compression, OutputStream& output) {
  switch (compression) {
    case Compression::kGzip:
      return std::make_unique<GzipOutput>(output);
    case Compression::kZstd:
      return std::make_unique<ZstdOutput>(output);
    case Compression::kNone:
    case Compression::kBzip2:
      break;
  }
  return Error(ErrorKind::kUnsupported, "no streaming compression of this kind")
      .with("compression", compression_name(compression));
}

}  // namespace weft::codec

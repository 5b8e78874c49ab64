#include "weft/codec/decompress.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include <bzlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace weft::codec {
namespace {

constexpr size_t kInputBlockBytes = size_t{256} * 1024;
// The libraries count in 32 bits.
constexpr size_t kStepBytesMax = size_t{1} << 30U;
constexpr size_t kMagicBytesMax = 4;

Error damaged(Compression compression, std::string_view reason) {
  return Error(ErrorKind::kCorrupt, "cannot decompress input")
      .with("compression", compression_name(compression))
      .with("reason", reason);
}

struct Step {
  size_t consumed = 0;
  size_t produced = 0;
  bool member_ended = false;
};

// One compressed format: decodes one member at a time.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Ready for the first byte of a member. Errors: kLimit if there is no memory for it.
  virtual Status start() = 0;
  // `in` may be empty at the end of the input only.
  virtual Result<Step> step(ByteView in, std::span<std::byte> out) = 0;
};

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() = default;
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() override { inflateEnd(&stream_); }

  Status start() override {
    constexpr int kWindowBits = 15;
    constexpr int kGzipWrapper = 16;
    inflateEnd(&stream_);
    stream_ = {};
    if (inflateInit2(&stream_, kWindowBits + kGzipWrapper) != Z_OK) {
      return Error(ErrorKind::kLimit, "no memory to decompress gzip");
    }
    return ok_status();
  }

  Result<Step> step(ByteView in, std::span<std::byte> out) override {
    // zlib's input pointer is not const by history only.
    stream_.next_in = const_cast<Bytef*>(as_octets(in));
    stream_.avail_in = static_cast<uInt>(std::min(in.size(), kStepBytesMax));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(std::min(out.size(), kStepBytesMax));
    const uInt in_before = stream_.avail_in;
    const uInt out_before = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      return damaged(Compression::kGzip, stream_.msg != nullptr ? stream_.msg : "bad data");
    }
    return Step{in_before - stream_.avail_in, out_before - stream_.avail_out, code == Z_STREAM_END};
  }

 private:
  z_stream stream_{};
};

class Bzip2Decoder final : public Decoder {
 public:
  Bzip2Decoder() = default;
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }

  Status start() override {
    BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
      return Error(ErrorKind::kLimit, "no memory to decompress bzip2");
    }
    return ok_status();
  }

  Result<Step> step(ByteView in, std::span<std::byte> out) override {
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
    stream_.avail_in = static_cast<unsigned>(std::min(in.size(), kStepBytesMax));
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = static_cast<unsigned>(std::min(out.size(), kStepBytesMax));
    const unsigned in_before = stream_.avail_in;
    const unsigned out_before = stream_.avail_out;
    const int code = BZ2_bzDecompress(&stream_);
    if (code != BZ_OK && code != BZ_STREAM_END) {
      return damaged(Compression::kBzip2, code == BZ_DATA_ERROR ? "checksum differs" : "bad data");
    }
    return Step{in_before - stream_.avail_in, out_before - stream_.avail_out,
                code == BZ_STREAM_END};
  }

 private:
  bz_stream stream_{};
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() = default;
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  Status start() override {
    if (stream_ == nullptr) {
      stream_ = ZSTD_createDStream();
    }
    if (stream_ == nullptr) {
      return Error(ErrorKind::kLimit, "no memory to decompress zstd");
    }
    ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only);
    const size_t code = ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kZstdWindowLogMax);
    WEFT_CHECK(ZSTD_isError(code) == 0);
    return ok_status();
  }

  Result<Step> step(ByteView in, std::span<std::byte> out) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const size_t code = ZSTD_decompressStream(stream_, &output, &input);
    if (ZSTD_isError(code) != 0) {
      if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge) {
        return Error(ErrorKind::kLimit, "zstd frame asks for too large a window")
            .with("window_log_max", kZstdWindowLogMax);
      }
      return damaged(Compression::kZstd, ZSTD_getErrorName(code));
    }
    return Step{input.pos, output.pos, code == 0};
  }

 private:
  ZSTD_DStream* stream_ = nullptr;
};

std::unique_ptr<Decoder> make_decoder(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return nullptr;
    case Compression::kGzip:
      return std::make_unique<GzipDecoder>();
    case Compression::kZstd:
      return std::make_unique<ZstdDecoder>();
    case Compression::kBzip2:
      return std::make_unique<Bzip2Decoder>();
  }
  return nullptr;
}

// The compressed bytes, read ahead a block at a time.
class Block {
 public:
  explicit Block(std::unique_ptr<InputStream> input)
      : input_(std::move(input)), bytes_(kInputBlockBytes) {}

  ByteView rest() const { return ByteView(bytes_).subspan(begin_, end_ - begin_); }
  void consume(size_t count) { begin_ += count; }
  bool at_end() const { return ended_ && begin_ == end_; }

  // Reads until at least `count` bytes (at most kMagicBytesMax) are there or the input ends.
  Status want(size_t count) {
    while (!ended_ && end_ - begin_ < count) {
      std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      WEFT_TRY(const size_t got, input_->read(std::span(bytes_).subspan(end_)));
      end_ += got;
      ended_ = got == 0;
    }
    return ok_status();
  }

 private:
  std::unique_ptr<InputStream> input_;
  Bytes bytes_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool ended_ = false;
};

class PlainStream final : public InputStream {
 public:
  PlainStream(std::unique_ptr<InputStream> input, ByteView start)
      : input_(std::move(input)), start_(start.begin(), start.end()) {}

  Result<size_t> read(std::span<std::byte> out) override {
    if (at_ == start_.size()) {
      return input_->read(out);
    }
    const size_t size = std::min(out.size(), start_.size() - at_);
    std::memcpy(out.data(), start_.data() + at_, size);
    at_ += size;
    return size;
  }

 private:
  std::unique_ptr<InputStream> input_;
  Bytes start_;
  size_t at_ = 0;
};

class DecompressingStream final : public InputStream {
 public:
  DecompressingStream(Compression compression, Block block)
      : compression_(compression), decoder_(make_decoder(compression)), block_(std::move(block)) {}

  Result<size_t> read(std::span<std::byte> out) override {
    while (true) {
      if (!in_member_) {
        WEFT_TRY(const bool more, start_member());
        if (!more) {
          return size_t{0};
        }
      }
      WEFT_TRY_STATUS(block_.want(1));
      const bool no_input = block_.at_end();
      WEFT_TRY(const Step step, decoder_->step(block_.rest(), out));
      block_.consume(step.consumed);
      in_member_ = !step.member_ended;
      if (step.produced != 0) {
        return step.produced;
      }
      if (in_member_ && no_input) {
        return damaged(compression_, "input ends too early");
      }
    }
  }

 private:
  // False at the end of the input.
  Result<bool> start_member() {
    WEFT_TRY_STATUS(block_.want(kMagicBytesMax));
    while (compression_ == Compression::kGzip && !block_.rest().empty() &&
           block_.rest()[0] == std::byte{0}) {
      block_.consume(1);  // padding, as of tapes and block devices
      WEFT_TRY_STATUS(block_.want(kMagicBytesMax));
    }
    if (block_.at_end()) {
      return false;
    }
    if (detect_compression(block_.rest()) != compression_) {
      return damaged(compression_, "other bytes follow the compressed ones");
    }
    WEFT_TRY_STATUS(decoder_->start());
    in_member_ = true;
    return true;
  }

  Compression compression_;
  std::unique_ptr<Decoder> decoder_;
  Block block_;
  bool in_member_ = false;
};

}  // namespace

std::string_view compression_name(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "none";
    case Compression::kGzip:
      return "gzip";
    case Compression::kZstd:
      return "zstd";
    case Compression::kBzip2:
      return "bzip2";
  }
  return "";
}

Compression detect_compression(ByteView start) {
  const std::string_view text = as_text(start);
  if (text.starts_with("\x1F\x8B")) {
    return Compression::kGzip;
  }
  if (text.size() >= 4 && text.starts_with("BZh") && text[3] >= '1' && text[3] <= '9') {
    return Compression::kBzip2;
  }
  // RFC 8878: 0xFD2FB528, little-endian; skippable frames are 0x184D2A50 to 0x184D2A5F.
  const bool skippable = text.size() >= 4 && (static_cast<uint8_t>(text[0]) & 0xF0U) == 0x50U &&
                         text.substr(1).starts_with("\x2A\x4D\x18");
  if (text.starts_with("\x28\xB5\x2F\xFD") || skippable) {
    return Compression::kZstd;
  }
  return Compression::kNone;
}

Result<std::unique_ptr<InputStream>> decompress(std::unique_ptr<InputStream> input) {
  std::array<std::byte, kMagicBytesMax> start{};
  size_t size = 0;
  while (size < start.size()) {
    WEFT_TRY(const size_t got, input->read(std::span(start).subspan(size)));
    if (got == 0) {
      break;
    }
    size += got;
  }
  const ByteView seen = ByteView(start).first(size);
  const Compression compression = detect_compression(seen);
  auto whole = std::make_unique<PlainStream>(std::move(input), seen);
  if (compression == Compression::kNone) {
    return std::unique_ptr<InputStream>(std::move(whole));
  }
  return std::unique_ptr<InputStream>(
      std::make_unique<DecompressingStream>(compression, Block(std::move(whole))));
}

}  // namespace weft::codec

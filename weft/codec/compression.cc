#include "weft/codec/compression.h"

#include <algorithm>

#include <zstd.h>

namespace weft::codec {
namespace {

Error damaged(const char* reason) {
  return Error(ErrorKind::kCorrupt, "cannot decompress block").with("reason", reason);
}

Error too_long(uint64_t size_max_bytes) {
  return Error(ErrorKind::kLimit, "decompressed block exceeds its bound")
      .with("bound_bytes", size_max_bytes);
}

struct DecompressionContext {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  DecompressionContext() = default;
  DecompressionContext(const DecompressionContext&) = delete;
  DecompressionContext& operator=(const DecompressionContext&) = delete;
  ~DecompressionContext() { ZSTD_freeDCtx(context); }
};

Status decompress_unsized(ZSTD_DCtx* context, ByteView frame, uint64_t size_max_bytes,
                          std::string& out) {
  constexpr size_t kStepBytes = size_t{128} * 1024;
  ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
  ZSTD_inBuffer input{frame.data(), frame.size(), 0};
  out.clear();
  size_t wanted = 1;
  while (wanted != 0) {
    const size_t filled = out.size();
    if (filled > size_max_bytes) {
      return too_long(size_max_bytes);
    }
    out.resize(filled + kStepBytes);
    ZSTD_outBuffer output{out.data() + filled, kStepBytes, 0};
    wanted = ZSTD_decompressStream(context, &output, &input);
    out.resize(filled + output.pos);
    if (ZSTD_isError(wanted) != 0) {
      return damaged(ZSTD_getErrorName(wanted));
    }
    if (wanted != 0 && output.pos == 0 && input.pos == input.size) {
      return damaged("frame is cut short");
    }
  }
  if (input.pos != input.size) {
    return damaged("bytes follow the frame");
  }
  return out.size() > size_max_bytes ? Status(too_long(size_max_bytes)) : ok_status();
}

}  // namespace

struct ZstdCompressor::Context {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { ZSTD_freeCCtx(context); }
};

ZstdCompressor::ZstdCompressor(int level) : context_(std::make_unique<Context>()) {
  WEFT_CHECK(context_->context != nullptr);
  const size_t result = ZSTD_CCtx_setParameter(context_->context, ZSTD_c_compressionLevel, level);
  WEFT_CHECK(ZSTD_isError(result) == 0);
}
ZstdCompressor::~ZstdCompressor() = default;
ZstdCompressor::ZstdCompressor(ZstdCompressor&&) noexcept = default;
ZstdCompressor& ZstdCompressor::operator=(ZstdCompressor&&) noexcept = default;

void ZstdCompressor::append_frame(std::string& out, ByteView block) {
  const size_t before = out.size();
  const size_t bound = ZSTD_compressBound(block.size());
  out.resize(before + bound);
  const size_t size =
      ZSTD_compress2(context_->context, out.data() + before, bound, block.data(), block.size());
  WEFT_CHECK(ZSTD_isError(size) == 0);
  out.resize(before + size);
}

Status zstd_decompress(ByteView frame, uint64_t size_max_bytes, std::string& out) {
  thread_local DecompressionContext decompression;
  ZSTD_DCtx* const context = decompression.context;
  WEFT_CHECK(context != nullptr);
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content == ZSTD_CONTENTSIZE_ERROR) {
    return damaged("no zstd frame");
  }
  if (content == ZSTD_CONTENTSIZE_UNKNOWN) {
    return decompress_unsized(context, frame, size_max_bytes, out);
  }
  if (content > size_max_bytes) {
    return too_long(size_max_bytes);
  }
  const size_t frame_size = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(frame_size) != 0 || frame_size != frame.size()) {
    return damaged("not exactly one frame");
  }
  out.resize(static_cast<size_t>(content));
  const size_t size =
      ZSTD_decompressDCtx(context, out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0) {
    return damaged(ZSTD_getErrorName(size));
  }
  return size == out.size() ? ok_status() : Status(damaged("content size differs"));
}

Status zstd_decompress_into(ByteView frame, std::span<std::byte> out) {
  thread_local DecompressionContext decompression;
  ZSTD_DCtx* const context = decompression.context;
  WEFT_CHECK(context != nullptr);
  const size_t size =
      ZSTD_decompressDCtx(context, out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0) {
    return damaged(ZSTD_getErrorName(size));
  }
  return size == out.size() ? ok_status() : Status(damaged("content size differs"));
}

Result<std::optional<uint64_t>> zstd_content_size(ByteView frame) {
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content == ZSTD_CONTENTSIZE_ERROR) {
    return damaged("no zstd frame");
  }
  if (content == ZSTD_CONTENTSIZE_UNKNOWN) {
    return std::optional<uint64_t>();
  }
  return std::optional<uint64_t>(content);
}

}  // namespace weft::codec

// Single zstd frames for the blocks of our formats, and streaming decompression of input files.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::codec {

// Compresses blocks one at a time and keeps its work space between calls. Not thread-safe: one per
// thread.
class ZstdCompressor {
 public:
  explicit ZstdCompressor(int level);
  ~ZstdCompressor();
  ZstdCompressor(ZstdCompressor&&) noexcept;
  ZstdCompressor& operator=(ZstdCompressor&&) noexcept;
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;

  // Appends one frame (single segment, content size present, no checksum, no dictionary).
  void append_frame(std::string& out, ByteView block);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Decompresses exactly one frame, with or without a content size, into `out` (replaced). Keeps its
// work space per thread. Errors: kCorrupt if it is not one whole frame; kLimit if the content is
// longer than `size_max_bytes` (nothing larger is ever allocated).
Status zstd_decompress(ByteView frame, uint64_t size_max_bytes, std::string& out);

// Decompresses exactly one frame into exactly `out`. Errors: kCorrupt.
Status zstd_decompress_into(ByteView frame, std::span<std::byte> out);
// The length of the content that a frame states, if it does. Errors: kCorrupt if it is no frame.
Result<std::optional<uint64_t>> zstd_content_size(ByteView frame);

}  // namespace weft::codec

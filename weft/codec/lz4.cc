#include "weft/codec/lz4.h"

#include <limits>

#include <lz4.h>

namespace weft::codec {

Status lz4_decompress_block(ByteView block, std::span<std::byte> out) {
  constexpr size_t kSizeMax = std::numeric_limits<int>::max();
  if (block.size() > kSizeMax || out.size() > kSizeMax) {
    return Error(ErrorKind::kCorrupt, "an LZ4 block is too long").with("size", block.size());
  }
  const int size = LZ4_decompress_safe(
      reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(out.data()),
      static_cast<int>(block.size()), static_cast<int>(out.size()));
  if (size < 0 || static_cast<size_t>(size) != out.size()) {
    return Error(ErrorKind::kCorrupt, "an LZ4 block is damaged").with("expected", out.size());
  }
  return ok_status();
}

Status lz4_append_block(std::string& out, ByteView content) {
  if (content.size() > LZ4_MAX_INPUT_SIZE) {
    return Error(ErrorKind::kLimit, "too much for one LZ4 block")
        .with("bytes", content.size())
        .with("bytes_max", uint64_t{LZ4_MAX_INPUT_SIZE});
  }
  const int bound = LZ4_compressBound(static_cast<int>(content.size()));
  const size_t before = out.size();
  out.resize(before + static_cast<size_t>(bound));
  const int size =
      LZ4_compress_default(reinterpret_cast<const char*>(content.data()), out.data() + before,
                           static_cast<int>(content.size()), bound);
  WEFT_CHECK(size > 0);
  out.resize(before + static_cast<size_t>(size));
  return ok_status();
}

}  // namespace weft::codec

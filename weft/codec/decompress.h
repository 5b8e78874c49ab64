// Streaming decompression of input files: gzip, zstd and bzip2, told apart by their first bytes and
// never by a name. Anything else passes as it is. Several members (frames, streams) one behind the
// other are read as one, as gzip, zstd and bzip2 do; what follows the last member must be a further
// member of the same kind or, for gzip, zero bytes.
#pragma once

#include <memory>

#include "weft/codec/stream.h"

namespace weft::codec {

enum class Compression : uint8_t { kNone, kGzip, kZstd, kBzip2 };

std::string_view compression_name(Compression compression);

// By the first bytes; four are enough, fewer are kNone unless they are all of the magic.
Compression detect_compression(ByteView start);

// zstd frames may ask for a window of at most this much memory.
inline constexpr unsigned kZstdWindowLogMax = 27;  // 128 MiB

// Takes `input` and reads its first bytes. Reading then fails with kCorrupt if the compressed bytes
// are damaged or end inside a member, kLimit beyond kZstdWindowLogMax; errors of `input` pass.
Result<std::unique_ptr<InputStream>> decompress(std::unique_ptr<InputStream> input);

}  // namespace weft::codec

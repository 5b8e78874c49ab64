// LZ4 blocks, bare: no frame and no size in front.
#pragma once

#include <span>
#include <string>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::codec {

// Decompresses one block into exactly `out`. Errors: kCorrupt if the block is damaged or its
// content has another length.
Status lz4_decompress_block(ByteView block, std::span<std::byte> out);

// Appends one block. Errors: kLimit if `content` has more than about 2 GB.
Status lz4_append_block(std::string& out, ByteView content);

}  // namespace weft::codec

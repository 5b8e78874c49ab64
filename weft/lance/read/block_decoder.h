// Decoding of what stands as one whole: compressed buffers, runs of levels, dictionaries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/layout/encoding.h"
#include "weft/lance/read/leaf_values.h"
#include "weft/lance/read/read_memory.h"

namespace weft::lance::read {

// More levels in one constant page are kLimit.
inline constexpr uint64_t kLevelsMax = uint64_t{1} << 28U;

using Levels = std::vector<uint16_t>;

// What was packed by general compression, with the size in front. Errors: kCorrupt; kLimit.
Status decompress(layout::Scheme scheme, ByteView packed, GrowingBytes& out);

// Appends exactly `count` levels. Errors: kCorrupt; kUnsupported names the encoding.
Status decode_levels(const layout::Encoding& encoding, ByteView bytes, uint64_t count,
                     ReadMemory& memory, Levels& out);

// Appends exactly `count` items of a dictionary to `out`, whose shape says what they are.
Status decode_dictionary(const layout::Encoding& encoding, ByteView bytes, uint64_t count,
                         ReadMemory& memory, LeafValues& out);

// A damaged page, with the rule that it breaks.
Error page_damaged(std::string_view rule);
Error encoding_refused(const layout::Encoding& encoding, std::string_view where);

}  // namespace weft::lance::read

// Decodes the values of the chunks of a mini-block page.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/base/result.h"
#include "weft/codec/fsst_decoder.h"
#include "weft/lance/layout/encoding.h"
#include "weft/lance/read/block_decoder.h"
#include "weft/lance/read/leaf_values.h"

namespace weft::lance::read {

// More items in one chunk are damage: chunk words count to 2^15.
inline constexpr uint64_t kChunkItemsMax = uint64_t{1} << 15U;

// Whether an encoding is that of the fixed-size lists around the values of `shape`, down to flat
// values.
bool has_list_levels(const layout::Encoding& encoding, const LeafShape& shape);

// Made once per page from its description; immutable and thread-safe then.
class ValueDecoder {
 public:
  // Errors: kUnsupported, kCorrupt if encoding and shape do not fit together.
  static Result<ValueDecoder> make(const layout::Encoding& encoding, const LeafShape& shape);

  // Appends items `ranges` (ascending, disjoint, inside [0, item_count)) of a chunk of `item_count`
  // (at most kChunkItemsMax) to `out`. Errors: kCorrupt; kLimit; kUnsupported.
  Status decode(std::span<const ByteView> buffers, uint64_t item_count,
                std::span<const IndexRange> ranges, ReadMemory& memory, LeafValues& out) const;

 private:
  struct Chunk {
    std::span<const ByteView> buffers;
    uint64_t item_count;
    std::span<const IndexRange> ranges;
    ReadMemory& memory;
  };

  Status decode_as(const layout::Encoding& encoding, const Chunk& chunk, LeafValues& out) const;
  Status flat(const layout::Encoding& encoding, const Chunk& chunk, LeafValues& out) const;
  Status fixed_list(const layout::Encoding& encoding, const Chunk& chunk, LeafValues& out) const;
  Status packed(const layout::Encoding& encoding, const Chunk& chunk, LeafValues& out) const;
  Status variable(const layout::Encoding& encoding, const Chunk& chunk, LeafValues& out) const;
  Status fsst(const layout::Encoding& encoding, const Chunk& chunk, LeafValues& out) const;
  Status runs(const layout::Encoding& encoding, const Chunk& chunk, LeafValues& out) const;
  Status split_bytes(const layout::Encoding& encoding, const Chunk& chunk, LeafValues& out) const;

  layout::Encoding encoding_;
  LeafShape shape_;
  std::optional<codec::FsstDecoder> fsst_;
};

}  // namespace weft::lance::read

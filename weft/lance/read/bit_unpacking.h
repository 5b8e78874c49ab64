// Bit-packed integers in Lance pages: blocks of 1024 in lanes (codec/lane_packing.h), with the
// width in front of each block (inline) or in the description (out of line).
#pragma once

#include <cstring>
#include <span>

#include "weft/codec/lane_packing.h"
#include "weft/lance/read/block_decoder.h"

namespace weft::lance::read {

// A block that need not be aligned. `words` has packed_word_count<T>(width) words of T.
template <codec::PackedWord T>
void unpack_block(ByteView words, uint32_t width, std::span<T, codec::kPackedBlockValues> out) {
  // One word more than full width, so that a copy always fits.
  alignas(64) T copy[codec::kPackedBlockValues];
  const size_t count = codec::packed_word_count<T>(width);
  const T* from = reinterpret_cast<const T*>(words.data());
  if (reinterpret_cast<uintptr_t>(words.data()) % alignof(T) != 0) {
    std::memcpy(copy, words.data(), count * sizeof(T));
    from = copy;
  }
  codec::unpack_lanes<T>(std::span<const T>(from, count), width, out);
}

// The block of a chunk of at most 1024 values: one word with the width, then the block.
struct InlineBlock {
  ByteView words;
  uint32_t width = 0;
};
template <codec::PackedWord T>
Result<InlineBlock> inline_block(ByteView bytes) {
  if (bytes.size() < sizeof(T)) {
    return page_damaged("a bit-packed chunk has its width");
  }
  T width = 0;
  std::memcpy(&width, bytes.data(), sizeof(T));
  if (width > sizeof(T) * 8) {
    return page_damaged("packed values are not wider than their words");
  }
  const ByteView words = bytes.subspan(sizeof(T));
  if (words.size() / sizeof(T) < codec::packed_word_count<T>(static_cast<uint32_t>(width))) {
    return page_damaged("a bit-packed chunk is whole");
  }
  return InlineBlock{words, static_cast<uint32_t>(width)};
}

template <codec::PackedWord T>
Status unpack_inline(ByteView bytes, std::span<T, codec::kPackedBlockValues> out) {
  WEFT_TRY(const InlineBlock block, inline_block<T>(bytes));
  unpack_block<T>(block.words, block.width, out);
  return ok_status();
}

// Any number of values, appended block by block through `take(values)`.
template <codec::PackedWord T, typename Take>
Status unpack_out_of_line(ByteView bytes, uint64_t width, uint64_t count, const Take& take) {
  if (width > sizeof(T) * 8) {
    return page_damaged("packed values are not wider than their words");
  }
  const size_t block_bytes = codec::packed_word_count<T>(static_cast<uint32_t>(width)) * sizeof(T);
  alignas(64) T block[codec::kPackedBlockValues];
  const std::span<T, codec::kPackedBlockValues> values(block);
  for (; count >= values.size(); count -= values.size()) {
    if (bytes.size() < block_bytes) {
      return page_damaged("a bit-packed buffer is whole");
    }
    unpack_block<T>(bytes, static_cast<uint32_t>(width), values);
    WEFT_TRY_STATUS(take(std::span<const T>(values)));
    bytes = bytes.subspan(block_bytes);
  }
  if (count == 0) {
    return ok_status();
  }
  // The last values are stored as they are if that is what remains, else as a block.
  if (bytes.size() == count * sizeof(T)) {
    std::memcpy(block, bytes.data(), bytes.size());
  } else if (bytes.size() >= block_bytes) {
    unpack_block<T>(bytes, static_cast<uint32_t>(width), values);
  } else {
    return page_damaged("the last block of a bit-packed buffer is whole");
  }
  return take(std::span<const T>(values).first(count));
}

// Calls `call(T())` for the unsigned word of so many bits. Errors: kUnsupported.
template <typename Call>
Status with_word(uint64_t bits, const Call& call) {
  switch (bits) {
    case 8:
      return call(uint8_t{});
    case 16:
      return call(uint16_t{});
    case 32:
      return call(uint32_t{});
    case 64:
      return call(uint64_t{});
    default:
      return Error(ErrorKind::kUnsupported, "words of this width are not supported")
          .with("bits", bits);
  }
}

}  // namespace weft::lance::read

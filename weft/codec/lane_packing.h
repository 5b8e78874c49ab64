// Bit packing of blocks of 1024 unsigned values in interleaved lanes, as Lance files hold integers:
// T-bit words, each value in W bits. Lane l of lanes = 1024/T holds T values as one string of bits,
// low bit first, over the words l, lanes + l, 2 * lanes + l, … Value r of lane l is element
// order[r / 8] * 16 + (r % 8) * 128 + l of the block, order = 0 4 2 6 1 5 3 7: with it one block
// serves every T, and neighbouring lanes are neighbouring elements, so that both loops vectorise.
// Layout: docs/formats/lance.md, "Bit packing". Pure functions; thread-safe.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/base/bytes.h"

namespace weft::codec {

inline constexpr size_t kPackedBlockValues = 1024;

template <typename T>
concept PackedWord = std::same_as<T, uint8_t> || std::same_as<T, uint16_t> ||
                     std::same_as<T, uint32_t> || std::same_as<T, uint64_t>;

// Words of T that a block of values of `width_bits` takes: 1024 * W bits.
template <PackedWord T>
constexpr size_t packed_word_count(uint32_t width_bits) {
  return kPackedBlockValues * width_bits / (sizeof(T) * 8);
}

// Bits that the largest of `values` needs: 0 if all are zero.
template <PackedWord T>
constexpr uint32_t width_of(std::span<const T> values) {
  T all = 0;
  for (const T value : values) {
    all = static_cast<T>(all | value);
  }
  return static_cast<uint32_t>(std::bit_width(all));
}

// `width_bits` <= bits of T; no value may need more. `out` has packed_word_count<T>(width_bits)
// words and is overwritten.
template <PackedWord T>
void pack_lanes(std::span<const T, kPackedBlockValues> values, uint32_t width_bits,
                std::span<T> out);

// The reverse: `words` has packed_word_count<T>(width_bits) words.
template <PackedWord T>
void unpack_lanes(std::span<const T> words, uint32_t width_bits,
                  std::span<T, kPackedBlockValues> out);

// Value `element` of the block alone: for few of a block, much faster than all. `words` has the
// bytes of packed_word_count<T>(width_bits) words, not necessarily aligned.
template <PackedWord T>
T unpack_value(ByteView words, uint32_t width_bits, size_t element);

}  // namespace weft::codec

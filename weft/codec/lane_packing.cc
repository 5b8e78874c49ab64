#include "weft/codec/lane_packing.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "weft/base/check.h"

namespace weft::codec {
namespace {

constexpr std::array<size_t, 8> kOrder = {0, 4, 2, 6, 1, 5, 3, 7};

// The element of the block that is value `row` of lane 0.
constexpr size_t first_element(size_t row) {
  return kOrder[row / 8] * 16 + (row % 8) * 128;
}

}  // namespace

template <PackedWord T>
void pack_lanes(std::span<const T, kPackedBlockValues> values, uint32_t width_bits,
                std::span<T> out) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  constexpr size_t kLanes = kPackedBlockValues / kBits;
  WEFT_CHECK(width_bits <= kBits && out.size() == packed_word_count<T>(width_bits));
  std::fill(out.begin(), out.end(), T{0});
  if (width_bits == 0) {
    return;
  }
  for (uint32_t row = 0; row < kBits; ++row) {
    const T* from = values.data() + first_element(row);
    const uint32_t bit = row * width_bits;
    const uint32_t shift = bit % kBits;
    T* word = out.data() + kLanes * (bit / kBits);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      word[lane] = static_cast<T>(word[lane] | static_cast<T>(from[lane] << shift));
    }
    if (shift + width_bits > kBits) {
      T* next = word + kLanes;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        next[lane] = static_cast<T>(from[lane] >> (kBits - shift));
      }
    }
  }
}

template <PackedWord T>
void unpack_lanes(std::span<const T> words, uint32_t width_bits,
                  std::span<T, kPackedBlockValues> out) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  constexpr size_t kLanes = kPackedBlockValues / kBits;
  WEFT_CHECK(width_bits <= kBits && words.size() == packed_word_count<T>(width_bits));
  if (width_bits == 0) {
    std::fill(out.begin(), out.end(), T{0});
    return;
  }
  const T mask = static_cast<T>(~T{0}) >> (kBits - width_bits);
  for (uint32_t row = 0; row < kBits; ++row) {
    T* to = out.data() + first_element(row);
    const uint32_t bit = row * width_bits;
    const uint32_t shift = bit % kBits;
    const T* word = words.data() + kLanes * (bit / kBits);
    if (shift + width_bits > kBits) {
      const T* next = word + kLanes;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        to[lane] = static_cast<T>(
            ((word[lane] >> shift) | static_cast<T>(next[lane] << (kBits - shift))) & mask);
      }
    } else {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        to[lane] = static_cast<T>((word[lane] >> shift) & mask);
      }
    }
  }
}

template <PackedWord T>
T unpack_value(ByteView words, uint32_t width_bits, size_t element) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  constexpr size_t kLanes = kPackedBlockValues / kBits;
  // kOrder is its own inverse.
  WEFT_CHECK(width_bits <= kBits && element < kPackedBlockValues &&
             words.size() >= packed_word_count<T>(width_bits) * sizeof(T));
  if (width_bits == 0) {
    return 0;
  }
  const size_t lane = element % kLanes;
  const size_t row = kOrder[(element % 128 - lane) / 16] * 8 + element / 128;
  const auto load = [&](size_t word) {
    T value = 0;
    std::memcpy(&value, words.data() + (word * kLanes + lane) * sizeof(T), sizeof(T));
    return value;
  };
  const size_t bit = row * width_bits;
  const auto shift = static_cast<uint32_t>(bit % kBits);
  T value = static_cast<T>(load(bit / kBits) >> shift);
  if (shift + width_bits > kBits) {
    value = static_cast<T>(value | static_cast<T>(load(bit / kBits + 1) << (kBits - shift)));
  }
  return value & static_cast<T>(static_cast<T>(~T{0}) >> (kBits - width_bits));
}

#define WEFT_LANE_PACKING(T)                                                                     \
  template void pack_lanes<T>(std::span<const T, kPackedBlockValues>, uint32_t, std::span<T>);   \
  template void unpack_lanes<T>(std::span<const T>, uint32_t, std::span<T, kPackedBlockValues>); \
  template T unpack_value<T>(ByteView, uint32_t, size_t)
WEFT_LANE_PACKING(uint8_t);
WEFT_LANE_PACKING(uint16_t);
WEFT_LANE_PACKING(uint32_t);
WEFT_LANE_PACKING(uint64_t);
#undef WEFT_LANE_PACKING

}  // namespace weft::codec

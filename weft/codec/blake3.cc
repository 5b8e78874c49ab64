#include "weft/codec/blake3.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/base/check.h"

// Names follow the paper: a chunk is 1,024 bytes, a block 64; the compression function mixes a
// chaining value with a block. Whole chunks are hashed eight side by side (one per 32-bit lane).

namespace weft::codec {
namespace {

using ChainingValue = std::array<uint32_t, 8>;

constexpr ChainingValue kInitial = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                    0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
constexpr uint32_t kChunkStart = 1;
constexpr uint32_t kChunkEnd = 2;
constexpr uint32_t kParent = 4;
constexpr uint32_t kRoot = 8;
constexpr uint32_t kBlockBytes = 64;
constexpr size_t kChunkBlocks = 16;
constexpr size_t kLanes = 8;

constexpr std::array<std::array<uint8_t, 16>, 7> message_schedule() {
  constexpr std::array<uint8_t, 16> kPermutation = {2, 6,  3,  10, 7, 0,  4,  13,
                                                    1, 11, 12, 5,  9, 14, 15, 8};
  std::array<std::array<uint8_t, 16>, 7> rounds{};
  for (uint8_t i = 0; i < 16; ++i) {
    rounds[0][i] = i;
  }
  for (size_t round = 1; round < 7; ++round) {
    for (size_t i = 0; i < 16; ++i) {
      rounds[round][i] = rounds[round - 1][kPermutation[i]];
    }
  }
  return rounds;
}
constexpr auto kSchedule = message_schedule();

// Eight lanes of 32 bits: plain GCC/clang vectors, which the compiler maps to AVX2, or to two SSE
// registers where there is no AVX2.
using Lanes = uint32_t __attribute__((vector_size(32)));

using Octets = uint8_t __attribute__((vector_size(32)));

// In place, since a function that returns such a vector has no stable ABI.
template <int kCount>
inline __attribute__((always_inline)) void rotate_right(uint32_t& value) {
  value = std::rotr(value, kCount);
}
// By 8 and 16 bits: one byte shuffle instead of two shifts and an or.
template <int kCount>
inline __attribute__((always_inline)) void rotate_right(Lanes& value) {
  if constexpr (kCount == 16) {
    auto octets = reinterpret_cast<Octets>(value);
    octets =
        __builtin_shufflevector(octets, octets, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12,
                                13, 18, 19, 16, 17, 22, 23, 20, 21, 26, 27, 24, 25, 30, 31, 28, 29);
    value = reinterpret_cast<Lanes>(octets);
  } else if constexpr (kCount == 8) {
    auto octets = reinterpret_cast<Octets>(value);
    octets =
        __builtin_shufflevector(octets, octets, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15,
                                12, 17, 18, 19, 16, 21, 22, 23, 20, 25, 26, 27, 24, 29, 30, 31, 28);
    value = reinterpret_cast<Lanes>(octets);
  } else {
    value = (value >> kCount) | (value << (32 - kCount));
  }
}

template <typename Word>
inline __attribute__((always_inline)) void mix(Word& a, Word& b, Word& c, Word& d, const Word& x,
                                               const Word& y) {
  a = a + b + x;
  d = d ^ a;
  rotate_right<16>(d);
  c = c + d;
  b = b ^ c;
  rotate_right<12>(b);
  a = a + b + y;
  d = d ^ a;
  rotate_right<8>(d);
  c = c + d;
  b = b ^ c;
  rotate_right<7>(b);
}

template <typename Word>
inline __attribute__((always_inline)) void seven_rounds(Word (&state)[16], const Word* message) {
#pragma GCC unroll 7
  for (const std::array<uint8_t, 16>& order : kSchedule) {
    mix(state[0], state[4], state[8], state[12], message[order[0]], message[order[1]]);
    mix(state[1], state[5], state[9], state[13], message[order[2]], message[order[3]]);
    mix(state[2], state[6], state[10], state[14], message[order[4]], message[order[5]]);
    mix(state[3], state[7], state[11], state[15], message[order[6]], message[order[7]]);
    mix(state[0], state[5], state[10], state[15], message[order[8]], message[order[9]]);
    mix(state[1], state[6], state[11], state[12], message[order[10]], message[order[11]]);
    mix(state[2], state[7], state[8], state[13], message[order[12]], message[order[13]]);
    mix(state[3], state[4], state[9], state[14], message[order[14]], message[order[15]]);
  }
}

struct BlockInput {
  uint64_t counter;
  uint32_t size;
  uint32_t flags;
};

ChainingValue compress(const ChainingValue& value, const uint32_t* message, BlockInput input) {
  uint32_t state[16];
  std::copy(value.begin(), value.end(), state);
  std::copy_n(kInitial.begin(), 4, state + 8);
  state[12] = static_cast<uint32_t>(input.counter);
  state[13] = static_cast<uint32_t>(input.counter >> 32U);
  state[14] = input.size;
  state[15] = input.flags;
  seven_rounds<uint32_t>(state, message);
  ChainingValue result{};
  for (size_t i = 0; i < 8; ++i) {
    result[i] = state[i] ^ state[i + 8];
  }
  return result;
}

std::array<uint32_t, 16> load_block(const uint8_t* block) {
  std::array<uint32_t, 16> message{};
  std::memcpy(message.data(), block, kBlockBytes);
  return message;
}

ChainingValue compress_parent(const ChainingValue& left, const ChainingValue& right,
                              uint32_t flags) {
  std::array<uint32_t, 16> message{};
  std::copy(left.begin(), left.end(), message.begin());
  std::copy(right.begin(), right.end(), message.begin() + 8);
  return compress(kInitial, message.data(), {0, kBlockBytes, kParent | flags});
}

// Reads eight words of each of eight chunks; afterwards words[i] holds word i of every chunk.
inline __attribute__((always_inline)) void load_transposed(const uint8_t* chunks, Lanes* words) {
  Lanes row[8];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    std::memcpy(&row[lane], chunks + lane * 1024, sizeof(Lanes));
  }
  Lanes pair[8];
  for (size_t i = 0; i < 8; i += 2) {
    pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  Lanes quad[8];
  for (size_t half = 0; half < 8; half += 4) {
    for (size_t i = 0; i < 2; ++i) {
      const Lanes& low = pair[half + i];
      const Lanes& high = pair[half + i + 2];
      quad[half + 2 * i] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
      quad[half + 2 * i + 1] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (size_t i = 0; i < 4; ++i) {
    words[i] = __builtin_shufflevector(quad[i], quad[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    words[i + 4] = __builtin_shufflevector(quad[i], quad[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// The body of hash_eight_chunks, compiled once for AVX2 and once for the base instruction set.
inline __attribute__((always_inline)) void eight_chunks(const uint8_t* chunks, uint64_t counter,
                                                        ChainingValue* values) {
  Lanes value[8];
  for (size_t i = 0; i < 8; ++i) {
    value[i] = Lanes{} + kInitial[i];
  }
  Lanes counter_low{};
  Lanes counter_high{};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    counter_low[lane] = static_cast<uint32_t>(counter + lane);
    counter_high[lane] = static_cast<uint32_t>((counter + lane) >> 32U);
  }
  for (size_t block = 0; block < kChunkBlocks; ++block) {
    Lanes message[16];
    load_transposed(chunks + block * kBlockBytes, message);
    load_transposed(chunks + block * kBlockBytes + sizeof(Lanes), message + 8);
    Lanes state[16] = {};
    std::copy_n(value, 8, state);
    for (size_t i = 0; i < 4; ++i) {
      state[8 + i] = Lanes{} + kInitial[i];
    }
    state[12] = counter_low;
    state[13] = counter_high;
    state[14] = Lanes{} + kBlockBytes;
    state[15] = Lanes{} + ((block == 0 ? kChunkStart : 0) | (block == 15 ? kChunkEnd : 0));
    seven_rounds<Lanes>(state, message);
    for (size_t i = 0; i < 8; ++i) {
      value[i] = state[i] ^ state[i + 8];
    }
  }
  for (size_t lane = 0; lane < kLanes; ++lane) {
    for (size_t i = 0; i < 8; ++i) {
      values[lane][i] = value[i][lane];
    }
  }
}

void eight_chunks_base(const uint8_t* chunks, uint64_t counter, ChainingValue* values) {
  eight_chunks(chunks, counter, values);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) void eight_chunks_avx2(const uint8_t* chunks, uint64_t counter,
                                                       ChainingValue* values) {
  eight_chunks(chunks, counter, values);
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0;
}
#else
void eight_chunks_avx2(const uint8_t* chunks, uint64_t counter, ChainingValue* values) {
  eight_chunks(chunks, counter, values);
}
bool has_avx2() {
  return false;
}
#endif

void hash_eight_chunks(const uint8_t* chunks, uint64_t counter, ChainingValue* values) {
  static const bool kUseAvx2 = has_avx2();
  kUseAvx2 ? eight_chunks_avx2(chunks, counter, values)
           : eight_chunks_base(chunks, counter, values);
}

// The value of the subtree over eight consecutive whole chunks.
ChainingValue hash_eight_chunk_subtree(const uint8_t* chunks, uint64_t chunk_counter) {
  std::array<ChainingValue, kLanes> values{};
  hash_eight_chunks(chunks, chunk_counter, values.data());
  for (size_t width = kLanes; width > 1; width /= 2) {
    for (size_t i = 0; i < width / 2; ++i) {
      values[i] = compress_parent(values[2 * i], values[2 * i + 1], 0);
    }
  }
  return values[0];
}

}  // namespace

Blake3::Blake3() : chunk_value_(kInitial), stack_{} {}

// Merges completed subtrees of equal size: after `chunk_count` chunks the stack holds one value per
// one-bit of the total.
void Blake3::push_subtree(const ChainingValue& value, uint64_t chunk_count) {
  ChainingValue merged = value;
  uint64_t total = (chunk_counter_ + chunk_count) / chunk_count;
  while ((total & 1U) == 0) {
    merged = compress_parent(stack_[--stack_size_], merged, 0);
    total >>= 1U;
  }
  WEFT_CHECK(stack_size_ < kDepthMax);
  stack_[stack_size_++] = merged;
  chunk_counter_ += chunk_count;
}

void Blake3::push_chunk(const ChainingValue& value) {
  push_subtree(value, 1);
}

// Compresses the full block in the buffer; it is not the last of its input.
void Blake3::finish_block() {
  const bool last = blocks_done_ == kChunkBlocks - 1;
  const uint32_t flags = (blocks_done_ == 0 ? kChunkStart : 0) | (last ? kChunkEnd : 0);
  const auto message = load_block(block_.data());
  const ChainingValue value =
      compress(chunk_value_, message.data(), {chunk_counter_, kBlockBytes, flags});
  block_size_ = 0;
  if (last) {
    blocks_done_ = 0;
    chunk_value_ = kInitial;
    push_chunk(value);
  } else {
    ++blocks_done_;
    chunk_value_ = value;
  }
}

void Blake3::update(ByteView bytes) {
  const uint8_t* cursor = as_octets(bytes);
  size_t left = bytes.size();
  while (left > 0) {
    // A full buffer is compressed only when more follows: the last block carries other flags.
    if (block_size_ == kBlockBytes) {
      finish_block();
    }
    // Eight chunks make a whole subtree only where the counter is a multiple of eight.
    if (block_size_ == 0 && blocks_done_ == 0 && chunk_counter_ % kLanes == 0) {
      while (left > kLanes * kChunkBytes) {
        push_subtree(hash_eight_chunk_subtree(cursor, chunk_counter_), kLanes);
        cursor += kLanes * kChunkBytes;
        left -= kLanes * kChunkBytes;
      }
    }
    const size_t taken = std::min<size_t>(kBlockBytes - block_size_, left);
    std::memcpy(block_.data() + block_size_, cursor, taken);
    block_size_ = static_cast<uint8_t>(block_size_ + taken);
    cursor += taken;
    left -= taken;
  }
}

Digest32 Blake3::digest() const {
  std::array<uint8_t, kBlockBytes> padded{};
  std::copy_n(block_.begin(), block_size_, padded.begin());
  auto message = load_block(padded.data());
  ChainingValue input = chunk_value_;
  BlockInput last{chunk_counter_, block_size_, (blocks_done_ == 0 ? kChunkStart : 0) | kChunkEnd};
  for (size_t i = stack_size_; i-- > 0;) {
    const ChainingValue right = compress(input, message.data(), last);
    std::copy(stack_[i].begin(), stack_[i].end(), message.begin());
    std::copy(right.begin(), right.end(), message.begin() + 8);
    input = kInitial;
    last = {0, kBlockBytes, kParent};
  }
  last.flags |= kRoot;
  if (stack_size_ > 0) {
    last.counter = 0;
  }
  const ChainingValue root = compress(input, message.data(), last);
  Digest32 digest{};
  std::memcpy(digest.data(), root.data(), digest.size());
  return digest;
}

Digest16 Blake3::digest16() const {
  const Digest32 whole = digest();
  Digest16 half{};
  std::copy_n(whole.begin(), half.size(), half.begin());
  return half;
}

Digest32 blake3(ByteView bytes) {
  Blake3 hasher;
  hasher.update(bytes);
  return hasher.digest();
}

Digest16 blake3_16(ByteView bytes) {
  Blake3 hasher;
  hasher.update(bytes);
  return hasher.digest16();
}

std::string to_hex(ByteView bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte octet : bytes) {
    text.push_back(kDigits[std::to_integer<size_t>(octet) >> 4U]);
    text.push_back(kDigits[std::to_integer<size_t>(octet) & 0xfU]);
  }
  return text;
}

}  // namespace weft::codec

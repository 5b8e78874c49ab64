// The BLAKE3 hash (plain, unkeyed; "BLAKE3: one function, fast everywhere", 2020), vectorised where
// the processor has AVX2. Tested against b3sum's output and the published test vectors.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "weft/base/bytes.h"

namespace weft::codec {

using Digest32 = std::array<std::byte, 32>;
// The first 16 bytes of the plain digest: the content hash and every digest of a `.rete` file.
using Digest16 = std::array<std::byte, 16>;

// Hashes a stream. Not thread-safe; a value.
class Blake3 {
 public:
  Blake3();
  void update(ByteView bytes);
  // May be called at any time, and update() again after it.
  Digest32 digest() const;
  Digest16 digest16() const;

 private:
  static constexpr size_t kChunkBytes = 1024;
  static constexpr size_t kDepthMax = 54;
  using ChainingValue = std::array<uint32_t, 8>;

  void push_chunk(const ChainingValue& value);
  void push_subtree(const ChainingValue& value, uint64_t chunk_count);
  void finish_block();

  ChainingValue chunk_value_;
  uint64_t chunk_counter_ = 0;
  std::array<uint8_t, 64> block_{};
  uint8_t block_size_ = 0;
  uint8_t blocks_done_ = 0;
  std::array<ChainingValue, kDepthMax> stack_;
  size_t stack_size_ = 0;
};

Digest32 blake3(ByteView bytes);
Digest16 blake3_16(ByteView bytes);

// Lower-case hexadecimal digits.
std::string to_hex(ByteView bytes);

}  // namespace weft::codec

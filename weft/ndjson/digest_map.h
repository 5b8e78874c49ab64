// Texts by their digest, each with the line that brought it first: what tells repeated ids and
// values of a load apart in 24 bytes each. Two different texts have one digest never, in practice:
// 128 bits of BLAKE3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "weft/codec/blake3.h"

namespace weft::ndjson {

// Not thread-safe.
class DigestMap {
 public:
  static codec::Digest16 digest(std::string_view text);

  // The line that came with this digest before; nullopt: none, and it stands there now. Lines begin
  // at 1.
  std::optional<uint64_t> insert(const codec::Digest16& key, uint64_t line);
  bool contains(const codec::Digest16& key) const;
  size_t size() const { return count_; }
  uint64_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    codec::Digest16 key{};
    uint64_t line = 0;  // 0: empty
  };
  size_t slot_of(const codec::Digest16& key) const;
  void grow();

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace weft::ndjson

// Tokens of overlays, each once and numbered. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::quads {

// Counts from 1 in order of appearance.
using Ordinal = uint32_t;
inline constexpr Ordinal kNoOrdinal = 0;

// Open addressing over flat arrays: no allocation per token.
class TermTable {
 public:
  // The number of `token`, which is added if it is new. At most 2^32-2 tokens (checked).
  Ordinal intern(std::string_view token) { return intern(token, hash_of(token)); }
  // With hash_of(token), which may be computed elsewhere.
  Ordinal intern(std::string_view token, uint64_t hash);
  Ordinal find(std::string_view token) const;
  static uint64_t hash_of(std::string_view token);

  // Numbers are 1 … size().
  size_t size() const { return ends_.size(); }
  // Valid until the next intern().
  std::string_view token(Ordinal ordinal) const& {
    const uint64_t begin = ordinal == 1 ? 0 : ends_[ordinal - 2];
    return std::string_view(text_).substr(begin, ends_[ordinal - 1] - begin);
  }
  std::string_view token(Ordinal ordinal) && = delete;
  uint64_t memory_bytes() const;
  void reserve(size_t tokens, size_t bytes);

 private:
  size_t slot_of(std::string_view token, uint64_t hash) const;
  void grow(size_t slot_count);

  std::string text_;
  std::vector<uint64_t> ends_;
  std::vector<uint64_t> hashes_;
  std::vector<Ordinal> slots_;  // a power of two
};

}  // namespace weft::quads

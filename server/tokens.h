// Who may do what: bearer tokens, kept as SHA-256 digests and compared in constant time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"

namespace weft::server {

enum class Right : uint8_t { kNone, kRead, kWrite };

using TokenDigest = std::array<unsigned char, 32>;
TokenDigest token_digest(std::string_view token);

// Immutable once it is filled; then thread-safe.
class TokenTable {
 public:
  // Errors: kInvalid for an empty token or one with characters that no Authorization field holds.
  Status add(std::string_view token, Right right);
  // One token a line: TOKEN or sha256:HEX (of the token), perhaps followed by " read" or " write"
  // (the default). Empty lines and lines that begin with '#' are skipped. Errors: kInvalid with the
  // line.
  Status add_lines(std::string_view text);

  bool empty() const { return entries_.empty(); }
  // What the bearer of `token` may do; kNone if nobody has it. Takes the same time for every token
  // of one length.
  Right right_of(std::string_view token) const;

 private:
  struct Entry {
    TokenDigest digest;
    Right right;
  };
  std::vector<Entry> entries_;
};

}  // namespace weft::server

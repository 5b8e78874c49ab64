// Decodes FSST (fsst_encoder.h): one-byte codes for symbols of up to 8 bytes; code 255 says that
// the next byte stands for itself.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::codec {

// Immutable once made; thread-safe.
class FsstDecoder {
 public:
  // From a symbol table as it stands in files. Errors: kCorrupt.
  static Result<FsstDecoder> parse(ByteView table);

  // A value of `size` bytes decodes to at most this many.
  static constexpr uint64_t decoded_size_max(uint64_t size) { return size * 8; }
  // decode() may write this many bytes more, which then mean nothing.
  static constexpr size_t kSlackBytes = 8;

  // False: the table says that values are not encoded at all; decode() then copies.
  bool is_on() const { return is_on_; }

  // Decodes one value into `out`, which has room for decoded_size_max + kSlackBytes. Returns the
  // end of what was written; null if the value holds a code without a symbol or ends in an escape.
  uint8_t* decode(ByteView value, uint8_t* out) const;

 private:
  bool is_on_ = false;
  std::array<uint64_t, 256> symbols_{};
  std::array<uint8_t, 256> lengths_{};  // 0: no such code
};

}  // namespace weft::codec

#include "weft/base/ulid.h"

#include <algorithm>

namespace weft::base {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr int64_t kMicrosecondsPerMs = 1'000;
constexpr int64_t kTimeMax = (int64_t{1} << 48U) - 1;
constexpr unsigned kTimeBytes = 6;
constexpr unsigned kBitsPerDigit = 5;
// 26 digits hold 130 bits: the first one stands for the upper three of 128.
constexpr unsigned kSpareBits = 2;

}  // namespace

Ulid Ulid::make(WallTime time, Random& random) {
  Ulid ulid;
  auto ms = static_cast<uint64_t>(
      std::clamp<int64_t>(time.microseconds / kMicrosecondsPerMs, 0, kTimeMax));
  for (size_t i = kTimeBytes; i-- > 0;) {
    ulid.bytes_[i] = static_cast<uint8_t>(ms);
    ms >>= 8U;
  }
  for (size_t i = kTimeBytes; i < ulid.bytes_.size(); ++i) {
    ulid.bytes_[i] = static_cast<uint8_t>(random.next());
  }
  return ulid;
}

Result<Ulid> Ulid::parse(std::string_view text) {
  const auto malformed = [text] {
    return Error(ErrorKind::kInvalid, "not a ULID in its canonical form").with("text", text);
  };
  if (text.size() != kUlidSize || text[0] > '7') {
    return malformed();
  }
  Ulid ulid;
  uint32_t bits = 0;
  unsigned bit_count = 0;
  size_t at = 0;
  for (size_t i = 0; i < kUlidSize; ++i) {
    const size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) {
      return malformed();
    }
    bits = bits << kBitsPerDigit | static_cast<uint32_t>(digit);
    bit_count += i == 0 ? kBitsPerDigit - kSpareBits : kBitsPerDigit;
    if (bit_count >= 8) {
      bit_count -= 8;
      ulid.bytes_[at++] = static_cast<uint8_t>(bits >> bit_count);
    }
  }
  return ulid;
}

std::string Ulid::text() const {
  std::string text;
  text.reserve(kUlidSize);
  uint32_t bits = 0;
  unsigned bit_count = kSpareBits;
  for (const uint8_t byte : bytes_) {
    bits = bits << 8U | byte;
    bit_count += 8;
    while (bit_count >= kBitsPerDigit) {
      bit_count -= kBitsPerDigit;
      text += kDigits[bits >> bit_count & 31U];
    }
  }
  return text;
}

WallTime Ulid::time() const {
  int64_t ms = 0;
  for (size_t i = 0; i < kTimeBytes; ++i) {
    ms = ms << 8U | bytes_[i];
  }
  return {ms * kMicrosecondsPerMs};
}

}  // namespace weft::base

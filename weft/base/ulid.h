// Names that are unique without asking anybody, and sort by the time they were made.
// Format: ULID (github.com/ulid/spec): 48 bits of milliseconds since 1970, 80 random bits, written
// as 26 characters of Crockford's base 32 in upper case.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/base/result.h"

namespace weft::base {

inline constexpr size_t kUlidSize = 26;

// A value; all zero by default, which is_none().
class Ulid {
 public:
  Ulid() = default;
  // `time` before 1970 or after the year 10889 counts as the nearest that can be written.
  static Ulid make(WallTime time, Random& random);
  // The canonical form only: 26 upper-case characters without I, L, O, U, at most
  // 7ZZZZZZZZZZZZZZZZZZZZZZZZZ. Errors: kInvalid.
  static Result<Ulid> parse(std::string_view text);

  std::string text() const;
  // To the millisecond.
  WallTime time() const;
  bool is_none() const { return *this == Ulid(); }

  friend auto operator<=>(const Ulid&, const Ulid&) = default;

 private:
  std::array<uint8_t, 16> bytes_{};
};

}  // namespace weft::base

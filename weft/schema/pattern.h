// Regular expressions of @check, on RE2: linear time whatever the pattern. They match anywhere in
// the text; \d, \w and \s mean Unicode's classes; $ is the end of the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "weft/base/result.h"

namespace weft::schema {

inline constexpr size_t kPatternBytesMax = 4096;
// What RE2 may spend on one compiled pattern.
inline constexpr int64_t kPatternMemoryMaxBytes = int64_t{8} << 20U;

// Immutable; thread-safe.
class Pattern {
 public:
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  // Errors: kInvalid says what is wrong; kLimit beyond kPatternBytesMax.
  static Result<Pattern> compile(std::string_view text);
  bool matches(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace weft::schema

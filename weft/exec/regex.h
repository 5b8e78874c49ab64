// Regular expressions as SPARQL has them (XPath and XQuery Functions 3.1, 5.6), on RE2: linear time
// whatever the pattern. Class subtraction is done by sets (character_set.h). What cannot be done in
// linear time is refused by name: back-references.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "weft/base/result.h"

namespace weft::exec {

// Immutable; thread-safe.
class Regex {
 public:
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // Flags: s, m, i, x, q. Errors: kInvalid (no such flag, malformed pattern), kUnsupported.
  static Result<std::unique_ptr<Regex>> compile(std::string_view pattern, std::string_view flags);

  // True if it matches somewhere in `text`.
  bool matches(std::string_view text) const;
  // All matches replaced: $N is group N, \$ and \\ are themselves. nullopt (an error of the
  // expression) if the pattern matches the empty string, or `replacement` is malformed. Errors:
  // kLimit if the result is longer than `bytes_max`.
  Result<std::optional<std::string>> replace(std::string_view text, std::string_view replacement,
                                             size_t bytes_max) const;

 private:
  struct Compiled;
  explicit Regex(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace weft::exec

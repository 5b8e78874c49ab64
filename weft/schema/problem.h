// What is wrong with a schema or a query text: places, codes, sentences; several per run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.h"

namespace weft::schema {

// Both begin at 1; columns count code points.
struct Place {
  uint32_t line = 1;
  uint32_t column = 1;
  friend auto operator<=>(const Place&, const Place&) = default;
};
std::string to_string(Place place);  // "3:14"

struct Problem {
  Place place;
  // "parse", "schema", "T1" … "T24": docs/formats/pg-schema.md and gq-language.md name them.
  std::string code;
  std::string message;
};
std::string to_string(const Problem& problem);  // "3:14: schema: …"

// The first problems of a text, in the order of their finding.
class Problems {
 public:
  static constexpr size_t kProblemsMax = 100;

  void add(Place place, std::string_view code, std::string message);
  bool empty() const { return list_.empty(); }
  // True if no more are kept: a parser stops.
  bool full() const { return list_.size() >= kProblemsMax; }
  size_t size() const { return list_.size(); }
  const std::vector<Problem>& list() const { return list_; }
  // Sorted by place.
  std::vector<Problem> sorted() const;

 private:
  std::vector<Problem> list_;
};

// kInvalid "`subject` has N errors" with one fact "error" per problem. `problems` must not be
// empty.
Error to_error(std::string_view subject, const std::vector<Problem>& problems);

}  // namespace weft::schema

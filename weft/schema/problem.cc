#include "weft/schema/problem.h"

#include <algorithm>
#include <utility>

#include "weft/base/check.h"

namespace weft::schema {

std::string to_string(Place place) {
  return std::to_string(place.line) + ':' + std::to_string(place.column);
}

std::string to_string(const Problem& problem) {
  return to_string(problem.place) + ": " + problem.code + ": " + problem.message;
}

void Problems::add(Place place, std::string_view code, std::string message) {
  if (!full()) {
    list_.push_back({place, std::string(code), std::move(message)});
  }
}

std::vector<Problem> Problems::sorted() const {
  std::vector<Problem> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return a.place < b.place; });
  return sorted;
}

Error to_error(std::string_view subject, const std::vector<Problem>& problems) {
  WEFT_CHECK(!problems.empty());
  std::string message(subject);
  message += problems.size() == 1 ? " has an error"
                                  : " has " + std::to_string(problems.size()) + " errors";
  Error error(ErrorKind::kInvalid, std::move(message));
  for (const Problem& problem : problems) {
    error.add("error", to_string(problem));
  }
  return error;
}

}  // namespace weft::schema

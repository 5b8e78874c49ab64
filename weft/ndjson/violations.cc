#include "weft/ndjson/violations.h"

#include <algorithm>
#include <utility>

#include "weft/base/check.h"

namespace weft::ndjson {
std::string to_string(const Violation& violation) {
  const std::string place =
      violation.line == 0 ? std::string() : "line " + std::to_string(violation.line) + ": ";
  return place + violation.code + ": " + violation.message;
}

void Violations::add(uint64_t line, std::string_view code, std::string message) {
  ++count_;
  limit_count_ += code == "limit" ? 1 : 0;
  key_conflict_count_ += code == "key_conflict" ? 1 : 0;
  unsupported_count_ += code == "unsupported" ? 1 : 0;
  if (kept_.size() == kKeptMax && line >= kept_.back().line) {
    return;
  }
  if (kept_.size() == kKeptMax) {
    kept_.pop_back();
  }
  const auto at =
      std::upper_bound(kept_.begin(), kept_.end(), line,
                       [](uint64_t wanted, const Violation& kept) { return wanted < kept.line; });
  kept_.insert(at, {line, std::string(code), std::move(message)});
}

Error Violations::to_error() const {
  WEFT_CHECK(count_ > 0);
  const ErrorKind kind = key_conflict_count_ == count_  ? ErrorKind::kAlreadyExists
                         : limit_count_ == count_       ? ErrorKind::kLimit
                         : unsupported_count_ == count_ ? ErrorKind::kUnsupported
                                                        : ErrorKind::kInvalid;
  Error error(kind, count_ == 1 ? "load has a violation"
                                : "load has " + std::to_string(count_) + " violations");
  for (const Violation& violation : kept_) {
    error.add("violation", to_string(violation));
  }
  return error;
}

}  // namespace weft::ndjson

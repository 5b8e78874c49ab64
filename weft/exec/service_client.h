// How SERVICE reaches other endpoints. exec/ owns this interface; whoever runs queries supplies it,
// with its own rules about which endpoints may be asked.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/result.h"

namespace weft::exec {

// The answer to a SELECT: canonical tokens; nullopt is unbound. Blank nodes are labels of this
// answer alone.
struct ServiceAnswer {
  std::vector<std::string> variables;  // without '?'
  std::vector<std::vector<std::optional<std::string>>> rows;
};

// Thread-safe.
class ServiceClient {
 public:
  virtual ~ServiceClient() = default;
  // Asks `endpoint` (an IRI without brackets) for the SELECT query `query`. Reserves what the
  // answer takes from `budget` while it is read, and gives it back. Errors: kDenied for an endpoint
  // that may not be asked, kUnavailable, kInvalid for an answer that is none, kLimit, kCancelled.
  virtual Result<ServiceAnswer> select(std::string_view endpoint, const std::string& query,
                                       base::MemoryBudget& budget, std::stop_token stop) = 0;
};

}  // namespace weft::exec

// SERVICE over HTTP: asks other SPARQL endpoints (SPARQL 1.1 Protocol §2.1.3, query by POST) and
// reads their answers, JSON or XML.
//
// P1  Only what the reach names is asked; the client given to it decides about redirects (a server
//     gives one that follows none).
// P2  Every request names, in Weft-Via, the servers that the query has come through; a server that
//     finds itself there refuses (508), so that no query goes in a circle.
// P3  Each question ends by the deadline, and each answer stays below `answer_bytes_max` and within
//     the budget of the query.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "weft/base/clock.h"
#include "weft/engine/reach.h"
#include "weft/exec/service_client.h"
#include "weft/remote/http_client.h"

namespace weft::engine {

// The field of requests that names the servers a query has come through.
inline constexpr char kViaField[] = "Weft-Via";

struct ServiceCallOptions {
  Reach reach;
  std::string via;  // value of Weft-Via; empty: none
  // Of all questions of this client together; 0: none.
  uint64_t timeout_ms = 0;
  uint64_t answer_bytes_max = uint64_t{256} << 20U;
};

// Asked when the first URL is: the HTTP library is not loaded for nothing.
using HttpClientSource = std::function<Result<remote::HttpClient*>()>;

// For one query or update: the time begins now. `clock` and the client must outlive it. Errors of
// select(): as exec::ServiceClient says.
std::unique_ptr<exec::ServiceClient> make_http_service(HttpClientSource client,
                                                       const base::Clock& clock,
                                                       ServiceCallOptions options);

}  // namespace weft::engine

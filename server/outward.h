// What this server asks of others: SERVICE and LOAD over HTTP, and how a query that comes back is
// known.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/http_message.h"

#include "weft/base/mutex.h"
#include "weft/base/random.h"
#include "weft/engine/document_loader.h"
#include "weft/engine/http_service.h"

namespace weft::server {

// Servers that one query may pass through.
inline constexpr size_t kServersInARowMax = 8;

// Thread-safe.
class Outward {
 public:
  // `environment` must outlive it.
  Outward(engine::Environment& environment, base::Random& random,
          const std::vector<std::string>& allow_service, const std::vector<std::string>& load_from);

  // Refuses a request that has come through this server already, or through too many. Errors:
  // kDenied with http_status 508.
  Status check_circle(const RequestHead& head) const;
  // For the queries of one request.
  std::unique_ptr<exec::ServiceClient> services(const RequestHead& head, uint64_t timeout_ms);
  engine::DocumentLoader loader();

 private:
  Result<remote::HttpClient*> client();

  engine::Environment& environment_;
  const std::string id_;
  engine::Reach service_reach_;
  engine::Reach load_reach_;
  base::Mutex mutex_;
  // Made when the first URL is asked. It follows no redirect: those could lead out of the reach.
  std::unique_ptr<remote::HttpClient> client_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::server

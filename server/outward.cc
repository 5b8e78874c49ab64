#include "server/outward.h"

#include <algorithm>
#include <utility>

#include "server/sparql_protocol.h"

namespace weft::server {
namespace {

constexpr uint64_t kConnectTimeoutMs = 10'000;
constexpr uint64_t kCacheBytes = uint64_t{16} << 20U;

}  // namespace

Outward::Outward(engine::Environment& environment, base::Random& random,
                 const std::vector<std::string>& allow_service,
                 const std::vector<std::string>& load_from)
    : environment_(environment), id_(base::random_name(random)) {
  service_reach_.prefixes = allow_service;
  load_reach_.prefixes = allow_service;
  load_reach_.prefixes.insert(load_reach_.prefixes.end(), load_from.begin(), load_from.end());
}

Status Outward::check_circle(const RequestHead& head) const {
  const std::string via = head.value(engine::kViaField);
  if (via.empty()) {
    return ok_status();
  }
  if (via.find(id_) != std::string::npos) {
    return http_error(508, ErrorKind::kDenied, "this query has come through this server already");
  }
  const auto servers = static_cast<size_t>(std::count(via.begin(), via.end(), ',')) + 1;
  if (servers >= kServersInARowMax) {
    return http_error(508, ErrorKind::kDenied, "this query has come through too many servers")
        .with("servers_max", kServersInARowMax);
  }
  return ok_status();
}

std::unique_ptr<exec::ServiceClient> Outward::services(const RequestHead& head,
                                                       uint64_t timeout_ms) {
  const std::string via = head.value(engine::kViaField);
  engine::ServiceCallOptions options;
  options.reach = service_reach_;
  options.via = via.empty() ? id_ : via + ", " + id_;
  options.timeout_ms = timeout_ms;
  return engine::make_http_service([this] { return client(); }, environment_.clock(),
                                   std::move(options));
}

engine::DocumentLoader Outward::loader() {
  engine::LoadRules rules;
  rules.reach = load_reach_;
  rules.client = [this] { return client(); };
  rules.via = id_;
  return engine::document_loader(environment_, std::move(rules));
}

Result<remote::HttpClient*> Outward::client() {
  const base::MutexLock lock(mutex_);
  if (client_ == nullptr) {
    remote::HttpOptions options;
    options.redirects_max = 0;
    options.attempts_max = 1;  // whoever asks us asks again
    options.connect_timeout_ms = kConnectTimeoutMs;
    options.cache_bytes_max = kCacheBytes;
    WEFT_TRY(client_, remote::HttpClient::create(options));
  }
  return client_.get();
}

}  // namespace weft::server

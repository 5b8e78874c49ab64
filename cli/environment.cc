#include "cli/environment.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "weft/engine/http_service.h"
#include "weft/rete/verdict.h"

namespace weft::cli {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

std::unique_ptr<engine::Environment> make_environment(Session& session) {
  engine::EnvironmentOptions options;
  options.query_memory_bytes = session.memory_bytes();
  // Enough for a fold of a hundred segments over a base of millions (bench/), and a sixteenth of
  // the budget on large machines.
  options.cache_bytes =
      std::clamp<uint64_t>(session.memory_bytes() / 16, uint64_t{32} << 20U, uint64_t{1} << 30U);
  options.verdict_folder = rete::verdict_folder(variable("XDG_CACHE_HOME"), variable("HOME"));
  options.verify_remote = session.options().verify_remote;
  return std::make_unique<engine::Environment>(session.executor(), session.clock(),
                                               std::move(options));
}

std::unique_ptr<exec::ServiceClient> make_service_client(engine::Environment& environment,
                                                         double timeout_seconds) {
  engine::ServiceCallOptions options;
  options.reach.anything = true;
  options.timeout_ms = static_cast<uint64_t>(std::ceil(timeout_seconds * 1000));
  return engine::make_http_service([&environment] { return environment.http(); },
                                   environment.clock(), std::move(options));
}

}  // namespace weft::cli

// The endpoints that a federation test talks about, answered in process: through weft's own JSON
// writer and the reader that SERVICE uses.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/sparql/manifest.h"

#include "weft/exec/query.h"
#include "weft/exec/service_client.h"

namespace weft::conformance {

class TestEndpoints final : public exec::ServiceClient {
 public:
  // `services` must outlive it; queries run as `options` say.
  TestEndpoints(const std::vector<NamedFile>& services, const exec::QueryOptions& options)
      : services_(services), options_(options) {}

  Result<exec::ServiceAnswer> select(std::string_view endpoint, const std::string& query,
                                     base::MemoryBudget& budget, std::stop_token stop) override;

 private:
  const std::vector<NamedFile>& services_;
  exec::QueryOptions options_;
};

}  // namespace weft::conformance

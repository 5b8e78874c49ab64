// What everything that a process opens has in common: threads, clock, caches, the way to objects by
// path or URL. One per process, made first and destroyed last.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/manifest/address.h"
#include "weft/quads/segments.h"
#include "weft/remote/http_client.h"
#include "weft/rete/segment.h"
#include "weft/storage/object_store.h"

namespace weft::engine {

struct EnvironmentOptions {
  // What queries may hold, all together.
  uint64_t query_memory_bytes = uint64_t{1} << 30U;
  // What the overlays of all folds may hold.
  uint64_t overlay_memory_bytes = quads::kOverlayBytesDefaultMax;
  // Decoded blocks of all open segments.
  uint64_t cache_bytes = rete::BlockCache::kDefaultBudgetBytes;
  // Where verdicts on files of others are remembered; empty: within the process only.
  std::string verdict_folder;
  // Checks files of others over HTTP as well, which fetches all of them.
  bool verify_remote = false;
};

// True for http:// and https:// (lower case, as in manifests).
bool is_url(const std::string& target);

// Thread-safe.
class Environment {
 public:
  // `executor` and `clock` must outlive the environment.
  Environment(base::Executor& executor, const base::Clock& clock, EnvironmentOptions options);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  base::Executor& executor() const { return executor_; }
  const base::Clock& clock() const { return clock_; }
  const EnvironmentOptions& options() const { return options_; }

  // `target` is a path or a URL. Errors: those of storage, naming it.
  Result<std::unique_ptr<storage::ObjectReader>> open_object(const std::string& target);
  // The same of an object that others append to (a journal): as long as it is now.
  Result<std::unique_ptr<storage::ObjectReader>> open_growing(const std::string& target);
  // A hint: these will be opened soon. URLs among them are fetched side by side. Never waits.
  void prefetch(const std::vector<std::string>& targets);
  // What opens URLs; made when it is first asked for. Errors: those of remote::HttpClient::create.
  Result<remote::HttpClient*> http();
  // What URLs have cost so far; all zero if none was opened.
  remote::HttpCounters http_counters();
  // open_object for what manifests name. Must not outlive the environment.
  std::unique_ptr<manifest::ObjectOpener> make_opener();
  // For folds: threads, the overlay budget, caches, verdicts of this environment.
  quads::FoldResources fold_resources();
  // What queries reserve from.
  base::MemoryBudget& query_budget() { return query_budget_; }
  // With the caches, threads and verdicts of this environment, and no pin.
  rete::SegmentOptions segment_options() const;
  Result<std::shared_ptr<rete::Segment>> open_segment(const std::string& target);

 private:
  base::Executor& executor_;
  const base::Clock& clock_;
  EnvironmentOptions options_;
  base::MemoryBudget query_budget_;
  base::MemoryBudget overlay_budget_;
  std::shared_ptr<rete::BlockCache> cache_;
  std::shared_ptr<rete::VerdictStore> verdicts_;
  base::Mutex http_mutex_;
  // Made when the first URL is opened.
  std::unique_ptr<remote::HttpClient> http_ WEFT_GUARDED_BY(http_mutex_);
};

}  // namespace weft::engine

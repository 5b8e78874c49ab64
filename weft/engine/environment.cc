#include "weft/engine/environment.h"

#include <algorithm>
#include <iterator>

#include "weft/storage/local_file.h"
#include "weft/storage/local_store.h"

namespace weft::engine {
namespace {

class OpenerOfEnvironment final : public manifest::ObjectOpener {
 public:
  explicit OpenerOfEnvironment(Environment& environment) : environment_(environment) {}
  Result<std::unique_ptr<storage::ObjectReader>> open(const std::string& address) override {
    return environment_.open_object(address);
  }
  Result<std::unique_ptr<storage::ObjectReader>> open_growing(const std::string& address) override {
    return environment_.open_growing(address);
  }
  void prefetch(const std::vector<std::string>& addresses) override {
    environment_.prefetch(addresses);
  }

 private:
  Environment& environment_;
};

// Verdicts in a folder that is opened, and made, when the first file of others is met. They are a
// convenience: where they cannot be kept they are forgotten with the process.
class VerdictsInFolder final : public rete::VerdictStore {
 public:
  explicit VerdictsInFolder(std::string folder) : folder_(std::move(folder)) {}

  std::optional<std::string> load(const rete::VerdictKey& key, rete::VerdictKind kind) override {
    return verdicts().load(key, kind);
  }
  void save(const rete::VerdictKey& key, rete::VerdictKind kind,
            std::string_view payload) override {
    verdicts().save(key, kind, payload);
  }

 private:
  rete::VerdictStore& verdicts() {
    const base::MutexLock lock(mutex_);
    if (verdicts_ == nullptr) {
      storage::LocalStoreOptions options;
      options.create_folder = true;
      auto store = storage::open_local_store(folder_, options);
      verdicts_ =
          store.ok() ? rete::verdict_store(std::move(store).value()) : rete::verdict_memory();
    }
    return *verdicts_;
  }

  std::string folder_;
  base::Mutex mutex_;
  std::shared_ptr<rete::VerdictStore> verdicts_ WEFT_GUARDED_BY(mutex_);
};

std::shared_ptr<rete::VerdictStore> verdicts_in(const std::string& folder) {
  if (folder.empty()) {
    return rete::verdict_memory();
  }
  return std::make_shared<VerdictsInFolder>(folder);
}

}  // namespace

bool is_url(const std::string& target) {
  return target.starts_with("http://") || target.starts_with("https://");
}

Environment::Environment(base::Executor& executor, const base::Clock& clock,
                         EnvironmentOptions options)
    : executor_(executor),
      clock_(clock),
      options_(std::move(options)),
      query_budget_("--memory", options_.query_memory_bytes),
      overlay_budget_("--memory, the share of overlays", options_.overlay_memory_bytes),
      cache_(std::make_shared<rete::BlockCache>(options_.cache_bytes)),
      verdicts_(verdicts_in(options_.verdict_folder)) {}

Environment::~Environment() = default;

Result<remote::HttpClient*> Environment::http() {
  const base::MutexLock lock(http_mutex_);
  if (http_ == nullptr) {
    WEFT_TRY(http_, remote::HttpClient::create());
  }
  return http_.get();
}

remote::HttpCounters Environment::http_counters() {
  const base::MutexLock lock(http_mutex_);
  return http_ == nullptr ? remote::HttpCounters{} : http_->counters();
}

Result<std::unique_ptr<storage::ObjectReader>> Environment::open_object(const std::string& target) {
  if (!is_url(target)) {
    return storage::open_local_file(target);
  }
  WEFT_TRY(remote::HttpClient* const client, http());
  return client->open_url(target);
}

Result<std::unique_ptr<storage::ObjectReader>> Environment::open_growing(
    const std::string& target) {
  return is_url(target) ? open_object(target) : storage::open_growing_file(target);
}

void Environment::prefetch(const std::vector<std::string>& targets) {
  std::vector<std::string> urls;
  std::ranges::copy_if(targets, std::back_inserter(urls), is_url);
  if (urls.empty()) {
    return;
  }
  // Whoever opens them meets the error again.
  const Result<remote::HttpClient*> client = http();
  if (client.ok()) {
    (*client)->prefetch(urls);
  }
}

std::unique_ptr<manifest::ObjectOpener> Environment::make_opener() {
  return std::make_unique<OpenerOfEnvironment>(*this);
}

quads::FoldResources Environment::fold_resources() {
  quads::FoldResources resources;
  resources.executor = &executor_;
  resources.budget = &overlay_budget_;
  resources.cache = cache_;
  resources.verdicts = verdicts_;
  resources.verify = segment_options().verify;
  return resources;
}

rete::SegmentOptions Environment::segment_options() const {
  rete::SegmentOptions options;
  options.cache = cache_;
  options.executor = &executor_;
  options.verdicts = verdicts_;
  options.verify =
      options_.verify_remote ? rete::VerifyPolicy::kAlways : rete::VerifyPolicy::kLocalFiles;
  return options;
}

Result<std::shared_ptr<rete::Segment>> Environment::open_segment(const std::string& target) {
  WEFT_TRY(auto reader, open_object(target));
  return rete::Segment::open(std::move(reader), segment_options());
}

}  // namespace weft::engine

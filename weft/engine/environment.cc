#include "weft/engine/environment.h"

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

 private:
  Environment& environment_;
};

// Verdicts are a convenience: where they cannot be kept they are forgotten with the process.
std::shared_ptr<rete::VerdictStore> verdicts_in(const std::string& folder) {
  if (!folder.empty()) {
    storage::LocalStoreOptions options;
    options.create_folder = true;
    auto store = storage::open_local_store(folder, options);
    if (store.ok()) {
      return rete::verdict_store(std::move(store).value());
    }
  }
  return rete::verdict_memory();
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

#include "tests/simulation/late_store.h"

#include <utility>

namespace weft::simulation {
namespace {

using storage::PutOutcome;

// When the call of this thread began. (Actors are threads.)
thread_local int64_t sent_us = 0;

bool is_published(const std::string& name) {
  return name.find("_versions/") != std::string::npos || name.starts_with("_refs/");
}

class LateStore final : public storage::ObjectStore {
 public:
  LateStore(storage::ObjectStore& inner, Network& network) : inner_(inner), network_(network) {}

  storage::Capabilities capabilities() const override { return inner_.capabilities(); }
  std::string location() const override { return inner_.location(); }
  Result<std::unique_ptr<storage::ObjectReader>> open(const std::string& name) override {
    return inner_.open(name);
  }
  Result<storage::VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    return inner_.get(name, size_max_bytes);
  }
  Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override {
    if (is_published(name) && network_.wants()) {
      network_.keep(name, bytes);
      return Error(ErrorKind::kRecoveryRequired, "the store gave no answer").with("object", name);
    }
    sent_us = network_.now_us();
    Result<PutOutcome> outcome = inner_.put_if_absent(name, bytes);
    if (!outcome.ok() && outcome.error().fact("reason") == "stopped" && is_published(name) &&
        network_.wants()) {
      network_.keep(name, bytes);  // the last that the process has sent
    }
    return outcome;
  }
  Result<std::vector<PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override {
    sent_us = network_.now_us();
    return inner_.put_many_if_absent(objects);
  }
  Result<std::unique_ptr<storage::ObjectWriter>> create(const std::string& name) override {
    return inner_.create(name);
  }
  Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                  const storage::Etag& expected) override {
    sent_us = network_.now_us();
    return inner_.put_if_match(name, bytes, expected);
  }
  Status sync_existing(const std::vector<std::string>& names) override {
    return inner_.sync_existing(names);
  }
  Status remove(const std::string& name) override { return inner_.remove(name); }
  Result<std::vector<storage::ObjectInfo>> list(const std::string& prefix,
                                                bool with_temporaries) override {
    return inner_.list(prefix, with_temporaries);
  }

 private:
  storage::ObjectStore& inner_;
  Network& network_;
};

}  // namespace

bool Network::is_too_late() const {
  return now_us() - sent_us > kOnTheWayMaxUs;
}

void Network::go_on() {
  if (waiting_.empty()) {
    return;
  }
  const size_t chosen = random_.below(waiting_.size());
  const Request request = std::move(waiting_[chosen]);
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen));
  const bool is_lost = now_us() - request.sent_us > kOnTheWayMaxUs;
  if (random_.chance(3, 4) && !is_lost) {
    const auto outcome = store_.put_if_absent(request.name, request.bytes.view());
    landed_ += outcome.ok() && *outcome == PutOutcome::kDone ? 1 : 0;
  }
}

std::unique_ptr<storage::ObjectStore> late_store(storage::ObjectStore& inner, Network& network) {
  return std::make_unique<LateStore>(inner, network);
}

}  // namespace weft::simulation

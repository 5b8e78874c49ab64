// A store that calls somebody before the creation of a name with a prefix, once: what another
// process does just before this one publishes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "weft/storage/object_store.h"

namespace weft::crash {

class HookStore final : public storage::ObjectStore {
 public:
  // `inner` must outlive it. The first `skip` of such creations go on as they are.
  HookStore(storage::ObjectStore& inner, std::string prefix, std::function<Status()> hook,
            uint64_t skip = 0)
      : inner_(inner), prefix_(std::move(prefix)), hook_(std::move(hook)), skip_(skip) {}

  storage::Capabilities capabilities() const override { return inner_.capabilities(); }
  std::string location() const override { return inner_.location(); }
  Result<std::unique_ptr<storage::ObjectReader>> open(const std::string& name) override {
    return inner_.open(name);
  }
  Result<storage::VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    return inner_.get(name, size_max_bytes);
  }
  Result<storage::PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override {
    if (hook_ && name.starts_with(prefix_) && skip_-- == 0) {
      if (const Status met = std::exchange(hook_, nullptr)(); !met.ok()) {
        return Error(ErrorKind::kUnavailable, "the one before has failed");
      }
    }
    return inner_.put_if_absent(name, bytes);
  }
  Result<std::vector<storage::PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override {
    return inner_.put_many_if_absent(objects);
  }
  Result<std::unique_ptr<storage::ObjectWriter>> create(const std::string& name) override {
    return inner_.create(name);
  }
  Result<storage::PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                           const storage::Etag& expected) override {
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
  std::string prefix_;
  std::function<Status()> hook_;
  uint64_t skip_;
};

}  // namespace weft::crash

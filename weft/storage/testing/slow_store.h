// A store each of whose operations takes a while, as those of a bucket do; for tests.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "weft/storage/object_store.h"
#include "weft/storage/which_exist.h"

namespace weft::storage {

// Opening an object and asking for several at once are one operation; reading from it is none.
class SlowStore final : public ObjectStore, public ManyAsker {
 public:
  SlowStore(ObjectStore& inner, int64_t milliseconds)
      : inner_(inner), milliseconds_(milliseconds) {}

  Capabilities capabilities() const override { return inner_.capabilities(); }
  std::string location() const override { return inner_.location(); }
  Result<std::unique_ptr<ObjectReader>> open(const std::string& name) override {
    pause();
    return inner_.open(name);
  }
  Result<VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    pause();
    return inner_.get(name, size_max_bytes);
  }
  Result<std::vector<bool>> which_exist(const std::vector<std::string>& names) override {
    pause();
    return storage::which_exist(inner_, names);
  }
  Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override {
    pause();
    return inner_.put_if_absent(name, bytes);
  }
  Result<std::vector<PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override {
    pause();
    return inner_.put_many_if_absent(objects);
  }
  Result<std::unique_ptr<ObjectWriter>> create(const std::string& name) override {
    pause();
    return inner_.create(name);
  }
  Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                  const Etag& expected) override {
    pause();
    return inner_.put_if_match(name, bytes, expected);
  }
  Status sync_existing(const std::vector<std::string>& names) override {
    pause();
    return inner_.sync_existing(names);
  }
  Status remove(const std::string& name) override {
    pause();
    return inner_.remove(name);
  }
  Result<std::vector<ObjectInfo>> list(const std::string& prefix, bool with_temporaries) override {
    pause();
    return inner_.list(prefix, with_temporaries);
  }

 private:
  void pause() const { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_)); }

  ObjectStore& inner_;
  const int64_t milliseconds_;
};

}  // namespace weft::storage

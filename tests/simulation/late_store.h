// A store whose creations of published names (versions, refs of branches) sometimes stay on the
// way: the caller gets no answer, and the request lands later, or never, also after its process has
// ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/random.h"
#include "weft/storage/object_store.h"

namespace weft::simulation {

// Requests under way to one store. For actors of one baton.
class Network {
 public:
  // `store` gets them at last. Of 1,000 creations `rate` stay on the way.
  Network(storage::ObjectStore& store, base::Random& random, uint64_t rate)
      : store_(store), random_(random), rate_(rate) {}

  bool wants() { return random_.chance(rate_, 1'000); }
  void keep(std::string name, ByteView bytes) {
    waiting_.emplace_back(std::move(name), storage::Buffer::copy_of(bytes));
  }
  // One of them lands, or is lost. Nothing if there is none.
  void go_on();
  void settle() {
    while (!waiting_.empty()) {
      go_on();
    }
  }
  uint64_t landed() const { return landed_; }

 private:
  storage::ObjectStore& store_;
  base::Random& random_;
  uint64_t rate_;
  std::vector<std::pair<std::string, storage::Buffer>> waiting_;
  uint64_t landed_ = 0;
};

// All must outlive it.
std::unique_ptr<storage::ObjectStore> late_store(storage::ObjectStore& inner, Network& network);

}  // namespace weft::simulation

// A store whose creations of published names (versions, refs of branches) sometimes stay on the
// way: the caller gets no answer, and the request lands later, or never, also after its process has
// ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/storage/object_store.h"
#include "weft/txn/write.h"

namespace weft::simulation {

// No request is longer on its way than a writer lives: the assumption about time that cleanups
// stand on (docs/protocols/write.md, "Cleanup").
inline constexpr int64_t kOnTheWayMaxUs = txn::kWriterLifetimeUs;

// Requests under way to one store. For actors of one baton.
class Network {
 public:
  // `store` gets them at last, but none that is older than kOnTheWayMaxUs by `clock`. Of 1,000
  // creations `rate` stay on the way.
  Network(storage::ObjectStore& store, base::Random& random, const base::Clock& clock,
          uint64_t rate)
      : store_(store), random_(random), clock_(clock), rate_(rate) {}

  bool wants() { return random_.chance(rate_, 1'000); }
  void keep(std::string name, ByteView bytes) {
    waiting_.push_back(
        {std::move(name), storage::Buffer::copy_of(bytes), clock_.now().microseconds});
  }
  // Whether what this thread asks of a late store now has been on its way for too long.
  bool is_too_late() const;
  int64_t now_us() const { return clock_.now().microseconds; }
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
  const base::Clock& clock_;
  uint64_t rate_;
  struct Request {
    std::string name;
    storage::Buffer bytes;
    int64_t sent_us = 0;
  };
  std::vector<Request> waiting_;
  uint64_t landed_ = 0;
};

// All must outlive it.
std::unique_ptr<storage::ObjectStore> late_store(storage::ObjectStore& inner, Network& network);

}  // namespace weft::simulation

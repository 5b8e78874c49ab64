// Counts what is asked of a store or reader: operations and bytes by kind, and serial steps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "weft/base/mutex.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

enum class Operation : uint8_t {
  kOpen,
  kRead,
  kGet,
  kPutIfAbsent,
  kPutIfMatch,
  kCreate,
  kAppend,
  kPublish,
  kSyncExisting,
  kRemove,
  kList,
  kOpenAppend,
  kSync,
  kTruncate,
  kWhichExist,
};
inline constexpr size_t kOperationCount = 15;
std::string_view operation_name(Operation operation);

struct OperationCounts {
  uint64_t calls = 0;
  // Ranges read, objects put together or synced together, else as calls.
  uint64_t items = 0;
  uint64_t bytes = 0;
};

struct StoreCounts {
  std::array<OperationCounts, kOperationCount> by_operation{};
  // The longest chain of operations each of which began after the one before it had ended.
  // Appending to a writer is none.
  uint64_t rounds = 0;

  const OperationCounts& operator[](Operation operation) const {
    return by_operation[static_cast<size_t>(operation)];
  }
  OperationCounts& operator[](Operation operation) {
    return by_operation[static_cast<size_t>(operation)];
  }
  uint64_t calls() const;
  // Calls, each range and object counted for itself: what a store that takes them one by one is
  // asked.
  uint64_t items() const;
};

// Where counts are gathered, by any number of stores and readers. Thread-safe.
class StoreCounter {
 public:
  StoreCounts counts() const;
  void reset();

  // One operation that is going on.
  class Ongoing {
   public:
    Ongoing(StoreCounter& counter, Operation operation, uint64_t items, uint64_t bytes);
    ~Ongoing();
    Ongoing(const Ongoing&) = delete;
    Ongoing& operator=(const Ongoing&) = delete;
    void add_bytes(uint64_t bytes);

   private:
    StoreCounter& counter_;
    Operation operation_;
    uint64_t round_;
  };

 private:
  mutable base::Mutex mutex_;
  StoreCounts counts_ WEFT_GUARDED_BY(mutex_);
};

// `inner` and `counter` must outlive the store, its readers and writers.
std::unique_ptr<ObjectStore> counting_store(ObjectStore& inner, StoreCounter& counter);
std::unique_ptr<ObjectReader> counting_reader(std::unique_ptr<ObjectReader> inner,
                                              StoreCounter& counter);

}  // namespace weft::storage

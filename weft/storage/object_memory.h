// Objects that never change, remembered: what a process put or read of them is not read again.
//
//     ObjectMemory memory(64 << 20);
//     const auto store = remembering_store(inner, memory, keeps);
//
// R1  Only objects for which keeps(name, size) holds are remembered. They must be such that
//     whatever stood under the name once is what stands there for ever, if it stands there at all.
// R2  What is remembered says nothing about whether the object is still there: who wants to know
//     asks which_exist, which always asks the store.
// R3  Used bytes stay within the budget; what was used least recently is forgotten first. What is
//     held (hold, release) stays whatever the budget.
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "weft/base/mutex.h"
#include "weft/storage/block_cache.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

// Of larger objects the blocks that were read are remembered; smaller ones are read as a whole when
// they are asked for again.
inline constexpr uint64_t kRememberedWholeBytesMax = uint64_t{1} << 20U;
inline constexpr uint64_t kRememberedBlockBytes = uint64_t{4} << 10U;
inline constexpr size_t kRememberedObjectsMax = 65'536;

class ObjectMemory {
 public:
  explicit ObjectMemory(uint64_t bytes_max) : blocks_(bytes_max) {}

  struct Known {
    uint64_t id = 0;
    uint64_t size = 0;
  };
  // Nothing: not known.
  std::optional<Known> find(const std::string& name) const;
  Known note(const std::string& name, uint64_t size);
  // Frees what is remembered of it.
  void forget(const std::string& name);

  // Block `index` of an object, and bytes of it.
  std::optional<Buffer> block(const Known& object, uint64_t index);
  void insert_block(const Known& object, uint64_t index, ByteView bytes);
  void insert_whole(const std::string& name, ByteView bytes);

  // An object that is about to be put: readers find it at once.
  void hold(const std::string& name, Buffer bytes);
  void release(const std::string& name);
  std::optional<Buffer> held(const std::string& name) const;

  uint64_t used_bytes() const { return blocks_.used_bytes(); }

 private:
  BlockCache blocks_;
  mutable base::Mutex mutex_;
  std::unordered_map<std::string, Known> known_ WEFT_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Buffer> held_ WEFT_GUARDED_BY(mutex_);
};

// `inner` and `memory` must outlive the store and its readers. Etags of remembered objects are
// empty: what never changes is not replaced by its etag.
using Keeps = std::function<bool(std::string_view name, uint64_t size)>;
std::unique_ptr<ObjectStore> remembering_store(ObjectStore& inner, ObjectMemory& memory,
                                               Keeps keeps);

}  // namespace weft::storage

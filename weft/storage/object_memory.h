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
//     held (hold, release) stays whatever the budget. A read of more than a quarter of it passes
//     by. So does the first group that reads of an object: it reads what is asked for and no more.
// R4  Of an object of which a part is asked for again and again (GroupMember::often), that part is
//     read as a whole, in one read, once as many groups have had to read some of it as it has MiB,
//     rounded up: so reading it whole costs each of them 1 MiB at most. All parts of more than
//     1 MiB that are kept so take at most half of the budget. For one more, those are given up that
//     nobody has used since it was first missed; if that is not enough, it is read a little at a
//     time as before.
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

  // Whether a read of so many bytes may be remembered (R3).
  bool is_room_for(uint64_t bytes) const { return bytes <= blocks_.bytes_max() / 4; }

  // R4: the part of this object was used; some of it had to be read; whether all of it should be
  // read now. The name must be known, else nothing happens and nothing should be.
  void note_use(const std::string& name);
  void note_miss(const std::string& name);
  bool keep_part(const std::string& name, uint64_t bytes);
  // Of parts that are kept and larger than kRememberedWholeBytesMax.
  uint64_t kept_bytes() const;

  uint64_t used_bytes() const { return blocks_.used_bytes(); }

 private:
  struct Entry {
    Known known;
    uint64_t misses = 0;
    uint64_t missed_at = 0;  // the first of them
    uint64_t used_at = 0;
    uint64_t kept_bytes = 0;
  };
  bool make_room(uint64_t bytes, uint64_t missed_at) WEFT_REQUIRES(mutex_);

  BlockCache blocks_;
  mutable base::Mutex mutex_;
  std::unordered_map<std::string, Entry> known_ WEFT_GUARDED_BY(mutex_);
  uint64_t uses_ WEFT_GUARDED_BY(mutex_) = 0;  // the time of R4
  std::unordered_map<std::string, Buffer> held_ WEFT_GUARDED_BY(mutex_);
};

// `inner` and `memory` must outlive the store and its readers. Etags of remembered objects are
// empty: what never changes is not replaced by its etag.
using Keeps = std::function<bool(std::string_view name, uint64_t size)>;
std::unique_ptr<ObjectStore> remembering_store(ObjectStore& inner, ObjectMemory& memory,
                                               Keeps keeps);

}  // namespace weft::storage

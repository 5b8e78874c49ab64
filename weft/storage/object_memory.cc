#include "weft/storage/object_memory.h"

#include <algorithm>
#include <utility>

#include "weft/storage/memory_store.h"
#include "weft/storage/remembered_blocks.h"
#include "weft/storage/remembering_group.h"
#include "weft/storage/which_exist.h"

namespace weft::storage {
namespace {

// Reads what is remembered from memory, the rest from the object, which is opened when it is first
// needed.
class RememberingReader final : public ObjectReader {
 public:
  RememberingReader(ObjectStore& store, ObjectMemory& memory, std::string name,
                    ObjectMemory::Known object, std::unique_ptr<ObjectReader> inner)
      : store_(store),
        memory_(memory),
        name_(std::move(name)),
        object_(object),
        is_known_(inner == nullptr),
        inner_(std::move(inner)) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return object_.size; }
  std::string identity() const override { return {}; }
  bool is_remote() const override { return false; }

  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    WEFT_TRY_STATUS(check_ranges(ranges, size(), name_));
    RememberedBlocks blocks;
    for (const Range& range : ranges) {
      add_blocks(range, size(), blocks);
    }
    if (is_known_ && size() <= kRememberedWholeBytesMax && !is_remembered(blocks)) {
      // Asked for again: what is small is read as a whole, once.
      add_blocks({0, size()}, size(), blocks);
    }
    WEFT_TRY_STATUS(fill(blocks, std::move(stop)));
    std::vector<Buffer> answers;
    answers.reserve(ranges.size());
    for (const Range& range : ranges) {
      answers.push_back(join_blocks(range, blocks));
    }
    return answers;
  }

 private:
  bool is_remembered(const RememberedBlocks& blocks) const {
    return std::ranges::all_of(blocks, [this](const RememberedBlocks::value_type& block) {
      return memory_.block(object_, block.first).has_value();
    });
  }

  Status fill(RememberedBlocks& blocks, std::stop_token stop) {
    const MissingBlocks missing = find_blocks(memory_, object_, blocks);
    if (missing.blocks.empty()) {
      return ok_status();
    }
    WEFT_TRY(ObjectReader* const inner, open());
    WEFT_TRY(const std::vector<Buffer> read, inner->read_many(missing.ranges, std::move(stop)));
    take_blocks(memory_, object_, missing, read, memory_.is_room_for(missing.bytes), blocks);
    return ok_status();
  }

  Result<ObjectReader*> open() {
    const base::MutexLock lock(mutex_);
    if (inner_ == nullptr) {
      WEFT_TRY(std::unique_ptr<ObjectReader> opened, store_.open(name_));
      if (opened->size() != object_.size) {
        return Error(ErrorKind::kCorrupt, "an object that never changes has another size now")
            .with("object", name_)
            .with("size", opened->size())
            .with("expected", object_.size);
      }
      inner_ = std::move(opened);
    }
    return inner_.get();
  }

  ObjectStore& store_;
  ObjectMemory& memory_;
  const std::string name_;
  const ObjectMemory::Known object_;
  const bool is_known_;  // it was opened before
  base::Mutex mutex_;
  std::unique_ptr<ObjectReader> inner_ WEFT_GUARDED_BY(mutex_);
};

class RememberingStore final : public ObjectStore, public ManyAsker, public GroupOpener {
 public:
  RememberingStore(ObjectStore& inner, ObjectMemory& memory, Keeps keeps)
      : inner_(inner), memory_(memory), keeps_(std::move(keeps)) {}

  Capabilities capabilities() const override { return inner_.capabilities(); }
  std::string location() const override { return inner_.location(); }
  void prefetch(const std::vector<std::string>& names) override { inner_.prefetch(names); }

  Result<std::unique_ptr<ObjectReader>> open(const std::string& name) override {
    if (std::optional<Buffer> bytes = memory_.held(name); bytes.has_value()) {
      return read_buffer(name, *std::move(bytes));
    }
    std::optional<ObjectMemory::Known> known = memory_.find(name);
    std::unique_ptr<ObjectReader> opened;
    if (!known.has_value()) {
      WEFT_TRY(opened, inner_.open(name));
      if (!keeps_(name, opened->size())) {
        return opened;
      }
      known = memory_.note(name, opened->size());
    }
    return std::make_unique<RememberingReader>(inner_, memory_, name, *known, std::move(opened));
  }

  Result<VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    if (std::optional<Buffer> bytes = memory_.held(name); bytes.has_value()) {
      return VersionedObject{*std::move(bytes), {}};
    }
    const std::optional<ObjectMemory::Known> known = memory_.find(name);
    if (known.has_value() && known->size <= size_max_bytes) {
      WEFT_TRY(const std::unique_ptr<ObjectReader> reader, open(name));
      WEFT_TRY(Buffer bytes, reader->read({0, known->size}));
      return VersionedObject{std::move(bytes), {}};
    }
    WEFT_TRY(VersionedObject object, inner_.get(name, size_max_bytes));
    remember(name, object.bytes.view());
    return object;
  }
  Result<std::vector<bool>> which_exist(const std::vector<std::string>& names) override {
    return storage::which_exist(inner_, names);
  }
  std::unique_ptr<ObjectGroup> open_group(std::vector<GroupMember> members) override {
    return remembering_group(inner_, memory_, keeps_, std::move(members));
  }

  Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override {
    WEFT_TRY(const PutOutcome outcome, inner_.put_if_absent(name, bytes));
    if (outcome == PutOutcome::kDone) {
      remember(name, bytes);
    }
    return outcome;
  }
  Result<std::vector<PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override {
    return put_many_foreseeing(objects, {});
  }
  Result<std::vector<PutOutcome>> put_many_foreseeing(
      const std::vector<std::pair<std::string, ByteView>>& objects,
      const std::vector<std::pair<std::string, ByteView>>& next) override {
    WEFT_TRY(std::vector<PutOutcome> outcomes, inner_.put_many_foreseeing(objects, next));
    for (size_t i = 0; i < objects.size(); ++i) {
      if (outcomes[i] == PutOutcome::kDone) {
        remember(objects[i].first, objects[i].second);
      }
    }
    return outcomes;
  }
  Result<std::unique_ptr<ObjectWriter>> create(const std::string& name) override {
    return inner_.create(name);
  }
  Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                  const Etag& expected) override {
    memory_.forget(name);
    return inner_.put_if_match(name, bytes, expected);
  }
  Status sync_existing(const std::vector<std::string>& names) override {
    return inner_.sync_existing(names);
  }
  Status remove(const std::string& name) override {
    memory_.forget(name);
    return inner_.remove(name);
  }
  Result<std::vector<ObjectInfo>> list(const std::string& prefix, bool with_temporaries) override {
    return inner_.list(prefix, with_temporaries);
  }
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& name) override {
    memory_.forget(name);
    return inner_.open_append(name);
  }
  Result<std::unique_ptr<HeldRight>> hold(const std::string& name,
                                          const HoldRequest& request) override {
    return inner_.hold(name, request);
  }

 private:
  void remember(const std::string& name, ByteView bytes) {
    if (bytes.size() <= kRememberedWholeBytesMax && keeps_(name, bytes.size())) {
      memory_.insert_whole(name, bytes);
    }
  }

  ObjectStore& inner_;
  ObjectMemory& memory_;
  const Keeps keeps_;
};

}  // namespace

std::optional<ObjectMemory::Known> ObjectMemory::find(const std::string& name) const {
  const base::MutexLock lock(mutex_);
  const auto at = known_.find(name);
  return at == known_.end() ? std::nullopt : std::optional(at->second.known);
}

ObjectMemory::Known ObjectMemory::note(const std::string& name, uint64_t size) {
  const uint64_t id = blocks_.new_object();
  const base::MutexLock lock(mutex_);
  if (known_.size() >= kRememberedObjectsMax && !known_.contains(name)) {
    known_.clear();  // blocks that nobody names any more leave by and by
  }
  return known_.try_emplace(name, Entry{.known = {id, size}}).first->second.known;
}

void ObjectMemory::forget(const std::string& name) {
  Known object;
  {
    const base::MutexLock lock(mutex_);
    const auto at = known_.find(name);
    if (at == known_.end()) {
      return;
    }
    object = at->second.known;
    known_.erase(at);
  }
  blocks_.erase(object.id, remembered_block_count(object.size));
}

std::optional<Buffer> ObjectMemory::block(const Known& object, uint64_t index) {
  return blocks_.find({object.id, index});
}

void ObjectMemory::insert_block(const Known& object, uint64_t index, ByteView bytes) {
  blocks_.insert({object.id, index}, bytes);
}

void ObjectMemory::insert_whole(const std::string& name, ByteView bytes) {
  const Known object = note(name, bytes.size());
  if (object.size != bytes.size()) {
    return;
  }
  for (uint64_t index = 0; index < remembered_block_count(bytes.size()); ++index) {
    const Range range = remembered_block(bytes.size(), index);
    blocks_.insert({object.id, index}, bytes.subspan(range.offset, range.size));
  }
}

void ObjectMemory::note_use(const std::string& name) {
  const base::MutexLock lock(mutex_);
  const auto at = known_.find(name);
  if (at != known_.end()) {
    at->second.used_at = ++uses_;
  }
}

void ObjectMemory::note_miss(const std::string& name) {
  const base::MutexLock lock(mutex_);
  const auto at = known_.find(name);
  if (at != known_.end() && at->second.misses++ == 0) {
    at->second.missed_at = ++uses_;
  }
}

bool ObjectMemory::keep_part(const std::string& name, uint64_t bytes) {
  const base::MutexLock lock(mutex_);
  const auto at = known_.find(name);
  if (at == known_.end() || at->second.misses * kRememberedWholeBytesMax < bytes) {
    return false;
  }
  Entry& entry = at->second;
  entry.misses = 0;  // if there is no room, it is asked for again after as many
  if (bytes > kRememberedWholeBytesMax && entry.kept_bytes == 0) {
    if (!make_room(bytes, entry.missed_at)) {
      return false;
    }
    entry.kept_bytes = bytes;
  }
  return true;
}

bool ObjectMemory::make_room(uint64_t bytes, uint64_t missed_at) {
  const uint64_t kept_max = blocks_.bytes_max() / 2;
  std::vector<Entry*> unused;
  uint64_t stays = bytes;
  for (auto& [name, entry] : known_) {
    if (entry.kept_bytes > 0 && entry.used_at < missed_at) {
      unused.push_back(&entry);
    } else {
      stays += entry.kept_bytes;
    }
  }
  if (stays > kept_max) {
    return false;
  }
  // Their blocks leave by and by (R3).
  for (Entry* const entry : unused) {
    entry->kept_bytes = 0;
  }
  return true;
}

uint64_t ObjectMemory::kept_bytes() const {
  const base::MutexLock lock(mutex_);
  uint64_t sum = 0;
  for (const auto& [name, entry] : known_) {
    sum += entry.kept_bytes;
  }
  return sum;
}

void ObjectMemory::hold(const std::string& name, Buffer bytes) {
  const base::MutexLock lock(mutex_);
  held_.insert_or_assign(name, std::move(bytes));
}

void ObjectMemory::release(const std::string& name) {
  const base::MutexLock lock(mutex_);
  held_.erase(name);
}

std::optional<Buffer> ObjectMemory::held(const std::string& name) const {
  const base::MutexLock lock(mutex_);
  const auto at = held_.find(name);
  return at == held_.end() ? std::nullopt : std::optional(at->second);
}

std::unique_ptr<ObjectStore> remembering_store(ObjectStore& inner, ObjectMemory& memory,
                                               Keeps keeps) {
  return std::make_unique<RememberingStore>(inner, memory, std::move(keeps));
}

}  // namespace weft::storage

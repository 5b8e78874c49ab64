#include "weft/storage/object_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/storage/memory_store.h"
#include "weft/storage/which_exist.h"

namespace weft::storage {
namespace {

uint64_t block_count(uint64_t size) {
  return (size + kRememberedBlockBytes - 1) / kRememberedBlockBytes;
}

Range range_of_block(uint64_t size, uint64_t index) {
  const uint64_t offset = index * kRememberedBlockBytes;
  return {offset, std::min(kRememberedBlockBytes, size - offset)};
}

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
    Blocks blocks;
    for (const Range& range : ranges) {
      add_blocks(range, blocks);
    }
    if (is_known_ && size() <= kRememberedWholeBytesMax && !is_remembered(blocks)) {
      // Asked for again: what is small is read as a whole, once.
      add_blocks({0, size()}, blocks);
    }
    WEFT_TRY_STATUS(fill(blocks, std::move(stop)));
    std::vector<Buffer> answers;
    answers.reserve(ranges.size());
    for (const Range& range : ranges) {
      answers.push_back(assemble(range, blocks));
    }
    return answers;
  }

 private:
  using Blocks = std::vector<std::pair<uint64_t, Buffer>>;  // ascending

  static void add_blocks(const Range& range, Blocks& blocks) {
    const uint64_t first = range.offset / kRememberedBlockBytes;
    const uint64_t end = range.size == 0 ? first : block_count(range.offset + range.size);
    for (uint64_t index = first; index < end; ++index) {
      const auto at = std::ranges::lower_bound(blocks, index, {}, &Blocks::value_type::first);
      if (at == blocks.end() || at->first != index) {
        blocks.emplace(at, index, Buffer());
      }
    }
  }

  bool is_remembered(const Blocks& blocks) const {
    return std::ranges::all_of(blocks, [this](const Blocks::value_type& block) {
      return memory_.block(object_, block.first).has_value();
    });
  }

  Status fill(Blocks& blocks, std::stop_token stop) {
    std::vector<size_t> missing;
    std::vector<Range> ranges;
    for (size_t i = 0; i < blocks.size(); ++i) {
      std::optional<Buffer> found = memory_.block(object_, blocks[i].first);
      if (found.has_value()) {
        blocks[i].second = *std::move(found);
        continue;
      }
      const Range range = range_of_block(object_.size, blocks[i].first);
      if (!missing.empty() && ranges.back().offset + ranges.back().size == range.offset) {
        ranges.back().size += range.size;
      } else {
        ranges.push_back(range);
      }
      missing.push_back(i);
    }
    if (missing.empty()) {
      return ok_status();
    }
    WEFT_TRY(ObjectReader* const inner, open());
    WEFT_TRY(const std::vector<Buffer> read, inner->read_many(ranges, std::move(stop)));
    size_t at = 0;
    for (const size_t i : missing) {
      const Range range = range_of_block(object_.size, blocks[i].first);
      at += range.offset >= ranges[at].offset + ranges[at].size ? 1 : 0;
      blocks[i].second = read[at].slice(range.offset - ranges[at].offset, range.size);
      memory_.insert_block(object_, blocks[i].first, blocks[i].second.view());
    }
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

  static Buffer assemble(const Range& range, const Blocks& blocks) {
    const uint64_t first = range.offset / kRememberedBlockBytes;
    auto at = std::ranges::lower_bound(blocks, first, {}, &Blocks::value_type::first);
    if (range.size == 0) {
      return {};
    }
    const uint64_t skip = range.offset - first * kRememberedBlockBytes;
    if (skip + range.size <= at->second.size()) {
      return at->second.slice(skip, range.size);
    }
    Bytes joined;
    joined.reserve(range.size);
    for (uint64_t from = skip; joined.size() < range.size; ++at, from = 0) {
      const uint64_t count =
          std::min<uint64_t>(at->second.size() - from, range.size - joined.size());
      const ByteView part = at->second.view().subspan(from, count);
      joined.insert(joined.end(), part.begin(), part.end());
    }
    return Buffer::from(std::move(joined));
  }

  ObjectStore& store_;
  ObjectMemory& memory_;
  const std::string name_;
  const ObjectMemory::Known object_;
  const bool is_known_;  // it was opened before
  base::Mutex mutex_;
  std::unique_ptr<ObjectReader> inner_ WEFT_GUARDED_BY(mutex_);
};

class RememberingStore final : public ObjectStore, public ManyAsker {
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
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

ObjectMemory::Known ObjectMemory::note(const std::string& name, uint64_t size) {
  const uint64_t id = blocks_.new_object();
  const base::MutexLock lock(mutex_);
  if (known_.size() >= kRememberedObjectsMax && !known_.contains(name)) {
    known_.clear();  // blocks that nobody names any more leave by and by
  }
  return known_.try_emplace(name, Known{id, size}).first->second;
}

void ObjectMemory::forget(const std::string& name) {
  Known object;
  {
    const base::MutexLock lock(mutex_);
    const auto at = known_.find(name);
    if (at == known_.end()) {
      return;
    }
    object = at->second;
    known_.erase(at);
  }
  blocks_.erase(object.id, block_count(object.size));
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
  for (uint64_t index = 0; index < block_count(bytes.size()); ++index) {
    const Range range = range_of_block(bytes.size(), index);
    blocks_.insert({object.id, index}, bytes.subspan(range.offset, range.size));
  }
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

#include "weft/storage/memory_store.h"

#include <cstring>

#include "weft/storage/names.h"

namespace weft::storage {
namespace {

Status check_writable_name(const std::string& name) {
  WEFT_TRY_STATUS(check_object_name(name));
  if (is_reserved_name(name)) {
    return Error(ErrorKind::kInvalid, "a name is kept for unfinished files and locks")
        .with("name", name);
  }
  return ok_status();
}

// What a failure means once others see the object.
Status seen(Status status, const std::string& name) {
  if (status.ok()) {
    return status;
  }
  return Error(ErrorKind::kRecoveryRequired, "an object is seen, and may not survive a crash")
      .with("object", name)
      .with("cause", status.error().to_string());
}

class BufferReader final : public ObjectReader {
 public:
  BufferReader(std::string name, Buffer bytes) : name_(std::move(name)), bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  std::string identity() const override { return {}; }
  bool is_remote() const override { return false; }
  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    WEFT_TRY_STATUS(check_ranges(ranges, size(), name_));
    std::vector<Buffer> answers;
    answers.reserve(ranges.size());
    for (const Range& range : ranges) {
      if (stop.stop_requested()) {
        return Error(ErrorKind::kCancelled, "stopped on request").with("object", name_);
      }
      answers.push_back(bytes_.slice(range.offset, range.size));
    }
    return answers;
  }

 private:
  std::string name_;
  Buffer bytes_;
};

}  // namespace

class MemoryWriter final : public ObjectWriter {
 public:
  MemoryWriter(MemoryDisk& disk, StepListener* steps, std::string name, std::string temporary)
      : disk_(disk), steps_(steps), name_(std::move(name)), temporary_(std::move(temporary)) {}
  MemoryWriter(const MemoryWriter&) = delete;
  MemoryWriter& operator=(const MemoryWriter&) = delete;
  ~MemoryWriter() override {
    if (!temporary_.empty() && step("discard", temporary_).ok()) {
      disk_.show(temporary_, std::nullopt);
    }
  }

  Status append(ByteView bytes) override {
    WEFT_TRY_STATUS(remember(step("append", temporary_)));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    disk_.show(temporary_, Buffer::copy_of(bytes_));
    return ok_status();
  }

  Status overwrite(uint64_t offset, ByteView bytes) override {
    if (offset > bytes_.size() || bytes.size() > bytes_.size() - offset) {
      failed_ = true;
      return Error(ErrorKind::kInvalid, "cannot overwrite what was not written")
          .with("object", name_)
          .with("offset", offset)
          .with("size", bytes.size())
          .with("written", bytes_.size());
    }
    WEFT_TRY_STATUS(remember(step("overwrite", temporary_)));
    if (!bytes.empty()) {
      std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
    }
    return ok_status();
  }

  uint64_t size() const override { return bytes_.size(); }

  Result<PutOutcome> publish() override {
    if (failed_) {
      return Error(ErrorKind::kInvalid, "cannot publish a file after a failed write")
          .with("object", name_);
    }
    failed_ = true;
    WEFT_TRY_STATUS(step("show", name_));
    const bool done = disk_.show_if_absent(name_, Buffer::from(std::move(bytes_)));
    bytes_.clear();
    disk_.show(std::exchange(temporary_, {}), std::nullopt);
    if (!done) {
      return PutOutcome::kLost;
    }
    WEFT_TRY_STATUS(seen(step("sync", name_), name_));
    disk_.sync(name_);
    return PutOutcome::kDone;
  }

 private:
  Status step(std::string_view action, const std::string& name) {
    return steps_ == nullptr ? ok_status() : steps_->before({action, name});
  }
  Status remember(Status status) {
    failed_ = failed_ || !status.ok();
    return status;
  }

  MemoryDisk& disk_;
  StepListener* steps_;
  std::string name_;
  std::string temporary_;
  Bytes bytes_;
  bool failed_ = false;
};

MemoryDisk::MemoryDisk(const base::Clock* clock)
    : clock_(clock != nullptr ? clock : &system_clock_) {}

void MemoryDisk::crash(base::Random& random) {
  const base::MutexLock lock(mutex_);
  for (auto& [name, entry] : entries_) {
    if (const uint64_t kept = random.below(entry.later.size() + 1); kept > 0) {
      entry.synced = entry.later[kept - 1];
    }
    entry.later.clear();
  }
}

void MemoryDisk::lose_unsynced() {
  const base::MutexLock lock(mutex_);
  for (auto& [name, entry] : entries_) {
    entry.later.clear();
  }
}

size_t MemoryDisk::unsynced_count() const {
  const base::MutexLock lock(mutex_);
  size_t count = 0;
  for (const auto& [name, entry] : entries_) {
    count += entry.later.empty() ? 0 : 1;
  }
  return count;
}

void MemoryDisk::change(Entry& entry, std::optional<Buffer> bytes) {
  entry.later.push_back({std::move(bytes), clock_->now()});
}

std::optional<MemoryDisk::State> MemoryDisk::find(const std::string& name) const {
  const base::MutexLock lock(mutex_);
  const auto at = entries_.find(name);
  if (at == entries_.end() || !at->second.visible().bytes) {
    return std::nullopt;
  }
  return at->second.visible();
}

bool MemoryDisk::show_if_absent(const std::string& name, Buffer bytes) {
  const base::MutexLock lock(mutex_);
  Entry& entry = entry_of(name);
  if (entry.visible().bytes) {
    return false;
  }
  change(entry, std::move(bytes));
  return true;
}

bool MemoryDisk::show_if_match(const std::string& name, Buffer bytes, const Etag& expected) {
  const base::MutexLock lock(mutex_);
  Entry& entry = entry_of(name);
  const State& current = entry.visible();
  if (!current.bytes || content_etag(current.bytes->view()) != expected) {
    return false;
  }
  change(entry, std::move(bytes));
  return true;
}

void MemoryDisk::show(const std::string& name, std::optional<Buffer> bytes) {
  const base::MutexLock lock(mutex_);
  Entry& entry = entry_of(name);
  if (!bytes && !entry.visible().bytes) {
    return;
  }
  if (name.find(kTemporaryPrefix) != std::string::npos) {
    entry.later.clear();  // nobody asks which state of an unfinished file survives
  }
  change(entry, std::move(bytes));
}

void MemoryDisk::sync(const std::string& name) {
  const base::MutexLock lock(mutex_);
  Entry& entry = entry_of(name);
  if (!entry.later.empty()) {
    entry.synced = std::move(entry.later.back());
    entry.later.clear();
  }
}

std::string MemoryDisk::new_temporary(const std::string& name) {
  const base::MutexLock lock(mutex_);
  const size_t slash = name.rfind('/');
  std::string temporary = name.substr(0, slash == std::string::npos ? 0 : slash + 1);
  temporary += kTemporaryPrefix;
  temporary += std::to_string(++temporaries_made_);
  change(entry_of(temporary), Buffer());
  return temporary;
}

std::vector<ObjectInfo> MemoryDisk::list(const std::string& prefix) const {
  const base::MutexLock lock(mutex_);
  std::vector<ObjectInfo> found;
  for (auto at = entries_.lower_bound(prefix);
       at != entries_.end() && at->first.starts_with(prefix); ++at) {
    if (const State& state = at->second.visible(); state.bytes) {
      found.push_back({at->first, state.bytes->size(), state.modified});
    }
  }
  return found;
}

MemoryStore::MemoryStore(MemoryDisk& disk, StepListener* steps) : disk_(disk), steps_(steps) {}

Capabilities MemoryStore::capabilities() const {
  return {.writable = true, .put_if_absent = true, .put_if_match = true, .list = true};
}

Status MemoryStore::step(std::string_view action, const std::string& name) {
  return steps_ == nullptr ? ok_status() : steps_->before({action, name});
}

Result<Buffer> MemoryStore::content(const std::string& name) {
  WEFT_TRY_STATUS(check_object_name(name));
  WEFT_TRY_STATUS(step("read", name));
  const std::optional<MemoryDisk::State> state = disk_.find(name);
  if (!state) {
    return Error(ErrorKind::kNotFound, "no such object").with("object", name);
  }
  return *state->bytes;
}

Result<std::unique_ptr<ObjectReader>> MemoryStore::open(const std::string& name) {
  WEFT_TRY(Buffer bytes, content(name));
  return read_buffer(name, std::move(bytes));
}

Result<VersionedObject> MemoryStore::get(const std::string& name, uint64_t size_max_bytes) {
  WEFT_TRY(Buffer bytes, content(name));
  if (bytes.size() > size_max_bytes) {
    return Error(ErrorKind::kLimit, "an object is too long to be read as a whole")
        .with("object", name)
        .with("size", bytes.size())
        .with("size_max_bytes", size_max_bytes);
  }
  Etag etag = content_etag(bytes.view());
  return VersionedObject{std::move(bytes), std::move(etag)};
}

Result<PutOutcome> MemoryStore::put_if_absent(const std::string& name, ByteView bytes) {
  WEFT_TRY(const std::vector<PutOutcome> outcomes, put_many_if_absent({{name, bytes}}));
  return outcomes.front();
}

Result<std::vector<PutOutcome>> MemoryStore::put_many_if_absent(
    const std::vector<std::pair<std::string, ByteView>>& objects) {
  for (const auto& [name, bytes] : objects) {
    WEFT_TRY_STATUS(check_writable_name(name));
  }
  std::vector<PutOutcome> outcomes;
  for (const auto& [name, bytes] : objects) {
    Status status = step("show", name);
    WEFT_TRY_STATUS(outcomes.empty() ? std::move(status) : seen(std::move(status), name));
    const bool done = disk_.show_if_absent(name, Buffer::copy_of(bytes));
    outcomes.push_back(done ? PutOutcome::kDone : PutOutcome::kLost);
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    if (outcomes[i] == PutOutcome::kDone) {
      WEFT_TRY_STATUS(seen(step("sync", objects[i].first), objects[i].first));
      disk_.sync(objects[i].first);
    }
  }
  return outcomes;
}

Result<std::unique_ptr<ObjectWriter>> MemoryStore::create(const std::string& name) {
  WEFT_TRY_STATUS(check_writable_name(name));
  WEFT_TRY_STATUS(step("create", name));
  return std::make_unique<MemoryWriter>(disk_, steps_, name, disk_.new_temporary(name));
}

Result<PutOutcome> MemoryStore::put_if_match(const std::string& name, ByteView bytes,
                                             const Etag& expected) {
  WEFT_TRY_STATUS(check_writable_name(name));
  WEFT_TRY_STATUS(step("show", name));
  if (!disk_.show_if_match(name, Buffer::copy_of(bytes), expected)) {
    return PutOutcome::kLost;
  }
  WEFT_TRY_STATUS(seen(step("sync", name), name));
  disk_.sync(name);
  return PutOutcome::kDone;
}

Status MemoryStore::sync_existing(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    WEFT_TRY_STATUS(content(name));
    WEFT_TRY_STATUS(step("sync", name));
    disk_.sync(name);
  }
  return ok_status();
}

Status MemoryStore::remove(const std::string& name) {
  WEFT_TRY_STATUS(check_object_name(name));
  WEFT_TRY_STATUS(step("remove", name));
  disk_.show(name, std::nullopt);
  return ok_status();
}

Result<std::vector<ObjectInfo>> MemoryStore::list(const std::string& prefix,
                                                  bool with_temporaries) {
  WEFT_TRY_STATUS(step("list", prefix));
  std::vector<ObjectInfo> found = disk_.list(prefix);
  if (!with_temporaries) {
    std::erase_if(found, [](const ObjectInfo& info) { return is_reserved_name(info.name); });
  }
  return found;
}

std::unique_ptr<ObjectReader> read_buffer(std::string name, Buffer bytes) {
  return std::make_unique<BufferReader>(std::move(name), std::move(bytes));
}

}  // namespace weft::storage

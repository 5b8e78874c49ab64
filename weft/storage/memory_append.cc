// Files that grow, and rights, on a MemoryDisk.

#include <cstring>
#include <utility>

#include "weft/storage/memory_store.h"

namespace weft::storage {

class MemoryAppend final : public AppendFile {
 public:
  MemoryAppend(MemoryDisk& disk, StepListener* steps, std::string name, ByteView found)
      : disk_(disk), steps_(steps), name_(std::move(name)), bytes_(found.begin(), found.end()) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes_.size(); }

  Status append(ByteView bytes) override {
    WEFT_TRY_STATUS(step("append"));
    // What a crash may leave of it: a part, the whole length without the content, all.
    const auto half = static_cast<ptrdiff_t>(bytes.size() / 2);
    Bytes grown = bytes_;
    grown.insert(grown.end(), bytes.begin(), bytes.begin() + half);
    disk_.show(name_, Buffer::copy_of(grown));
    grown = bytes_;
    grown.resize(bytes_.size() + bytes.size());
    disk_.show(name_, Buffer::copy_of(grown));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    disk_.show(name_, Buffer::copy_of(bytes_));
    return ok_status();
  }

  Status sync() override {
    WEFT_TRY_STATUS(step("sync"));
    disk_.sync(name_);
    return ok_status();
  }

  Status truncate(uint64_t size) override {
    const std::optional<MemoryDisk::State> state = disk_.find(name_);
    if (!state || state->bytes->size() < size) {
      return Error(ErrorKind::kInvalid, "a file is shorter than what it is to be cut to")
          .with("object", name_);
    }
    WEFT_TRY_STATUS(step("truncate"));
    const ByteView left = state->bytes->view().first(size);
    bytes_.assign(left.begin(), left.end());
    disk_.show(name_, Buffer::copy_of(bytes_));
    return sync();
  }

  Result<bool> is_ours() override {
    const std::optional<MemoryDisk::State> state = disk_.find(name_);
    return state && state->bytes->size() == bytes_.size() &&
           (bytes_.empty() ||
            std::memcmp(state->bytes->view().data(), bytes_.data(), bytes_.size()) == 0);
  }

 private:
  Status step(std::string_view action) {
    return steps_ == nullptr ? ok_status() : steps_->before({action, name_});
  }

  MemoryDisk& disk_;
  StepListener* steps_;
  std::string name_;
  Bytes bytes_;
};

class MemoryRight final : public HeldRight {
 public:
  MemoryRight(MemoryDisk& disk, std::string name) : disk_(disk), name_(std::move(name)) {}
  MemoryRight(const MemoryRight&) = delete;
  MemoryRight& operator=(const MemoryRight&) = delete;
  ~MemoryRight() override {
    const base::MutexLock lock(disk_.mutex_);
    disk_.holders_.erase(name_);
  }

 private:
  MemoryDisk& disk_;
  std::string name_;
};

Result<std::unique_ptr<AppendFile>> MemoryStore::open_append(const std::string& name) {
  WEFT_TRY(const Buffer bytes, content(name));
  WEFT_TRY_STATUS(step("sync", name));
  disk_.sync(name);
  return std::make_unique<MemoryAppend>(disk_, steps_, name, bytes.view());
}

Result<std::unique_ptr<HeldRight>> MemoryStore::hold(const std::string& name,
                                                     const HoldRequest& request) {
  const base::MutexLock lock(disk_.mutex_);
  const auto [at, is_free] = disk_.holders_.try_emplace(name, request.holder);
  if (!is_free) {
    return Error(ErrorKind::kUnavailable, "another writer holds a lock")
        .with("object", name)
        .with("reason", "locked")
        .with("holder", at->second);
  }
  return std::make_unique<MemoryRight>(disk_, name);
}

}  // namespace weft::storage

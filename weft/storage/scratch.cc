#include "weft/storage/scratch.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "weft/base/mutex.h"

namespace weft::storage {
namespace {

Error scratch_error(const char* what, const std::string& location, int code) {
  ErrorKind kind = ErrorKind::kUnavailable;
  if (code == ENOENT || code == ENOTDIR) {
    kind = ErrorKind::kNotFound;
  } else if (code == EACCES || code == EPERM || code == EROFS) {
    kind = ErrorKind::kDenied;
  }
  Error error = Error(kind, what)
                    .with("directory", location)
                    .with("system", std::generic_category().message(code));
  if (code == ENOSPC || code == EDQUOT) {
    error.add("reason", "no-space");
  }
  return error;
}

Error beyond_end(uint64_t offset, uint64_t size) {
  return Error(ErrorKind::kInternal, "scratch read leaves the file")
      .with("offset", offset)
      .with("size_bytes", size);
}

class LocalScratchFile final : public ScratchFile {
 public:
  LocalScratchFile(int descriptor, std::string location)
      : descriptor_(descriptor), location_(std::move(location)) {}
  ~LocalScratchFile() override { ::close(descriptor_); }
  LocalScratchFile(const LocalScratchFile&) = delete;
  LocalScratchFile& operator=(const LocalScratchFile&) = delete;

  Result<uint64_t> append(ByteView bytes) override {
    const uint64_t start = size_.load(std::memory_order_relaxed);
    uint64_t offset = start;
    while (!bytes.empty()) {
      const ssize_t written =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written <= 0) {
        return scratch_error("cannot write scratch file", location_, written < 0 ? errno : ENOSPC);
      }
      bytes = bytes.subspan(static_cast<size_t>(written));
      offset += static_cast<uint64_t>(written);
    }
    size_.store(offset, std::memory_order_release);
    return start;
  }

  Status read(uint64_t offset, std::span<std::byte> out) const override {
    const uint64_t size = size_.load(std::memory_order_acquire);
    if (offset > size || out.size() > size - offset) {
      return beyond_end(offset, size);
    }
    while (!out.empty()) {
      const ssize_t count =
          ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count < 0) {
        return scratch_error("cannot read scratch file", location_, errno);
      }
      if (count == 0) {
        return Error(ErrorKind::kCorrupt, "scratch file ends early").with("directory", location_);
      }
      out = out.subspan(static_cast<size_t>(count));
      offset += static_cast<uint64_t>(count);
    }
    return ok_status();
  }

  uint64_t size() const override { return size_.load(std::memory_order_acquire); }

 private:
  int descriptor_;
  std::string location_;
  std::atomic<uint64_t> size_ = 0;
};

class LocalScratch final : public ScratchSpace {
 public:
  explicit LocalScratch(std::string directory) : directory_(std::move(directory)) {
    if (directory_.empty()) {
      directory_ = ".";
    }
  }

  Result<std::unique_ptr<ScratchFile>> create() override {
    int descriptor = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
      std::string name = directory_ + "/.weft-scratch-XXXXXX";
      descriptor = ::mkostemp(name.data(), O_CLOEXEC);
      if (descriptor >= 0 && ::unlink(name.c_str()) != 0) {
        const int code = errno;
        ::close(descriptor);
        return scratch_error("cannot unlink scratch file", directory_, code);
      }
    }
    if (descriptor < 0) {
      return scratch_error("cannot create scratch file", directory_, errno);
    }
    return std::unique_ptr<ScratchFile>(std::make_unique<LocalScratchFile>(descriptor, directory_));
  }
  std::string location() const override { return directory_; }

 private:
  std::string directory_;
};

// What all files of one memory_scratch share; files may outlive the space.
struct MemoryQuota {
  uint64_t size_max_bytes;
  std::atomic<uint64_t> used_bytes = 0;
};

class MemoryScratchFile final : public ScratchFile {
 public:
  explicit MemoryScratchFile(std::shared_ptr<MemoryQuota> quota) : quota_(std::move(quota)) {}
  ~MemoryScratchFile() override { quota_->used_bytes -= size(); }
  MemoryScratchFile(const MemoryScratchFile&) = delete;
  MemoryScratchFile& operator=(const MemoryScratchFile&) = delete;

  Result<uint64_t> append(ByteView bytes) override {
    const uint64_t used = quota_->used_bytes.fetch_add(bytes.size());
    if (bytes.size() > quota_->size_max_bytes || used > quota_->size_max_bytes - bytes.size()) {
      quota_->used_bytes -= bytes.size();
      return scratch_error("cannot write scratch file", "memory", ENOSPC);
    }
    const base::MutexLock lock(mutex_);
    const uint64_t start = bytes_.size();
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return start;
  }
  Status read(uint64_t offset, std::span<std::byte> out) const override {
    const base::MutexLock lock(mutex_);
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset) {
      return beyond_end(offset, bytes_.size());
    }
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return ok_status();
  }
  uint64_t size() const override {
    const base::MutexLock lock(mutex_);
    return bytes_.size();
  }

 private:
  std::shared_ptr<MemoryQuota> quota_;
  mutable base::Mutex mutex_;
  Bytes bytes_ WEFT_GUARDED_BY(mutex_);
};

class MemoryScratch final : public ScratchSpace {
 public:
  explicit MemoryScratch(uint64_t size_max_bytes) : quota_(std::make_shared<MemoryQuota>()) {
    quota_->size_max_bytes = size_max_bytes;
  }
  Result<std::unique_ptr<ScratchFile>> create() override {
    return std::unique_ptr<ScratchFile>(std::make_unique<MemoryScratchFile>(quota_));
  }
  std::string location() const override { return "memory"; }

 private:
  std::shared_ptr<MemoryQuota> quota_;
};

}  // namespace

std::unique_ptr<ScratchSpace> local_scratch(std::string directory) {
  return std::make_unique<LocalScratch>(std::move(directory));
}
std::unique_ptr<ScratchSpace> memory_scratch(uint64_t size_max_bytes) {
  return std::make_unique<MemoryScratch>(size_max_bytes);
}

}  // namespace weft::storage

#include "weft/storage/local_append.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include <fcntl.h>

namespace weft::storage {
namespace {

class LocalAppend final : public AppendFile {
 public:
  LocalAppend(const FileCalls& calls, Place place, std::string name, FileHandle file, uint64_t size)
      : calls_(calls),
        place_(std::move(place)),
        path_(place_.folder.path_of(place_.leaf)),
        name_(std::move(name)),
        file_(std::move(file)),
        size_(size) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return size_.load(std::memory_order_acquire); }

  Status append(ByteView bytes) override {
    const uint64_t begin = size();
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t put =
          calls_.pwrite(file_.get(), bytes.data() + done, bytes.size() - done, begin + done);
      if (put <= 0) {
        return file_error(put == 0 ? ENOSPC : static_cast<int>(put), "cannot append to a file",
                          path_);
      }
      done += static_cast<size_t>(put);
    }
    size_.store(begin + bytes.size(), std::memory_order_release);
    return ok_status();
  }

  Status sync() override {
    if (const int answer = calls_.sync_data(file_.get()); answer < 0) {
      return file_error(answer, "cannot sync a file", path_);
    }
    return ok_status();
  }

  Status truncate(uint64_t size) override {
    WEFT_TRY(const struct stat found, stat_of(file_, path_));
    if (static_cast<uint64_t>(found.st_size) < size) {
      return Error(ErrorKind::kInvalid, "a file is shorter than what it is to be cut to")
          .with("path", path_)
          .with("size", static_cast<uint64_t>(found.st_size))
          .with("wanted", size);
    }
    if (const int answer = calls_.truncate(file_.get(), size); answer < 0) {
      return file_error(answer, "cannot cut a file", path_);
    }
    size_.store(size, std::memory_order_release);
    return sync();
  }

  Result<bool> is_ours() override {
    struct stat found{};
    if (::fstatat(place_.folder.handle.get(), place_.leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) !=
        0) {
      if (errno == ENOENT) {
        return false;
      }
      return file_error(errno, "cannot look at a file", path_);
    }
    WEFT_TRY(const struct stat ours, stat_of(file_, path_));
    return found.st_dev == ours.st_dev && found.st_ino == ours.st_ino &&
           static_cast<uint64_t>(found.st_size) == size();
  }

 private:
  const FileCalls& calls_;
  Place place_;
  std::string path_;
  std::string name_;
  FileHandle file_;
  std::atomic<uint64_t> size_;
};

}  // namespace

Result<std::unique_ptr<AppendFile>> open_local_append(const FileCalls& calls, Place place,
                                                      std::string name) {
  const std::string path = place.folder.path_of(place.leaf);
  WEFT_TRY(FileHandle file,
           open_path(calls, place.folder.handle.get(), place.leaf, O_RDWR | O_NONBLOCK | O_NOCTTY,
                     "cannot open a file to append to it"));
  WEFT_TRY(const struct stat found, stat_of(file, path));
  if (!S_ISREG(found.st_mode)) {
    return Error(ErrorKind::kUnsupported, "not a regular file").with("path", path);
  }
  if (const int answer = calls.sync_data(file.get()); answer < 0) {
    return file_error(answer, "cannot sync a file", path);
  }
  WEFT_TRY_STATUS(sync_folder(calls, place.folder));
  return std::make_unique<LocalAppend>(calls, std::move(place), std::move(name), std::move(file),
                                       static_cast<uint64_t>(found.st_size));
}

}  // namespace weft::storage

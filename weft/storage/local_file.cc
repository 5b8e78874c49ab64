#include "weft/storage/local_file.h"

#include <cerrno>

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

namespace weft::storage {
namespace {

constexpr int kLinksMax = 16;

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class LocalReader final : public ObjectReader {
 public:
  LocalReader(const FileCalls& calls, FileHandle file, std::string name, const struct stat& found,
              bool grows)
      : calls_(calls),
        file_(std::move(file)),
        name_(std::move(name)),
        size_(static_cast<uint64_t>(found.st_size)),
        grows_(grows),
        modified_(nanoseconds(found.st_mtim)),
        identity_("file:" + std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino) +
                  ":" + std::to_string(found.st_size) + ":" +
                  std::to_string(nanoseconds(found.st_ctim))) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return size_; }
  std::string identity() const override { return identity_; }
  bool is_remote() const override { return false; }

  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    WEFT_TRY_STATUS(check_ranges(ranges, size_, name_));
    std::vector<Buffer> answers;
    answers.reserve(ranges.size());
    for (const Range& range : ranges) {
      if (stop.stop_requested()) {
        return Error(ErrorKind::kCancelled, "stopped on request").with("object", name_);
      }
      WEFT_TRY(Buffer answer, read_one(range));
      answers.push_back(std::move(answer));
    }
    WEFT_TRY_STATUS(grows_ ? ok_status() : check_unchanged());
    return answers;
  }

 private:
  Result<Buffer> read_one(Range range) {
    const auto size = static_cast<size_t>(range.size);
    std::shared_ptr<std::byte[]> bytes = std::make_shared_for_overwrite<std::byte[]>(size);
    for (size_t done = 0; done < size;) {
      const ssize_t got =
          calls_.pread(file_.get(), bytes.get() + done, size - done, range.offset + done);
      if (got < 0) {
        return file_error(static_cast<int>(got), "cannot read a file", name_)
            .with("offset", range.offset);
      }
      if (got == 0) {
        return Error(ErrorKind::kCorrupt, "a file became shorter while it was open")
            .with("object", name_)
            .with("opened_size", size_)
            .with("ends_at", range.offset + done);
      }
      done += static_cast<size_t>(got);
    }
    const ByteView view(bytes.get(), size);
    return Buffer(std::move(bytes), view);
  }

  // After the read: what was read before the change is then not given out either.
  Status check_unchanged() const {
    WEFT_TRY(const struct stat now, stat_of(file_, name_));
    if (static_cast<uint64_t>(now.st_size) != size_ || nanoseconds(now.st_mtim) != modified_) {
      return Error(ErrorKind::kCorrupt, "a file was changed in place while it was open")
          .with("object", name_)
          .with("opened_size", size_)
          .with("size", static_cast<uint64_t>(now.st_size));
    }
    return ok_status();
  }

  const FileCalls& calls_;
  FileHandle file_;
  std::string name_;
  uint64_t size_;
  bool grows_;
  int64_t modified_;
  std::string identity_;
};

class LocalWriter final : public ObjectWriter {
 public:
  LocalWriter(const FileCalls& calls, PendingFile file, IfExists if_exists)
      : calls_(calls), file_(std::move(file)), if_exists_(if_exists) {}

  Status append(ByteView bytes) override { return remember(file_.append(bytes)); }
  Status overwrite(uint64_t offset, ByteView bytes) override {
    return remember(file_.overwrite(offset, bytes));
  }
  uint64_t size() const override { return file_.size(); }

  Result<PutOutcome> publish() override {
    if (failed_) {
      return Error(ErrorKind::kInvalid, "cannot publish a file after a failed write")
          .with("path", file_.folder().path_of(file_.leaf()));
    }
    failed_ = true;  // whatever comes now, a second publish has nothing to do
    WEFT_TRY_STATUS(file_.sync());
    if (if_exists_ == IfExists::kRefuse) {
      WEFT_TRY(const PutOutcome outcome, file_.name_if_absent());
      if (outcome == PutOutcome::kLost) {
        return outcome;
      }
    } else {
      WEFT_TRY_STATUS(file_.name_replacing());
    }
    WEFT_TRY_STATUS(sync_named(calls_, file_.folder(), file_.leaf()));
    return PutOutcome::kDone;
  }

 private:
  Status remember(Status status) {
    failed_ = failed_ || !status.ok();
    return status;
  }

  const FileCalls& calls_;
  PendingFile file_;
  IfExists if_exists_;
  bool failed_ = false;
};

}  // namespace

namespace {

Result<std::unique_ptr<ObjectReader>> open_reader(const FileCalls& calls, int folder,
                                                  const std::string& path, std::string name,
                                                  bool grows) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int descriptor = calls.open(folder, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
  if (descriptor < 0) {
    return file_error(descriptor, "cannot open a file", name);
  }
  FileHandle file(descriptor);
  WEFT_TRY(const struct stat found, stat_of(file, name));
  if (S_ISDIR(found.st_mode)) {
    return file_error(EISDIR, "cannot open a file", name);
  }
  if (!S_ISREG(found.st_mode)) {
    return Error(ErrorKind::kUnsupported, "not a regular file").with("path", name);
  }
  return std::make_unique<LocalReader>(calls, std::move(file), std::move(name), found, grows);
}

}  // namespace

Result<std::unique_ptr<ObjectReader>> open_file_in(const FileCalls& calls, int folder,
                                                   const std::string& path, std::string name) {
  return open_reader(calls, folder, path, std::move(name), false);
}

Result<std::unique_ptr<ObjectReader>> open_growing_file(const std::string& path,
                                                        const FileCalls& calls) {
  return open_reader(calls, AT_FDCWD, path, path, true);
}

std::unique_ptr<ObjectWriter> write_pending(const FileCalls& calls, PendingFile file,
                                            IfExists if_exists) {
  return std::make_unique<LocalWriter>(calls, std::move(file), if_exists);
}

Result<std::unique_ptr<ObjectReader>> open_local_file(const std::string& path,
                                                      const FileCalls& calls) {
  return open_file_in(calls, AT_FDCWD, path, path);
}

Result<Place> find_place(const FileCalls& calls, const std::string& path) {
  const size_t slash = path.rfind('/');
  std::string leaf = slash == std::string::npos ? path : path.substr(slash + 1);
  if (leaf.empty() || leaf == "." || leaf == "..") {
    return Error(ErrorKind::kInvalid, "a path names no file").with("path", path);
  }
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  WEFT_TRY(FileHandle handle,
           open_path(calls, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY, "cannot open a folder"));
  return Place{Folder{std::move(handle), folder}, std::move(leaf)};
}

Result<Place> follow_links(const FileCalls& calls, Place place) {
  for (int links = 0; links < kLinksMax; ++links) {
    char target[PATH_MAX];
    const ssize_t size =
        ::readlinkat(place.folder.handle.get(), place.leaf.c_str(), target, sizeof target);
    if (size < 0) {
      return place;  // no link, or nothing there: for whoever opens it
    }
    const std::string path(target, static_cast<size_t>(size));
    const size_t slash = path.rfind('/');
    if (slash != std::string::npos) {
      const std::string folder = path.substr(0, slash + 1);
      WEFT_TRY(FileHandle handle, open_path(calls, place.folder.handle.get(), folder,
                                            O_RDONLY | O_DIRECTORY, "cannot open a folder"));
      std::string shown = folder.starts_with('/') ? folder : place.folder.path_of(folder);
      place.folder = Folder{std::move(handle), std::move(shown)};
    }
    place.leaf = path.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  return file_error(ELOOP, "cannot follow a symbolic link", place.folder.path_of(place.leaf));
}

Result<std::unique_ptr<ObjectWriter>> create_local_file(const std::string& path, IfExists if_exists,
                                                        const FileCalls& calls) {
  WEFT_TRY(Place place, find_place(calls, path));
  if (if_exists == IfExists::kReplace) {
    WEFT_TRY(place, follow_links(calls, std::move(place)));
  }
  struct stat found{};
  const bool exists =
      ::fstatat(place.folder.handle.get(), place.leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && if_exists == IfExists::kRefuse) {
    return Error(ErrorKind::kAlreadyExists, "a file exists already").with("path", path);
  }
  if (exists && !S_ISREG(found.st_mode)) {
    return Error(ErrorKind::kInvalid, "cannot replace what is not a regular file")
        .with("path", path);
  }
  WEFT_TRY(PendingFile file,
           PendingFile::create(calls, std::move(place.folder), std::move(place.leaf)));
  if (exists) {
    WEFT_TRY_STATUS(file.take_permissions_of(found));
  }
  return write_pending(calls, std::move(file), if_exists);
}

}  // namespace weft::storage

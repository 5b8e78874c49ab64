#include "weft/storage/file_lock.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <sys/file.h>

namespace weft::storage {
namespace {

constexpr int64_t kPauseMinMicroseconds = 50;
constexpr int64_t kPauseMaxMicroseconds = 2'000;

Result<FileHandle> open_lock_file(const FileCalls& calls, const Folder& folder,
                                  const std::string& name) {
  int descriptor =
      calls.open(folder.handle.get(), name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
  if (descriptor == -EACCES) {
    // Made by another user; a local file system locks what is open for reading, too.
    const int readable = calls.open(folder.handle.get(), name.c_str(), O_RDONLY | O_NOFOLLOW, 0);
    descriptor = readable >= 0 ? readable : -EACCES;
  }
  if (descriptor < 0) {
    return file_error(descriptor, "cannot open a lock file", folder.path_of(name));
  }
  return FileHandle(descriptor);
}

// Whether `file` is what its name shows: not if somebody removed the lock file, against the rule.
bool is_in_place(const Folder& folder, const std::string& name, const FileHandle& file) {
  struct stat ours{};
  struct stat found{};
  return ::fstat(file.get(), &ours) == 0 &&
         ::fstatat(folder.handle.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         ours.st_dev == found.st_dev && ours.st_ino == found.st_ino;
}

// True: locked. False: somebody else holds it.
Result<bool> try_lock(const FileHandle& file, const std::string& path) {
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return false;
    }
    if (errno != EINTR) {
      return file_error(errno, "cannot lock a file", path);
    }
  }
  return true;
}

}  // namespace

Result<FileLock> FileLock::acquire(const FileCalls& calls, const Folder& folder,
                                   const std::string& leaf, const base::Clock& clock,
                                   uint64_t wait_ms) {
  const std::string name = std::string(kLockPrefix) + leaf;
  const std::string path = folder.path_of(name);
  const int64_t begin = clock.monotonic_microseconds();
  int64_t pause = kPauseMinMicroseconds;
  std::optional<FileHandle> file;
  while (true) {
    if (!file) {
      WEFT_TRY(file, open_lock_file(calls, folder, name));
    }
    WEFT_TRY(const bool locked, try_lock(*file, path));
    if (locked && is_in_place(folder, name, *file)) {
      return FileLock(std::move(*file));
    }
    if (locked) {
      file.reset();
    }
    const int64_t waited = clock.monotonic_microseconds() - begin;
    if (waited / 1'000 >= static_cast<int64_t>(wait_ms)) {
      return Error(ErrorKind::kUnavailable, "another process holds a lock for too long")
          .with("path", path)
          .with("reason", "locked")
          .with("waited_ms", static_cast<uint64_t>(waited / 1'000));
    }
    clock.sleep_microseconds(pause);
    pause = std::min(pause * 2, kPauseMaxMicroseconds);
  }
}

}  // namespace weft::storage

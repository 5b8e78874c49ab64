#include "weft/storage/file_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>

namespace weft::storage {
namespace {

// What a holder tells of itself; longer text is cut.
constexpr size_t kHolderBytesMax = 200;

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

// 0, EWOULDBLOCK (if `operation` does not wait) or another error number.
int lock_file(int file, int operation) {
  while (::flock(file, operation) != 0) {
    if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Who waits for the lock holds this while it waits, and everybody passes it on the way: so nobody
// who has just given the lock back takes it again before somebody who sleeps. A lock on a byte of
// the open file, which has nothing to do with flock. False: somebody else has it.
bool enter_gate(int file, bool waits) {
  struct flock gate{};
  gate.l_type = F_WRLCK;
  gate.l_whence = SEEK_SET;
  gate.l_start = 0;
  gate.l_len = 1;
  while (::fcntl(file, waits ? F_OFD_SETLKW : F_OFD_SETLK, &gate) != 0) {
    if (errno != EINTR) {
      // Where there are no such locks (or the file is open for reading only), nobody queues.
      return errno != EAGAIN && errno != EACCES;
    }
  }
  return true;
}

void leave_gate(int file) {
  struct flock gate{};
  gate.l_type = F_UNLCK;
  gate.l_whence = SEEK_SET;
  gate.l_start = 0;
  gate.l_len = 1;
  static_cast<void>(::fcntl(file, F_OFD_SETLK, &gate));
}

std::string holder_of(const FileCalls& calls, const FileHandle& file) {
  std::array<char, kHolderBytesMax> text{};
  const ssize_t got = calls.pread(file.get(), text.data(), text.size(), 0);
  std::string holder(text.data(), got < 0 ? 0 : static_cast<size_t>(got));
  std::ranges::replace_if(holder, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return holder;
}

// A call that waits in the kernel cannot be given a time limit, so a thread of its own makes it. If
// nobody wants the lock any more when it comes, it is given back at once.
class Waiting {
 public:
  explicit Waiting(FileHandle file) : file_(std::move(file)) {}

  static std::shared_ptr<Waiting> start(FileHandle file) {
    auto waiting = std::make_shared<Waiting>(std::move(file));
    std::thread([waiting] { waiting->wait_in_kernel(); }).detach();
    return waiting;
  }

  enum class Outcome : uint8_t { kLocked, kFailed, kTimeOver, kStopped };
  Outcome wait_for(std::chrono::microseconds time, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool in_time = ended_.wait_for(lock, stop, time, [this] { return is_done_; });
    if (!in_time) {
      is_abandoned_ = true;
      return stop.stop_requested() ? Outcome::kStopped : Outcome::kTimeOver;
    }
    return error_ == 0 ? Outcome::kLocked : Outcome::kFailed;
  }
  // After kLocked and kFailed.
  FileHandle take_file() { return std::move(file_); }
  int error() const { return error_; }
  // Reading it is no matter of the lock.
  const FileHandle& file() const { return file_; }

 private:
  void wait_in_kernel() {
    static_cast<void>(enter_gate(file_.get(), true));
    const int error = lock_file(file_.get(), LOCK_EX);
    leave_gate(file_.get());
    const std::lock_guard lock(mutex_);
    error_ = error;
    is_done_ = true;
    if (is_abandoned_) {
      file_ = FileHandle();
    }
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable_any ended_;
  bool is_done_ = false;
  bool is_abandoned_ = false;
  int error_ = 0;
  FileHandle file_;
};

}  // namespace

Result<FileLock> FileLock::acquire(const FileCalls& calls, const Folder& folder,
                                   const std::string& leaf, const base::Clock& clock,
                                   uint64_t wait_ms, std::stop_token stop) {
  const std::string name = std::string(kLockPrefix) + leaf;
  const std::string path = folder.path_of(name);
  const int64_t begin = clock.monotonic_microseconds();
  while (true) {
    WEFT_TRY(FileHandle file, open_lock_file(calls, folder, name));
    int error = EWOULDBLOCK;
    if (wait_ms == 0) {
      error =
          lock_file(file.get(), LOCK_EX | LOCK_NB);  // the question is who holds it, not who waits
    } else if (enter_gate(file.get(), false)) {
      error = lock_file(file.get(), LOCK_EX | LOCK_NB);
      leave_gate(file.get());
    }
    if (error == EWOULDBLOCK) {
      const std::string holder = holder_of(calls, file);
      const int64_t waited = clock.monotonic_microseconds() - begin;
      const int64_t left =
          static_cast<int64_t>(std::min<uint64_t>(wait_ms, INT64_MAX / 1'000)) * 1'000 - waited;
      const auto waiting = left > 0 ? Waiting::start(std::move(file)) : nullptr;
      const auto outcome = waiting != nullptr
                               ? waiting->wait_for(std::chrono::microseconds(left), stop)
                               : Waiting::Outcome::kTimeOver;
      if (outcome == Waiting::Outcome::kTimeOver) {
        return Error(ErrorKind::kUnavailable, "another writer holds a lock")
            .with("path", path)
            .with("reason", "locked")
            .with("holder", holder.empty() ? "unknown" : holder)
            .with("waited_ms",
                  static_cast<uint64_t>((clock.monotonic_microseconds() - begin) / 1'000));
      }
      if (outcome == Waiting::Outcome::kStopped) {
        return Error(ErrorKind::kCancelled, "stopped on request while waiting for a lock")
            .with("path", path);
      }
      error = waiting->error();
      file = waiting->take_file();
    }
    if (error != 0) {
      return file_error(error, "cannot lock a file", path);
    }
    if (is_in_place(folder, name, file)) {
      return FileLock(std::move(file));
    }
  }
}

void FileLock::tell_holder(const FileCalls& calls, const std::string& holder) {
  // Without effect where the lock file belongs to another user.
  const std::string text = holder.substr(0, kHolderBytesMax);
  static_cast<void>(calls.truncate(file_.get(), 0));
  static_cast<void>(calls.pwrite(file_.get(), text.data(), text.size(), 0));
}

}  // namespace weft::storage

// A kernel lock between processes (and between threads): it ends with its holder, however that one
// ends, so nobody is ever wedged by a crash. It lies on a file of its own, which is created when
// first wanted, never replaced and never removed, because a lock on a file that is replaced guards
// nothing.
//
// Who waits sleeps in the kernel and is woken when the lock is given back: no polling, and no
// waiter that a busier one overtakes for ever.
#pragma once

#include <stop_token>
#include <string>

#include "weft/base/clock.h"
#include "weft/storage/append_file.h"
#include "weft/storage/file_calls.h"
#include "weft/storage/pending_file.h"

namespace weft::storage {

// Released when destroyed. Movable.
class FileLock final : public HeldRight {
 public:
  // Locks `leaf` of `folder` (its lock file is kLockPrefix + leaf), waiting at most `wait_ms`.
  // Errors: kUnavailable with reason=locked when the time is over, with fact holder if the holder
  // has told; kCancelled; kUnsupported if the file system has no locks; kDenied.
  static Result<FileLock> acquire(const FileCalls& calls, const Folder& folder,
                                  const std::string& leaf, const base::Clock& clock,
                                  uint64_t wait_ms, std::stop_token stop = {});

  // Writes into the lock file who we are, for the error of others. It is information only, and
  // never trusted: the lock is the kernel's.
  void tell_holder(const FileCalls& calls, const std::string& holder);

 private:
  explicit FileLock(FileHandle file) : file_(std::move(file)) {}
  FileHandle file_;
};

}  // namespace weft::storage

// System calls that a test watches and denies. Writes down every call that changes something or
// syncs, with temporary names shown as TMP and the folder as "."; `deny` may answer in place of the
// system.
#pragma once

#include <cerrno>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "weft/base/mutex.h"
#include "weft/storage/file_calls.h"
#include "weft/storage/names.h"

namespace weft::storage {

// Thread-safe if `deny` is.
class ScriptedCalls final : public FileCalls {
 public:
  // What happened before, this call included. A negative answer (-EIO) is the call's answer, and
  // the system is not asked.
  using Deny = std::function<int(const std::string& call, size_t index)>;

  explicit ScriptedCalls(std::string folder) : folder_(std::move(folder)) {}

  void deny(Deny deny) { deny_ = std::move(deny); }
  // Denies every call that is written down as `prefix`….
  void deny_always(std::string prefix, int answer) {
    deny([prefix = std::move(prefix), answer](const std::string& call, size_t) {
      return call.starts_with(prefix) ? answer : 0;
    });
  }
  std::vector<std::string> trace() const {
    const base::MutexLock lock(mutex_);
    return trace_;
  }
  void forget() {
    const base::MutexLock lock(mutex_);
    trace_.clear();
  }

  int open(int folder, const char* path, int flags, mode_t mode) const override {
    const bool creates = (flags & O_CREAT) != 0;
    if (const int answer = creates ? record("create " + show(path)) : 0; answer < 0) {
      return answer;
    }
    return FileCalls::open(folder, path, flags, mode);
  }
  ssize_t pwrite(int file, const void* from, size_t size, uint64_t offset) const override {
    const int answer = record("write " + name_of(file));
    return answer < 0 ? answer : FileCalls::pwrite(file, from, size, offset);
  }
  int sync_data(int file) const override {
    const int answer = record("sync " + name_of(file));
    return answer < 0 ? answer : FileCalls::sync_data(file);
  }
  int sync(int file) const override {
    const int answer = record("sync " + name_of(file));
    return answer < 0 ? answer : FileCalls::sync(file);
  }
  int truncate(int file, uint64_t size) const override {
    const int answer = record("truncate " + name_of(file));
    return answer < 0 ? answer : FileCalls::truncate(file, size);
  }
  int link(int folder, const char* from, const char* to) const override {
    const int answer = record("link " + show(from) + " " + show(to));
    return answer < 0 ? answer : FileCalls::link(folder, from, to);
  }
  int rename(int folder, const char* from, const char* to) const override {
    const int answer = record("rename " + show(from) + " " + show(to));
    return answer < 0 ? answer : FileCalls::rename(folder, from, to);
  }
  int rename_no_replace(int folder, const char* from, const char* to) const override {
    const int answer = record("rename-if-absent " + show(from) + " " + show(to));
    return answer < 0 ? answer : FileCalls::rename_no_replace(folder, from, to);
  }
  int unlink(int folder, const char* path) const override {
    const int answer = record("unlink " + show(path));
    return answer < 0 ? answer : FileCalls::unlink(folder, path);
  }
  int make_folder(int folder, const char* path) const override {
    const int answer = record("mkdir " + show(path));
    return answer < 0 ? answer : FileCalls::make_folder(folder, path);
  }

 private:
  int record(std::string call) const {
    const base::MutexLock lock(mutex_);
    trace_.push_back(call);
    return deny_ ? deny_(call, trace_.size() - 1) : 0;
  }

  static std::string show(std::string_view path) {
    const size_t at = path.find(kTemporaryPrefix);
    return std::string(at == std::string_view::npos ? path : "TMP");
  }

  std::string name_of(int file) const {
    char target[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t size = ::readlink(link.c_str(), target, sizeof target);
    std::string path(target, size < 0 ? 0 : static_cast<size_t>(size));
    if (path == folder_) {
      return ".";
    }
    if (path.starts_with(folder_ + "/")) {
      return show(path.substr(folder_.size() + 1));
    }
    return folder_.starts_with(path) ? ".." : path;
  }

  std::string folder_;
  Deny deny_;
  mutable base::Mutex mutex_;
  mutable std::vector<std::string> trace_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::storage

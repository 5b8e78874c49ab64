#include "weft/storage/file_calls.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace weft::storage {
namespace {

// Until a signal no longer interrupts it; -errno on failure.
template <typename Call>
auto repeat(const Call& call) {
  while (true) {
    const auto answer = call();
    if (answer >= 0) {
      return answer;
    }
    if (errno != EINTR) {
      return static_cast<decltype(answer)>(-errno);
    }
  }
}

struct Reason {
  ErrorKind kind;
  const char* name;
};

Reason reason_of(int error_number) {
  switch (error_number) {
    case ENOENT:
      return {ErrorKind::kNotFound, "absent"};
    case ENOTDIR:
      return {ErrorKind::kNotFound, "not-a-folder"};
    case EEXIST:
      return {ErrorKind::kAlreadyExists, "exists"};
    case EACCES:
    case EPERM:
      return {ErrorKind::kDenied, "permission"};
    case EROFS:
      return {ErrorKind::kDenied, "read-only"};
    case ENOSPC:
      return {ErrorKind::kUnavailable, "no-space"};
    case EDQUOT:
      return {ErrorKind::kUnavailable, "quota"};
    case EMFILE:
    case ENFILE:
      return {ErrorKind::kUnavailable, "open-files"};
    case ENOMEM:
      return {ErrorKind::kUnavailable, "memory"};
    case EIO:
      return {ErrorKind::kUnavailable, "device"};
    case EFBIG:
      return {ErrorKind::kLimit, "file-size"};
    case ENAMETOOLONG:
      return {ErrorKind::kInvalid, "name-too-long"};
    case ELOOP:
      return {ErrorKind::kInvalid, "link-loop"};
    case EISDIR:
      return {ErrorKind::kInvalid, "is-a-folder"};
    case EINVAL:
      return {ErrorKind::kInvalid, "invalid-argument"};
    case ENOSYS:
    case EOPNOTSUPP:
      return {ErrorKind::kUnsupported, "unsupported"};
    default:
      return {ErrorKind::kUnavailable, "system"};
  }
}

}  // namespace

int FileCalls::open(int folder, const char* path, int flags, mode_t mode) const {
  return repeat([&] { return ::openat(folder, path, flags | O_CLOEXEC, mode); });
}

ssize_t FileCalls::pread(int file, void* into, size_t size, uint64_t offset) const {
  return repeat([&] { return ::pread(file, into, size, static_cast<off_t>(offset)); });
}

ssize_t FileCalls::pwrite(int file, const void* from, size_t size, uint64_t offset) const {
  return repeat([&] { return ::pwrite(file, from, size, static_cast<off_t>(offset)); });
}

int FileCalls::sync_data(int file) const {
  return repeat([&] { return ::fdatasync(file); });
}

int FileCalls::sync(int file) const {
  return repeat([&] { return ::fsync(file); });
}

int FileCalls::truncate(int file, uint64_t size) const {
  return repeat([&] { return ::ftruncate(file, static_cast<off_t>(size)); });
}

int FileCalls::link(int folder, const char* from, const char* to) const {
  return repeat([&] { return ::linkat(folder, from, folder, to, 0); });
}

int FileCalls::rename(int folder, const char* from, const char* to) const {
  return repeat([&] { return ::renameat(folder, from, folder, to); });
}

int FileCalls::rename_no_replace(int folder, const char* from, const char* to) const {
  return repeat([&] { return ::renameat2(folder, from, folder, to, RENAME_NOREPLACE); });
}

int FileCalls::unlink(int folder, const char* path) const {
  return repeat([&] { return ::unlinkat(folder, path, 0); });
}

int FileCalls::make_folder(int folder, const char* path) const {
  return repeat([&] { return ::mkdirat(folder, path, 0777); });
}

const FileCalls& system_file_calls() {
  static const FileCalls calls;
  return calls;
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    if (is_open()) {
      ::close(descriptor_);
    }
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

FileHandle::~FileHandle() {
  if (is_open()) {
    ::close(descriptor_);
  }
}

Error file_error(int error_number, std::string_view attempted, std::string_view path) {
  const int number = error_number < 0 ? -error_number : error_number;
  const Reason reason = reason_of(number);
  const char* text = strerrordesc_np(number);
  const char* name = strerrorname_np(number);
  std::string message(attempted);
  message += ": ";
  message += text != nullptr ? text : "unknown system error";
  return Error(reason.kind, std::move(message))
      .with("path", path)
      .with("reason", reason.name)
      .with("errno", name != nullptr ? std::string_view(name) : std::to_string(number));
}

Result<FileHandle> open_path(const FileCalls& calls, int folder, const std::string& path, int flags,
                             std::string_view attempted) {
  const int descriptor = calls.open(folder, path.c_str(), flags, 0666);
  if (descriptor < 0) {
    return file_error(descriptor, attempted, path);
  }
  return FileHandle(descriptor);
}

Result<struct stat> stat_of(const FileHandle& file, std::string_view path) {
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) {
    return file_error(errno, "cannot look at a file", path);
  }
  return found;
}

}  // namespace weft::storage

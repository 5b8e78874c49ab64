// The system calls that change a folder, behind one small interface: a test can deny one (a file
// system without hard links), stop at the k-th, or write down their order
// (docs/protocols/storage.md). Everybody else passes system_file_calls().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>
#include <sys/types.h>

#include "weft/base/result.h"

namespace weft::storage {

// Every call returns what the system call returns, or -errno, and is repeated when a signal
// interrupts it. Stateless here; thread-safe in any implementation.
class FileCalls {
 public:
  FileCalls() = default;
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;
  virtual ~FileCalls() = default;

  // Always with O_CLOEXEC.
  virtual int open(int folder, const char* path, int flags, mode_t mode) const;
  virtual ssize_t pread(int file, void* into, size_t size, uint64_t offset) const;
  virtual ssize_t pwrite(int file, const void* from, size_t size, uint64_t offset) const;
  // The content, and what of the metadata is needed to read it back.
  virtual int sync_data(int file) const;
  virtual int sync(int file) const;
  virtual int truncate(int file, uint64_t size) const;
  virtual int link(int folder, const char* from, const char* to) const;
  virtual int rename(int folder, const char* from, const char* to) const;
  virtual int rename_no_replace(int folder, const char* from, const char* to) const;
  virtual int unlink(int folder, const char* path) const;
  virtual int make_folder(int folder, const char* path) const;
};

const FileCalls& system_file_calls();

// Owns a file descriptor. Movable.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle();

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

// The error for `error_number` (positive or negative), sorted by what the caller should do next;
// facts path, errno and reason ("no-space", "quota", "read-only", "permission", "open-files", …).
Error file_error(int error_number, std::string_view attempted, std::string_view path);

// Opens a file or folder. Errors as file_error.
Result<FileHandle> open_path(const FileCalls& calls, int folder, const std::string& path, int flags,
                             std::string_view attempted);

Result<struct stat> stat_of(const FileHandle& file, std::string_view path);

}  // namespace weft::storage

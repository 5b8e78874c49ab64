// A shared object that a test preloads to make system calls fail as on a poor file system.
//   WEFT_TEST_NO_LINK=1      link and linkat answer EPERM: a directory without hard links
//   WEFT_TEST_DISK_BYTES=n   after n written bytes every write answers ENOSPC: a full disk
//   WEFT_TEST_SYNC_FAILS=1   fsync and fdatasync answer EIO
//   WEFT_TEST_SYNC_MS=n      fsync and fdatasync take so much longer: a slow disk
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool asked(const char* name) {
  return std::getenv(name) != nullptr;
}

// Takes `size` bytes of what is left of the disk. False: it is full. Only files are on the disk.
bool take_room(int descriptor, size_t size) {
  static const char* limit_text = std::getenv("WEFT_TEST_DISK_BYTES");
  static std::atomic<long long> left{limit_text == nullptr ? 0 : std::atoll(limit_text)};
  struct stat about{};
  if (limit_text == nullptr || descriptor <= STDERR_FILENO || fstat(descriptor, &about) != 0 ||
      !S_ISREG(about.st_mode)) {
    return true;
  }
  return left.fetch_sub(static_cast<long long>(size)) >= static_cast<long long>(size);
}

int fail(int error) {
  errno = error;
  return -1;
}

void wait_as_a_slow_disk() {
  static const char* text = std::getenv("WEFT_TEST_SYNC_MS");
  if (text != nullptr) {
    usleep(static_cast<useconds_t>(std::atoi(text)) * 1000);
  }
}

}  // namespace

extern "C" {

int link(const char* from, const char* to) {
  return asked("WEFT_TEST_NO_LINK") ? fail(EPERM) : next<decltype(link)>("link")(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return asked("WEFT_TEST_NO_LINK")
             ? fail(EPERM)
             : next<decltype(linkat)>("linkat")(from_folder, from, to_folder, to, flags);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  return take_room(descriptor, size) ? next<decltype(write)>("write")(descriptor, bytes, size)
                                     : fail(ENOSPC);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  return take_room(descriptor, size)
             ? next<decltype(pwrite)>("pwrite")(descriptor, bytes, size, offset)
             : fail(ENOSPC);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
  return take_room(descriptor, size)
             ? next<decltype(pwrite64)>("pwrite64")(descriptor, bytes, size, offset)
             : fail(ENOSPC);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  size_t size = 0;
  for (int i = 0; i < count; ++i) {
    size += parts[i].iov_len;
  }
  return take_room(descriptor, size) ? next<decltype(writev)>("writev")(descriptor, parts, count)
                                     : fail(ENOSPC);
}

int fsync(int descriptor) {
  wait_as_a_slow_disk();
  return asked("WEFT_TEST_SYNC_FAILS") ? fail(EIO) : next<decltype(fsync)>("fsync")(descriptor);
}

int fdatasync(int descriptor) {
  wait_as_a_slow_disk();
  return asked("WEFT_TEST_SYNC_FAILS") ? fail(EIO)
                                       : next<decltype(fdatasync)>("fdatasync")(descriptor);
}

}  // extern "C"

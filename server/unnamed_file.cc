#include "server/unnamed_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

namespace weft::server {
namespace {

Error file_error(std::string_view what, const std::string& folder) {
  const int code = errno;
  Error error(ErrorKind::kUnavailable, std::string(what));
  error.add("folder", folder);
  if (code == ENOSPC || code == EDQUOT) {
    error.add("reason", "no-space");
  } else {
    error.add("errno", std::to_string(code));
  }
  return error;
}

}  // namespace

Result<std::unique_ptr<UnnamedFile>> UnnamedFile::create(const std::string& folder) {
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
    std::string name = folder + "/weft-serve-XXXXXX";
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0) {
      ::unlink(name.c_str());
    }
  }
  if (descriptor < 0) {
    return file_error("cannot make a working file", folder);
  }
  return std::unique_ptr<UnnamedFile>(new UnnamedFile(descriptor, folder));
}

UnnamedFile::~UnnamedFile() {
  ::close(descriptor_);
}

Status UnnamedFile::write(uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return file_error("cannot write a working file", folder_);
    }
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
    size_ = std::max(size_, offset);
  }
  return ok_status();
}

Status UnnamedFile::read(uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return file_error("cannot read a working file", folder_);
    }
    out = out.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return ok_status();
}

}  // namespace weft::server

#include "weft/rdfio/input.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "weft/codec/decompress.h"

namespace weft::rdfio {
namespace {

Error system_error(int code, std::string_view attempt, const std::string& file) {
  ErrorKind kind = ErrorKind::kUnavailable;
  if (code == ENOENT || code == ENOTDIR) {
    kind = ErrorKind::kNotFound;
  } else if (code == EACCES || code == EPERM) {
    kind = ErrorKind::kDenied;
  } else if (code == EISDIR) {
    kind = ErrorKind::kInvalid;
  }
  return Error(kind, std::string(attempt))
      .with("file", file)
      .with("reason", std::generic_category().message(code));
}

class DescriptorInput final : public InputStream {
 public:
  DescriptorInput(int descriptor, bool owned, std::string name)
      : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {}
  DescriptorInput(const DescriptorInput&) = delete;
  DescriptorInput& operator=(const DescriptorInput&) = delete;
  ~DescriptorInput() override {
    if (owned_) {
      ::close(descriptor_);
    }
  }

  Result<size_t> read(std::span<std::byte> out) override {
    while (true) {
      const ssize_t got = ::read(descriptor_, out.data(), out.size());
      if (got >= 0) {
        return static_cast<size_t>(got);
      }
      if (errno != EINTR) {
        return system_error(errno, "cannot read input", name_);
      }
    }
  }

 private:
  int descriptor_;
  bool owned_;
  std::string name_;
};

// Names the file in errors of what lies between it and its text.
class NamedInput final : public InputStream {
 public:
  NamedInput(std::unique_ptr<InputStream> text, std::string name)
      : text_(std::move(text)), name_(std::move(name)) {}

  Result<size_t> read(std::span<std::byte> out) override {
    Result<size_t> got = text_->read(out);
    return got.ok() ? std::move(got) : Result<size_t>(named(std::move(got).error(), name_));
  }
  static Error named(Error error, const std::string& name) {
    if (error.fact("file").empty()) {
      error.add("file", name);
    }
    return error;
  }

 private:
  std::unique_ptr<InputStream> text_;
  std::string name_;
};

Result<std::unique_ptr<InputStream>> text_of(std::unique_ptr<InputStream> stored,
                                             const std::string& name) {
  auto text = codec::decompress(std::move(stored));
  if (!text.ok()) {
    return NamedInput::named(std::move(text).error(), name);
  }
  return std::unique_ptr<InputStream>(std::make_unique<NamedInput>(std::move(text).value(), name));
}

}  // namespace

Result<std::unique_ptr<InputStream>> open_input(const std::string& path) {
  if (path == "-") {
    return text_of(std::make_unique<DescriptorInput>(STDIN_FILENO, false, "-"), "-");
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return system_error(errno, "cannot open input", path);
  }
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return text_of(std::make_unique<DescriptorInput>(descriptor, true, path), path);
}

Result<std::unique_ptr<InputStream>> open_memory(std::string_view bytes) {
  return codec::decompress(std::make_unique<codec::MemoryInputView>(bytes));
}

Status DescriptorOutput::write(ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
    if (wrote < 0 && errno != EINTR) {
      return Error(ErrorKind::kUnavailable, "cannot write output")
          .with("reason", std::generic_category().message(errno));
    }
    bytes = bytes.subspan(wrote < 0 ? 0 : static_cast<size_t>(wrote));
  }
  return ok_status();
}

}  // namespace weft::rdfio

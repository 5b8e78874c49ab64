#include "server/body_store.h"

#include <algorithm>

namespace weft::server {
namespace {

class FileReader final : public codec::InputStream {
 public:
  explicit FileReader(std::shared_ptr<const UnnamedFile> file) : file_(std::move(file)) {}
  Result<size_t> read(std::span<std::byte> out) override {
    const size_t count =
        static_cast<size_t>(std::min<uint64_t>(out.size(), file_->size() - offset_));
    WEFT_TRY_STATUS(file_->read(offset_, out.first(count)));
    offset_ += count;
    return count;
  }

 private:
  std::shared_ptr<const UnnamedFile> file_;
  uint64_t offset_ = 0;
};

class FailedReader final : public codec::InputStream {
 public:
  explicit FailedReader(Error error) : error_(std::move(error)) {}
  Result<size_t> read(std::span<std::byte>) override { return error_; }

 private:
  Error error_;
};

}  // namespace

Status BodyStore::append(std::string_view bytes) {
  size_ += bytes.size();
  memory_.append(bytes);
  return memory_.size() > kBodyMemoryBytes ? flush() : ok_status();
}

Status BodyStore::flush() {
  if (file_ == nullptr) {
    WEFT_TRY(file_, UnnamedFile::create(folder_));
  }
  WEFT_TRY_STATUS(file_->write(file_->size(), as_bytes(memory_)));
  memory_.clear();
  return ok_status();
}

std::unique_ptr<codec::InputStream> BodyStore::reader() {
  if (file_ == nullptr) {
    return std::make_unique<codec::MemoryInputView>(memory_);
  }
  if (const Status status = flush(); !status.ok()) {
    return std::make_unique<FailedReader>(status.error());
  }
  return file_input(file_);
}

std::unique_ptr<codec::InputStream> file_input(std::shared_ptr<const UnnamedFile> file) {
  return std::make_unique<FileReader>(std::move(file));
}

}  // namespace weft::server

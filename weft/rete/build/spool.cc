#include "weft/rete/build/spool.h"

#include <algorithm>
#include <utility>

#include "weft/codec/varint.h"

namespace weft::rete::build {
namespace {

constexpr size_t kReserveStepBytes = size_t{256} << 10U;
constexpr size_t kFileBufferBytes = size_t{256} << 10U;

std::span<std::byte> writable(std::string& text, size_t from) {
  return std::as_writable_bytes(std::span<char>(text.data() + from, text.size() - from));
}

}  // namespace

Status Spool::append(ByteView bytes) {
  const std::string_view text = as_text(bytes);
  while (file_ == nullptr && memory_.size() + bytes.size() > reserved_.size() * kReserveStepBytes) {
    if (!budget_->try_reserve(kReserveStepBytes)) {
      WEFT_TRY_STATUS(spill());
      break;
    }
    reserved_.emplace_back(budget_, kReserveStepBytes);
  }
  size_ += bytes.size();
  if (file_ == nullptr) {
    memory_.append({text.data(), text.size()});
    return ok_status();
  }
  if (memory_.size() + bytes.size() > kFileBufferBytes) {
    WEFT_TRY(const uint64_t at, file_->append(std::as_bytes(memory_.span())));
    static_cast<void>(at);
    memory_.clear();
    if (bytes.size() > kFileBufferBytes) {
      WEFT_TRY(const uint64_t place, file_->append(bytes));
      static_cast<void>(place);
      return ok_status();
    }
  }
  memory_.append({text.data(), text.size()});
  return ok_status();
}

Status Spool::spill() {
  WEFT_TRY(file_, scratch_->create());
  WEFT_TRY(const uint64_t at, file_->append(std::as_bytes(memory_.span())));
  static_cast<void>(at);
  memory_.release();
  reserved_.clear();
  return ok_status();
}

Status Spool::copy(uint64_t offset, uint64_t size,
                   const std::function<Status(ByteView)>& take) const {
  WEFT_CHECK(offset <= size_ && size <= size_ - offset);
  const uint64_t in_file = file_ == nullptr ? 0 : file_->size();
  std::string piece;
  while (size > 0) {
    uint64_t step = std::min<uint64_t>(size, kPieceBytes);
    if (offset < in_file) {
      step = std::min(step, in_file - offset);
      piece.resize(step);
      WEFT_TRY_STATUS(file_->read(offset, writable(piece, 0)));
      WEFT_TRY_STATUS(take(as_bytes(piece)));
    } else {
      WEFT_TRY_STATUS(take(std::as_bytes(memory_.span()).subspan(offset - in_file, step)));
    }
    offset += step;
    size -= step;
  }
  return ok_status();
}

Status Spool::read(uint64_t offset, uint64_t size, std::string& out) const {
  out.clear();
  out.reserve(size);
  return copy(offset, size, [&out](ByteView piece) {
    out.append(as_text(piece));
    return ok_status();
  });
}

void Spool::release() {
  memory_.release();
  reserved_.clear();
  file_.reset();
  size_ = 0;
}

Status SpoolReader::fill(uint64_t size) {
  if (piece_.size() - at_ >= size) {
    return ok_status();
  }
  const uint64_t missing = size - (piece_.size() - at_);
  const uint64_t step =
      std::min(std::max<uint64_t>(missing, Spool::kPieceBytes), spool_->size() - offset_);
  std::string more;
  WEFT_TRY_STATUS(spool_->read(offset_, step, more));
  piece_.erase(0, at_);
  piece_ += more;
  at_ = 0;
  offset_ += step;
  return ok_status();
}

Result<uint64_t> SpoolReader::varint() {
  WEFT_TRY_STATUS(fill(codec::kVarintBytesMax));
  codec::ByteReaderView reader(as_bytes(std::string_view(piece_).substr(at_)));
  const uint64_t value = reader.varint();
  if (!reader.ok()) {
    return Error(ErrorKind::kInternal, "read beyond the end of a spool");
  }
  at_ += reader.position();
  return value;
}

Result<std::string_view> SpoolReader::bytes(uint64_t size) {
  WEFT_TRY_STATUS(fill(size));
  if (piece_.size() - at_ < size) {
    return Error(ErrorKind::kInternal, "read beyond the end of a spool");
  }
  const std::string_view view = std::string_view(piece_).substr(at_, size);
  at_ += size;
  return view;
}

Result<std::string_view> SpoolReader::length_prefixed() {
  WEFT_TRY(const uint64_t size, varint());
  return bytes(size);
}

Result<Extent> SharedScratchFile::append(ByteView bytes) {
  const base::MutexLock lock(mutex_);
  if (file_ == nullptr) {
    WEFT_TRY(file_, scratch_->create());
  }
  WEFT_TRY(const uint64_t offset, file_->append(bytes));
  return Extent{offset, bytes.size()};
}

Status SharedScratchFile::read(uint64_t offset, std::span<std::byte> out) const {
  const storage::ScratchFile* file = nullptr;
  {
    const base::MutexLock lock(mutex_);
    file = file_.get();
  }
  WEFT_CHECK(file != nullptr);
  return file->read(offset, out);
}

Status ExtentWriter::append(ByteView bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes_) {
    WEFT_TRY_STATUS(flush());
  }
  if (bytes.size() > buffer_bytes_) {
    WEFT_TRY(const Extent extent, file_->append(bytes));
    extents_.push_back(extent);
    return ok_status();
  }
  buffer_.append(as_text(bytes));
  return ok_status();
}

Status ExtentWriter::flush() {
  if (!buffer_.empty()) {
    WEFT_TRY(const Extent extent, file_->append(as_bytes(buffer_)));
    extents_.push_back(extent);
    buffer_.clear();
  }
  return ok_status();
}

Result<std::vector<Extent>> ExtentWriter::finish() {
  WEFT_TRY_STATUS(flush());
  std::string().swap(buffer_);
  return std::move(extents_);
}

Status ExtentReader::fill(size_t size) {
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t wanted = std::max(size, buffer_bytes_);
  while (buffer_.size() < size && next_extent_ < extents_.size()) {
    Extent& extent = extents_[next_extent_];
    const uint64_t step = std::min<uint64_t>(extent.bytes, wanted - buffer_.size());
    const size_t before = buffer_.size();
    buffer_.resize(before + step);
    WEFT_TRY_STATUS(file_->read(extent.offset, writable(buffer_, before)));
    extent.offset += step;
    extent.bytes -= step;
    if (extent.bytes == 0) {
      ++next_extent_;
    }
  }
  return ok_status();
}

Result<ByteView> ExtentReader::read(size_t size) {
  if (buffer_.size() - at_ < size) {
    WEFT_TRY_STATUS(fill(size));
  }
  const size_t step = std::min(size, buffer_.size() - at_);
  const ByteView view = as_bytes(std::string_view(buffer_).substr(at_, step));
  at_ += step;
  return view;
}

}  // namespace weft::rete::build

#include "weft/lance/read/read_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace weft::lance::read {

ReadMemory::~ReadMemory() {
  if (budget_ != nullptr) {
    budget_->give_back(used_bytes());
  }
}

Status ReadMemory::grow(uint64_t bytes) {
  const uint64_t before = used_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (before > bytes_max_ || bytes > bytes_max_ - before) {
    used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return Error(ErrorKind::kLimit, "reading a Lance file needs more memory than it may use")
        .with("bytes_max", bytes_max_)
        .with("wanted", bytes);
  }
  if (budget_ == nullptr) {
    return ok_status();
  }
  if (!budget_->try_reserve(bytes)) {
    used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return Error(ErrorKind::kLimit, "reading a Lance file needs more memory than is left")
        .with("budget_bytes", budget_->limit_bytes())
        .with("used_bytes", budget_->used_bytes())
        .with("wanted", bytes);
  }
  return ok_status();
}

void ReadMemory::shrink(uint64_t bytes) {
  used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (budget_ != nullptr) {
    budget_->give_back(bytes);
  }
}

GrowingBytes::GrowingBytes(GrowingBytes&& other) noexcept
    : memory_(other.memory_),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

GrowingBytes& GrowingBytes::operator=(GrowingBytes&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

GrowingBytes::~GrowingBytes() {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): realloc is what makes growing cheap
  std::free(data_);
  if (memory_ != nullptr && capacity_ != 0) {
    memory_->shrink(capacity_);
  }
}

Status GrowingBytes::enlarge(size_t more) {
  constexpr size_t kSizeMax = std::numeric_limits<size_t>::max() / 4;
  if (more > kSizeMax - size_) {
    return Error(ErrorKind::kLimit, "a buffer would become too long").with("bytes", more);
  }
  // From nothing exactly what is asked for, as the caller mostly knows.
  const size_t needed = size_ + more;
  const size_t capacity =
      capacity_ == 0 ? std::max(needed, kSlackBytes) : std::max(needed, capacity_ + capacity_ / 2);
  if (memory_ != nullptr) {
    WEFT_TRY_STATUS(memory_->grow(capacity - capacity_));
  }
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc)
  void* const grown = std::realloc(data_, capacity + kSlackBytes);
  if (grown == nullptr) {
    if (memory_ != nullptr) {
      memory_->shrink(capacity - capacity_);
    }
    return Error(ErrorKind::kLimit, "out of memory").with("bytes", capacity);
  }
  data_ = static_cast<std::byte*>(grown);
  capacity_ = capacity;
  return ok_status();
}

Status GrowingBytes::append(ByteView bytes) {
  if (bytes.empty()) {
    return ok_status();
  }
  WEFT_TRY(std::byte* const at, extend(bytes.size()));
  std::memcpy(at, bytes.data(), bytes.size());
  return ok_status();
}

Status GrowingBytes::append_zeros(size_t count) {
  if (count == 0) {
    return ok_status();
  }
  WEFT_TRY(std::byte* const at, extend(count));
  std::memset(at, 0, count);
  return ok_status();
}

columns::Buffer GrowingBytes::finish() {
  if (data_ == nullptr) {
    return {};
  }
  const ByteView bytes(data_, size_);
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc)
  std::shared_ptr<const void> owner(data_,
                                    [](const void* held) { std::free(const_cast<void*>(held)); });
  data_ = nullptr;
  size_ = 0;
  capacity_ = 0;
  return {std::move(owner), bytes};
}

}  // namespace weft::lance::read

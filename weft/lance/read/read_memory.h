// The memory of one read: every byte that decoding allocates is asked for here first, so that no
// length that a file claims leads to an allocation beyond the budget.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/base/budget.h"
#include "weft/base/result.h"
#include "weft/columns/buffer.h"

namespace weft::lance::read {

// Thread-safe. Gives everything back to the budget when destroyed.
class ReadMemory {
 public:
  // Both bounds hold. `budget` may be null and must outlive this.
  ReadMemory(base::MemoryBudget* budget, uint64_t bytes_max)
      : budget_(budget), bytes_max_(bytes_max) {}
  ReadMemory(const ReadMemory&) = delete;
  ReadMemory& operator=(const ReadMemory&) = delete;
  ~ReadMemory();

  // Errors: kLimit.
  Status grow(uint64_t bytes);
  void shrink(uint64_t bytes);
  uint64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  base::MemoryBudget* budget_;
  uint64_t bytes_max_;
  std::atomic<uint64_t> used_bytes_ = 0;
};

// Bytes that grow without being set to zero first. Stays readable for kSlackBytes behind its end,
// so that decoders may copy in words.
class GrowingBytes {
 public:
  static constexpr size_t kSlackBytes = 64;

  GrowingBytes() = default;
  explicit GrowingBytes(ReadMemory* memory) : memory_(memory) {}
  GrowingBytes(GrowingBytes&& other) noexcept;
  GrowingBytes& operator=(GrowingBytes&& other) noexcept;
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;
  ~GrowingBytes();

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  ByteView view() const { return {data_, size_}; }

  // Room for `more` bytes behind the end, kSlackBytes not counted. Errors: kLimit.
  Status reserve_more(size_t more) {
    return more <= capacity_ - size_ ? ok_status() : enlarge(more);
  }
  // The new bytes, uninitialised.
  Result<std::byte*> extend(size_t more) {
    WEFT_TRY_STATUS(reserve_more(more));
    std::byte* const at = data_ + size_;
    size_ += more;
    return at;
  }
  Status append(ByteView bytes);
  Status append_zeros(size_t count);
  // Only down, or up within what was reserved.
  void set_size(size_t size) { size_ = size; }
  void clear() { size_ = 0; }

  // The bytes as an immutable buffer; this is empty then. The charge stays with the memory.
  columns::Buffer finish();

 private:
  Status enlarge(size_t more);

  ReadMemory* memory_ = nullptr;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace weft::lance::read

// A growing array whose memory comes from the system page by page: growing moves no bytes, and
// releasing gives all of it back at once, so that a budget holds for the process and not only for
// what it believes to use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/base/check.h"

namespace weft::rete::build {

// Anonymous memory, zeroed. The process stops if the system has none left (as it does for `new`).
class PageBlock {
 public:
  PageBlock() = default;
  PageBlock(PageBlock&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PageBlock& operator=(PageBlock&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  PageBlock(const PageBlock&) = delete;
  PageBlock& operator=(const PageBlock&) = delete;
  ~PageBlock() { release(); }

  // At least `bytes`; what was there stays, perhaps elsewhere.
  void grow(size_t bytes);
  void release();
  void* start() const { return start_; }
  size_t bytes() const { return bytes_; }

 private:
  void* start_ = nullptr;
  size_t bytes_ = 0;
};

template <typename T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  T* data() { return static_cast<T*>(block_.start()); }
  const T* data() const { return static_cast<const T*>(block_.start()); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t memory_bytes() const { return block_.bytes(); }
  T& operator[](size_t index) { return data()[index]; }
  const T& operator[](size_t index) const { return data()[index]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

  void reserve(size_t count) {
    if (count * sizeof(T) > block_.bytes()) {
      block_.grow(std::max(count * sizeof(T), block_.bytes() + block_.bytes() / 2));
    }
  }
  // New elements are zero unless the place was used before.
  void resize(size_t count) {
    reserve(count);
    size_ = count;
  }
  void push_back(const T& value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void append(std::span<const T> values) {
    reserve(size_ + values.size());
    std::copy(values.begin(), values.end(), data() + size_);
    size_ += values.size();
  }
  // Keeps the memory.
  void clear() { size_ = 0; }
  void release() {
    block_.release();
    size_ = 0;
  }

 private:
  PageBlock block_;
  size_t size_ = 0;
};

}  // namespace weft::rete::build

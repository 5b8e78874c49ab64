// Bytes that nobody changes any more, with their owner: what arrays are made of.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/bytes.h"

namespace weft::columns {

// Cheap to copy; slices share the owner. Thread-safe, as whoever made it has stopped writing.
class Buffer {
 public:
  Buffer() = default;
  // `owner` keeps the bytes of `view` alive; null if they live for ever.
  Buffer(std::shared_ptr<const void> owner, ByteView view)
      : owner_(std::move(owner)), view_(view) {}
  static Buffer from(std::string&& text);
  template <typename T>
  static Buffer from(std::vector<T>&& values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    const ByteView view = std::as_bytes(std::span<const T>(*owner));
    return Buffer(std::move(owner), view);
  }

  ByteView view() const& { return view_; }
  const std::byte* data() const& { return view_.data(); }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  // `offset` + `size` must not pass the end.
  Buffer slice(size_t offset, size_t size) const { return {owner_, view_.subspan(offset, size)}; }

  // The value at position `index` if the buffer is an array of T. Buffers that come from files need
  // not be aligned, so values are copied out.
  template <typename T>
  T get(size_t index) const {
    T value;
    std::memcpy(&value, view_.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  // Bit `index`, low bit of each byte first.
  bool bit(size_t index) const {
    return ((static_cast<unsigned>(view_[index / 8]) >> (index % 8)) & 1U) != 0;
  }

 private:
  std::shared_ptr<const void> owner_;
  ByteView view_;
};

}  // namespace weft::columns

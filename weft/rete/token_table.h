// Many tokens in one block of memory. Not thread-safe; a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::rete {

class TokenTable {
 public:
  size_t size() const { return ends_.size(); }
  size_t text_bytes() const { return text_.size(); }
  // Views into the table, valid until it changes.
  std::string_view operator[](size_t index) const& {
    const uint64_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::string_view(text_).substr(begin, ends_[index] - begin);
  }
  std::string_view operator[](size_t index) && = delete;
  // All tokens, one behind the other; byte `at` belongs to token index_at(at), which ends before
  // byte end_of(index).
  std::string_view text() const& { return text_; }
  std::string_view text() && = delete;
  size_t index_at(size_t at) const {
    return static_cast<size_t>(std::ranges::upper_bound(ends_, at) - ends_.begin());
  }
  size_t begin_of(size_t index) const { return index == 0 ? 0 : ends_[index - 1]; }
  size_t end_of(size_t index) const { return ends_[index]; }

  void clear() {
    text_.clear();
    ends_.clear();
  }
  void reserve(size_t tokens, size_t bytes) {
    ends_.reserve(tokens);
    text_.reserve(bytes);
  }
  void add(std::string_view token) {
    text_.append(token);
    ends_.push_back(text_.size());
  }

 private:
  std::string text_;
  std::vector<uint64_t> ends_;
};

}  // namespace weft::rete

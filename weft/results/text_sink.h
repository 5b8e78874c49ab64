// Gathers small pieces of text and hands them to an output in large ones.
#pragma once

#include <string>
#include <string_view>

#include "weft/base/bytes.h"
#include "weft/rdfio/input.h"

namespace weft::results {

// Not thread-safe. `output` must outlive it.
class TextSink {
 public:
  explicit TextSink(rdfio::OutputStream& output) : output_(output) {}

  // To be appended to; call spill() now and then, and flush() at the end.
  std::string& buffer() { return buffer_; }
  Status spill() { return buffer_.size() < kBufferBytes ? ok_status() : flush(); }
  Status flush() {
    if (buffer_.empty()) {
      return ok_status();
    }
    Status status = output_.write(as_bytes(buffer_));
    buffer_.clear();
    return status;
  }

 private:
  static constexpr size_t kBufferBytes = size_t{64} << 10U;

  rdfio::OutputStream& output_;
  std::string buffer_;
};

}  // namespace weft::results

// Collects small pieces of text for an output.
#pragma once

#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/rdfio/input.h"

namespace weft::rdfio {

// `output` must outlive it. Not thread-safe.
class BufferedOutput {
 public:
  explicit BufferedOutput(OutputStream& output) : output_(output) {}

  // To append to.
  std::string& text() & { return text_; }
  // Hands the text on if there is enough of it. Errors: those of the output.
  Status flush_if_large() { return text_.size() < kFlushBytes ? ok_status() : flush(); }
  Status flush() {
    const Status status = output_.write(as_bytes(text_));
    text_.clear();
    return status;
  }

 private:
  static constexpr size_t kFlushBytes = size_t{256} * 1024;

  OutputStream& output_;
  std::string text_;
};

}  // namespace weft::rdfio

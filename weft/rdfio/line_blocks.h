// Cuts a stream at line ends into blocks that can be parsed independently.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdfio/input.h"
#include "weft/rdfio/parse.h"

namespace weft::rdfio {

// Whole lines; the last line of the input may lack its end. `text` is followed by kPaddingBytes
// zero bytes.
class LineBlock {
 public:
  std::string_view text() const& { return {bytes_.data(), size_}; }
  std::string_view text() && = delete;
  uint64_t first_line() const { return first_line_; }
  // Counts from 0.
  uint64_t sequence() const { return sequence_; }

 private:
  friend class LineBlocks;
  std::vector<char> bytes_;
  size_t size_ = 0;
  uint64_t first_line_ = 1;
  uint64_t sequence_ = 0;
};

// Not thread-safe. Skips a byte order mark at the start.
class LineBlocks {
 public:
  // A line longer than `line_size_max_bytes` is kLimit.
  LineBlocks(InputStream& input, std::string file_name, uint64_t line_size_max_bytes);

  // Replaces `block`, whose memory is used again; false at the end. Errors: kLimit; those of the
  // input.
  Result<bool> next(LineBlock& block);

  uint64_t bytes() const { return bytes_; }

 private:
  Status read_more(LineBlock& block, size_t wanted);

  InputStream& input_;
  std::string file_name_;
  uint64_t line_size_max_bytes_;
  std::string carry_;  // of the line that was cut
  bool at_start_ = true;
  bool ended_ = false;
  uint64_t bytes_ = 0;
  uint64_t next_line_ = 1;
  uint64_t next_sequence_ = 0;
};

}  // namespace weft::rdfio

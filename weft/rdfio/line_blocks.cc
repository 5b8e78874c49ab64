#include "weft/rdfio/line_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/rdfio/characters.h"
#include "weft/rdfio/place.h"

namespace weft::rdfio {
namespace {

// Small enough for the second-level cache together with what is made of it.
constexpr size_t kBlockBytes = size_t{256} * 1024;
constexpr size_t kBlockBytesMin = size_t{16} * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// How many bytes of `text`, which is not all of the input, are whole lines. A CR at the very end
// may be the first half of a line end.
size_t whole_lines(std::string_view text) {
  if (const size_t newline = text.rfind('\n'); newline != std::string_view::npos) {
    return newline + 1;
  }
  const size_t from = text.size() < 2 ? 0 : text.size() - 2;
  const size_t feed = text.size() < 2 ? std::string_view::npos : text.rfind('\r', from);
  return feed == std::string_view::npos ? 0 : feed + 1;
}

}  // namespace

LineBlocks::LineBlocks(InputStream& input, std::string file_name, uint64_t line_size_max_bytes)
    : input_(input), file_name_(std::move(file_name)), line_size_max_bytes_(line_size_max_bytes) {}

// Reads until the block holds `wanted` bytes or the input ends.
Status LineBlocks::read_more(LineBlock& block, size_t wanted) {
  while (block.size_ < wanted && !ended_) {
    size_t room = block.bytes_.size() - kPaddingBytes;
    if (block.size_ >= room) {
      // A small input gets a small block.
      room = std::min(std::max(room * 2, kBlockBytesMin), wanted);
      block.bytes_.resize(room + kPaddingBytes);
    }
    const std::span<char> free(block.bytes_.data() + block.size_, room - block.size_);
    WEFT_TRY(const size_t got, input_.read(std::as_writable_bytes(free)));
    ended_ = got == 0;
    block.size_ += got;
    bytes_ += got;
  }
  return ok_status();
}

Result<bool> LineBlocks::next(LineBlock& block) {
  block.sequence_ = next_sequence_++;
  block.first_line_ = next_line_;
  block.size_ = 0;
  size_t wanted = std::max(kBlockBytes, carry_.size() * 2);
  size_t lines_size = 0;
  while (true) {
    if (block.bytes_.size() < carry_.size() + kPaddingBytes) {
      block.bytes_.resize(carry_.size() + kPaddingBytes);
    }
    if (!carry_.empty()) {
      std::memcpy(block.bytes_.data(), carry_.data(), carry_.size());
      block.size_ = carry_.size();
      carry_.clear();
    }
    WEFT_TRY_STATUS(read_more(block, wanted));
    if (std::exchange(at_start_, false) && block.text().starts_with(kByteOrderMark)) {
      block.size_ -= kByteOrderMark.size();
      std::memmove(block.bytes_.data(), block.bytes_.data() + kByteOrderMark.size(), block.size_);
    }
    lines_size = ended_ ? block.size_ : whole_lines(block.text());
    if (lines_size != 0 || ended_) {
      break;
    }
    if (block.size_ > line_size_max_bytes_) {
      return Error(error_at(ErrorKind::kLimit, file_name_, {next_line_, 1}, "line is too long"))
          .with("line_size_max_bytes", line_size_max_bytes_);
    }
    wanted *= 2;
  }
  carry_.assign(block.bytes_.data() + lines_size, block.size_ - lines_size);
  block.size_ = lines_size;
  if (block.bytes_.size() < lines_size + kPaddingBytes) {
    // A worker that came after the end of the input has an empty block.
    block.bytes_.resize(lines_size + kPaddingBytes);
  }
  std::memset(block.bytes_.data() + lines_size, 0, kPaddingBytes);
  next_line_ += count_lines(block.text()).line_ends;
  return block.size_ != 0;
}

}  // namespace weft::rdfio

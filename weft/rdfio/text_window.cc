#include "weft/rdfio/text_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/rdf/utf8.h"
#include "weft/rdfio/characters.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr size_t kCapacityBytesMin = size_t{16} * 1024;

}  // namespace

TextWindow::TextWindow(InputStream& input) : input_(input), bytes_(kPaddingBytes) {}

Place TextWindow::place_of(const char* position) const {
  const std::string_view before(bytes_.data(), static_cast<size_t>(position - bytes_.data()));
  LineCount lines = count_lines(before);
  if (before.ends_with('\r') && *position == '\n') {
    --lines.line_ends;  // in the middle of a line end
  }
  const size_t columns = rdf::count_code_points(before.substr(lines.last_line_start));
  return {start_.line + lines.line_ends, (lines.line_ends == 0 ? start_.column : 1) + columns};
}

void TextWindow::discard() {
  start_ = place_of(at());
  std::memmove(bytes_.data(), bytes_.data() + at_, size_ - at_);
  size_ -= at_;
  at_ = 0;
}

Status TextWindow::refill(size_t wanted_bytes) {
  discard();
  // Twice the room, so that what is kept is moved once for every as many bytes read. A small text
  // gets a small window.
  const size_t capacity_max = std::max(wanted_bytes, kRoomBytes) * 2;
  while (!ended_ && size_ < capacity_max) {
    size_t capacity = bytes_.size() - kPaddingBytes;
    if (size_ == capacity) {
      capacity = std::min(std::max(capacity * 2, kCapacityBytesMin), capacity_max);
      bytes_.resize(capacity + kPaddingBytes);
    }
    const std::span<char> free(bytes_.data() + size_, std::min(capacity, capacity_max) - size_);
    WEFT_TRY(const size_t got, input_.read(std::as_writable_bytes(free)));
    ended_ = got == 0;
    size_ += got;
    read_bytes_ += got;
  }
  std::memset(bytes_.data() + size_, 0, kPaddingBytes);
  if (!std::exchange(started_, true) &&
      std::string_view(bytes_.data(), size_).starts_with(kByteOrderMark)) {
    size_ -= kByteOrderMark.size();
    std::memmove(bytes_.data(), bytes_.data() + kByteOrderMark.size(), size_ + kPaddingBytes);
  }
  return ok_status();
}

}  // namespace weft::rdfio

#include "weft/codec/stream.h"

#include <algorithm>
#include <cstring>

namespace weft::codec {

Result<size_t> MemoryInputView::read(std::span<std::byte> out) {
  const size_t size = std::min(out.size(), rest_.size());
  if (size != 0) {
    std::memcpy(out.data(), rest_.data(), size);
  }
  rest_.remove_prefix(size);
  return size;
}

Status StringOutput::write(ByteView bytes) {
  text_.append(as_text(bytes));
  return ok_status();
}

}  // namespace weft::codec

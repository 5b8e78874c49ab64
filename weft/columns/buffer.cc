#include "weft/columns/buffer.h"

namespace weft::columns {

Buffer Buffer::from(std::string&& text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const ByteView view = as_bytes(*owner);
  return {std::move(owner), view};
}

}  // namespace weft::columns

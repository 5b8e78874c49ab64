#include "cli/text_file.h"

#include <array>

#include "weft/rdfio/input.h"

namespace weft::cli {

Result<std::string> read_text_file(const std::string& path, uint64_t size_max_bytes) {
  WEFT_TRY(auto input, rdfio::open_input(path));
  std::string text;
  std::array<std::byte, 16384> piece{};
  while (true) {
    WEFT_TRY(const size_t size, input->read(piece));
    if (size == 0) {
      return text;
    }
    if (size > size_max_bytes - text.size()) {
      return Error(ErrorKind::kLimit, "file is too long")
          .with("file", path)
          .with("limit_bytes", size_max_bytes);
    }
    text += as_text(ByteView(piece).first(size));
  }
}

}  // namespace weft::cli

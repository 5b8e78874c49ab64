// The texts of a page as they are stored: plain, FSST codes, or zstd frames.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/lance/layout/encoding.h"
#include "weft/lance/write/page_rows.h"

namespace weft::lance::write {

struct TextCodes {
  layout::Encoding encoding;
  // Empty: the page's own.
  std::vector<uint64_t> code_ends;
  std::unique_ptr<uint8_t[]> codes;

  std::span<const uint64_t> ends(const PageRows& rows) const {
    return codes == nullptr ? std::span<const uint64_t>(rows.offsets) : code_ends;
  }
  std::span<const uint8_t> bytes(const PageRows& rows) const {
    return codes == nullptr ? std::span<const uint8_t>(rows.values)
                            : std::span<const uint8_t>(codes.get(), code_ends.back());
  }
};

// `longest` is the size of the longest text. Texts that do not get smaller stay plain.
TextCodes encode_texts(const PageRows& rows, bool large, uint64_t longest);

}  // namespace weft::lance::write

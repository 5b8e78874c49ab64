// A page ready to be written: its buffers and what the file's metadata says of them; and the
// functions that make one in each of the three layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/lance/layout/encoding.h"
#include "weft/lance/layout/file_layout.h"
#include "weft/lance/write/chunk_values.h"
#include "weft/lance/write/levels.h"
#include "weft/lance/write/page_rows.h"

namespace weft::lance::write {

// Bytes of a page as they came to be: written out, or the gathered values themselves.
class PageBuffer {
 public:
  explicit PageBuffer(std::string text) : text_(std::move(text)) {}
  explicit PageBuffer(std::vector<uint8_t> octets) : octets_(std::move(octets)) {}

  size_t size() const { return text_.size() + octets_.size(); }
  ByteView view() const& {
    return octets_.empty() ? as_bytes(text_) : std::as_bytes(std::span(octets_));
  }
  ByteView view() && = delete;

 private:
  // One of them is empty.
  std::string text_;
  std::vector<uint8_t> octets_;
};

struct EncodedPage {
  uint64_t first_row = 0;
  uint64_t row_count = 0;
  std::vector<PageBuffer> buffers;
  layout::PageLayout layout;

  uint64_t bytes() const;
};

// Values that chunks point at by index.
struct PageDictionary {
  layout::Encoding encoding;
  std::string bytes;
  uint64_t item_count = 0;
};

// Events that one chunk takes at most: their counts and sizes are numbers of 16 bits.
inline constexpr uint64_t kChunkEventsMax = 4096;

// Chunks of values with their levels. Nothing if a chunk of two items would pass kChunkEventsMax
// (thousands of empty lists inside one list of lists): such a page is a full-zip page.
std::optional<EncodedPage> mini_block_page(const PageRows& rows, const Levels& levels,
                                           const ChunkValues& values,
                                           std::optional<PageDictionary> dictionary,
                                           layout::FileVersion version);

// Values with their levels one by one. `values` says what the bytes of a value are.
// kFixed: the rows' values, with a bit for each item in front if some items are null. Values that
// need nothing beside them are taken out of `rows`.
EncodedPage full_zip_fixed_page(PageRows& rows, const Levels& levels, const ValueShape& shape);
// Texts cut by `ends`, which are the rows' own or codes made from them.
struct ZippedTexts {
  std::span<const uint64_t> ends;
  std::span<const uint8_t> bytes;
  layout::Encoding encoding;
  bool large = false;
};
EncodedPage full_zip_text_page(const PageRows& rows, const Levels& levels,
                               const ZippedTexts& texts);

// One value, or none, for all slots. `value`: none means null. `shape` kText: the value stands in a
// buffer of its own (2.2 only), else in the layout.
EncodedPage constant_page(const PageRows& rows, const Levels& levels, const ValueShape& shape,
                          const std::optional<std::string>& value, layout::FileVersion version);

}  // namespace weft::lance::write

#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/lance/write/encoded_page.h"
#include "weft/lance/write/words.h"

namespace weft::lance::write {

using layout::Encoding;

namespace {

void append_number(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(value >> (8 * i) & 0xffU));
  }
}

// The control words of a page, and where its rows begin.
class Zipper {
 public:
  Zipper(const PageRows& rows, const Levels& levels, bool wants_index)
      : rows_(rows), levels_(levels), wants_index_(wants_index) {
    layout_.repetition_bits =
        levels.has_repetition ? static_cast<uint64_t>(std::bit_width(levels.repetition_max)) : 0;
    layout_.definition_bits = static_cast<uint64_t>(std::bit_width(levels.definition_max));
    const uint64_t bits = layout_.repetition_bits + layout_.definition_bits;
    word_bytes_ = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    layout_.slot_count = rows.event_count;
    layout_.visible_count = rows.slot_count;
    layout_.layers = levels.layers;
  }

  layout::FullZipLayout& layout() { return layout_; }
  // Nothing but values of a fixed width: a plain array.
  bool is_plain() const { return word_bytes_ == 0 && !wants_index_; }
  EncodedPage finish_plain(std::vector<uint8_t> values) && {
    EncodedPage page;
    page.first_row = rows_.first_row;
    page.row_count = rows_.row_count;
    page.buffers.emplace_back(std::move(values));
    page.layout = std::move(layout_);
    return page;
  }
  void reserve(uint64_t value_bytes) {
    data_.reserve(value_bytes + rows_.event_count * word_bytes_);
  }

  // `put(slot, is_null, out)` appends the value of each visible event.
  template <typename Put>
  void run(Put put) {
    uint64_t slot = 0;
    for (uint64_t event = 0; event < rows_.event_count; ++event) {
      if (wants_index_ && levels_.begins_row(event)) {
        row_begins_.push_back(data_.size());
      }
      const uint64_t definition = levels_.has_definition ? levels_.definition[event] : 0;
      if (word_bytes_ != 0) {
        const uint64_t repetition = levels_.has_repetition ? levels_.repetition[event] : 0;
        append_number(data_, repetition << layout_.definition_bits | definition, word_bytes_);
      }
      if (levels_.is_visible(event)) {
        put(slot, definition != 0, data_);
        ++slot;
      }
    }
  }

  EncodedPage finish() && {
    EncodedPage page;
    page.first_row = rows_.first_row;
    page.row_count = rows_.row_count;
    std::string index;
    if (wants_index_) {
      row_begins_.push_back(data_.size());
      const size_t width = data_.size() <= 0xff          ? 1
                           : data_.size() <= 0xffff      ? 2
                           : data_.size() <= 0xffff'ffff ? 4
                                                         : 8;
      index.reserve(row_begins_.size() * width);
      for (const uint64_t begin : row_begins_) {
        append_number(index, begin, width);
      }
    }
    page.buffers.emplace_back(std::move(data_));
    if (wants_index_) {
      page.buffers.emplace_back(std::move(index));
    }
    page.layout = std::move(layout_);
    return page;
  }

 private:
  const PageRows& rows_;
  const Levels& levels_;
  bool wants_index_;
  layout::FullZipLayout layout_;
  size_t word_bytes_ = 0;
  std::string data_;
  std::vector<uint64_t> row_begins_;
};

}  // namespace

EncodedPage full_zip_fixed_page(PageRows& rows, const Levels& levels, const ValueShape& shape) {
  const bool item_nulls = std::find(rows.item_validity.begin(), rows.item_validity.end(), 0) !=
                          rows.item_validity.end();
  const uint64_t items = shape.items();
  const uint64_t validity_bytes = item_nulls ? (items + 7) / 8 : 0;
  const uint64_t size = shape.gathered_bytes();
  Encoding encoding = Encoding::flat(shape.bits);
  for (size_t i = shape.lists.size(); i-- > 0;) {
    encoding = Encoding::fixed_size_list(shape.lists[i], std::move(encoding), item_nulls && i == 0);
  }
  Zipper zipper(rows, levels, levels.has_repetition);
  zipper.layout().bits_per_value = 8 * (validity_bytes + size);
  zipper.layout().values = std::move(encoding);
  if (zipper.is_plain() && validity_bytes == 0) {
    return std::move(zipper).finish_plain(std::move(rows.values));
  }
  zipper.reserve(rows.slot_count * (validity_bytes + size));
  zipper.run([&](uint64_t slot, bool, std::string& out) {
    for (uint64_t i = 0; i < validity_bytes; ++i) {
      uint32_t octet = 0;
      for (uint64_t k = 8 * i; k < std::min(items, 8 * i + 8); ++k) {
        octet |= static_cast<uint32_t>(rows.item_validity[slot * items + k]) << (k % 8);
      }
      out.push_back(static_cast<char>(octet));
    }
    append_octets(out, std::span(rows.values).subspan(slot * size, size));
  });
  return std::move(zipper).finish();
}

EncodedPage full_zip_text_page(const PageRows& rows, const Levels& levels,
                               const ZippedTexts& texts) {
  const size_t length_bytes = texts.large ? 8 : 4;
  Zipper zipper(rows, levels, true);
  zipper.layout().bits_per_offset = 8 * length_bytes;
  zipper.layout().values = texts.encoding;
  zipper.reserve(texts.bytes.size() + rows.slot_count * length_bytes);
  zipper.run([&](uint64_t slot, bool is_null, std::string& out) {
    if (is_null) {
      return;
    }
    const uint64_t begin = texts.ends[slot];
    const uint64_t size = texts.ends[slot + 1] - begin;
    append_number(out, size, length_bytes);
    append_octets(out, texts.bytes.subspan(begin, size));
  });
  return std::move(zipper).finish();
}

}  // namespace weft::lance::write

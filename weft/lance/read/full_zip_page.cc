// Full-zip pages: slot after slot, each a control word with the levels and, if it is visible, a
// value. For wide values: one row can be read alone.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "weft/codec/fsst_decoder.h"
#include "weft/lance/read/page.h"
#include "weft/lance/read/value_decoder.h"

namespace weft::lance::read {
namespace {

using layout::Encoding;
using layout::EncodingKind;
using layout::Extent;
using layout::FullZipLayout;

uint64_t load_number(ByteView bytes, uint64_t offset, size_t width) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, width);
  return value;
}

// How the values of slots are written.
struct SlotForm {
  size_t control_bytes = 0;
  unsigned repetition_bits = 0;
  unsigned definition_bits = 0;
  size_t value_bytes = 0;     // fixed width, the validity of items included
  size_t validity_bytes = 0;  // in front of each value
  size_t length_bytes = 0;    // variable width
  bool bools_are_bytes = false;
  bool is_fixed() const { return length_bytes == 0; }
};

class FullZipPage final : public Page {
 public:
  FullZipPage(const LeafPath& path, const layout::PageDescription& description,
              FullZipLayout layout, LevelMap map, SlotForm form,
              std::optional<codec::FsstDecoder> fsst)
      : Page(description.length),
        path_(path),
        buffers_(description.buffers),
        layout_(std::move(layout)),
        map_(std::move(map)),
        form_(form),
        fsst_(fsst) {}

  uint64_t kept_bytes() const override { return sizeof(*this); }
  bool is_plain() const override { return form_.is_fixed() && form_.control_bytes == 0; }
  std::unique_ptr<PageRequest> request(std::vector<IndexRange> rows, ReadMemory& memory) override;

  const LeafPath& path() const { return path_; }
  const FullZipLayout& layout() const { return layout_; }
  const LevelMap& map() const { return map_; }
  const SlotForm& form() const { return form_; }
  const Extent& slots() const { return buffers_[0]; }
  const Extent& row_index() const { return buffers_[1]; }
  // Null: values are not encoded so.
  const codec::FsstDecoder* fsst() const {
    return fsst_.has_value() && fsst_->is_on() ? &*fsst_ : nullptr;
  }
  bool has_row_index() const { return !form_.is_fixed() || form_.repetition_bits != 0; }
  // Bytes of one entry of the row index.
  size_t index_width() const { return row_index().size / (row_count() + 1); }

 private:
  const LeafPath& path_;
  std::vector<Extent> buffers_;
  FullZipLayout layout_;
  LevelMap map_;
  SlotForm form_;
  std::optional<codec::FsstDecoder> fsst_;
};

class FullZipRequest final : public PageRequest {
 public:
  FullZipRequest(FullZipPage& page, std::vector<IndexRange> rows, ReadMemory& memory)
      : page_(page), rows_(std::move(rows)), memory_(memory) {}

  Status next_ranges(std::vector<storage::Range>& out) override {
    switch (stage_) {
      case Stage::kIndex:
        if (page_.has_row_index()) {
          return index_ranges(out);
        }
        stage_ = Stage::kSlots;
        return slot_ranges(out);
      case Stage::kSlots:
        return slot_ranges(out);
      case Stage::kReady:
        break;
    }
    return ok_status();
  }

  Status give(std::span<const storage::Buffer> buffers) override {
    if (stage_ == Stage::kIndex) {
      stage_ = Stage::kSlots;
      return take_index(buffers);
    }
    stage_ = Stage::kReady;
    buffers_.assign(buffers.begin(), buffers.end());
    return ok_status();
  }

  Status decode(LeafOutput& out) override {
    for (size_t i = 0; i < rows_.size(); ++i) {
      const ByteView slots = buffers_[i].view();
      if (page_.is_plain()) {
        WEFT_TRY_STATUS(decode_plain(buffers_[i], rows_[i].size(), out));
      } else {
        WEFT_TRY_STATUS(decode_slots(slots, rows_[i].size(), out));
      }
    }
    return ok_status();
  }

 private:
  enum class Stage : uint8_t { kIndex, kSlots, kReady };

  Status index_ranges(std::vector<storage::Range>& out) const {
    const size_t width = page_.index_width();
    for (const IndexRange range : rows_) {
      WEFT_TRY(const storage::Range part,
               part_of(page_.row_index(), range.begin * width, (range.size() + 1) * width));
      out.push_back(part);
    }
    return ok_status();
  }

  Status take_index(std::span<const storage::Buffer> buffers) {
    const size_t width = page_.index_width();
    for (size_t i = 0; i < rows_.size(); ++i) {
      const ByteView index = buffers[i].view();
      const uint64_t begin = load_number(index, 0, width);
      const uint64_t end = load_number(index, rows_[i].size() * width, width);
      if (end < begin) {
        return page_damaged("a row index ascends");
      }
      slots_.push_back({begin, end});
    }
    return ok_status();
  }

  Status slot_ranges(std::vector<storage::Range>& out) {
    if (slots_.empty()) {
      const size_t stride = page_.form().control_bytes + page_.form().value_bytes;
      for (const IndexRange range : rows_) {
        slots_.push_back({range.begin * stride, range.end * stride});
      }
    }
    for (const IndexRange range : slots_) {
      WEFT_TRY(const storage::Range part, part_of(page_.slots(), range.begin, range.size()));
      out.push_back(part);
    }
    return ok_status();
  }

  // No control words: the slots are the values.
  Status decode_plain(const storage::Buffer& slots, uint64_t count, LeafOutput& out) const {
    WEFT_TRY_STATUS(out.append_levels(page_.map(), {}, {}, count));
    const SlotForm& form = page_.form();
    if (form.validity_bytes != 0 || form.bools_are_bytes) {
      for (uint64_t i = 0; i < count; ++i) {
        WEFT_TRY_STATUS(
            take_fixed(slots.view().subspan(i * form.value_bytes, form.value_bytes), out.values));
      }
      return ok_status();
    }
    if (page_.path().shape.kind == LeafShape::Kind::kBits) {
      return out.values.append_bits(slots.view(), 0, count);
    }
    if (rows_.size() == 1) {
      auto owner = std::make_shared<const storage::Buffer>(slots);
      const ByteView view = owner->view();
      return out.values.append_or_adopt(columns::Buffer(std::move(owner), view));
    }
    return out.values.append_fixed(slots.view());
  }

  Status take_fixed(ByteView value, LeafValues& values) const {
    const size_t skip = page_.form().validity_bytes;
    const ByteView items = value.subspan(skip);
    if (page_.path().shape.kind == LeafShape::Kind::kBits) {
      WEFT_TRY_STATUS(values.append_bits(items, 0, 1));
    } else {
      WEFT_TRY_STATUS(values.append_fixed(items));
    }
    if (skip == 0) {
      return ok_status();
    }
    // The validity of each level in whole bytes, from the outermost in.
    const IndexRange one{0, 1};
    const Encoding* list = &page_.layout().values;
    const std::vector<uint64_t>& level_items = page_.path().shape.level_items;
    for (size_t level = 0; level < level_items.size(); ++level) {
      if (list->has_validity) {
        WEFT_TRY_STATUS(values.append_item_validity_ranges(level, value, std::span(&one, 1), 1));
        value = value.subspan((level_items[level] + 7) / 8);
      }
      list = &list->children[0];
    }
    return ok_status();
  }

  Status take_variable(ByteView value, LeafValues& values) const {
    const Encoding& encoding = page_.layout().values;
    if (const codec::FsstDecoder* const fsst = page_.fsst(); fsst != nullptr) {
      GrowingBytes& text = values.bytes();
      WEFT_TRY_STATUS(text.reserve_more(codec::FsstDecoder::decoded_size_max(value.size()) +
                                        codec::FsstDecoder::kSlackBytes));
      auto* const begin = reinterpret_cast<uint8_t*>(text.data());
      const uint8_t* const end = fsst->decode(value, begin + text.size());
      if (end == nullptr) {
        return page_damaged("every FSST code has a symbol");
      }
      text.set_size(static_cast<size_t>(end - begin));
      return values.end_text();
    }
    if (encoding.kind == EncodingKind::kGeneral) {
      WEFT_TRY_STATUS(decompress(encoding.scheme, value, values.bytes()));
      return values.end_text();
    }
    return values.append_text(value);
  }

  Status decode_slots(ByteView slots, uint64_t row_count, LeafOutput& out);

  FullZipPage& page_;
  std::vector<IndexRange> rows_;
  ReadMemory& memory_;
  Stage stage_ = Stage::kIndex;
  std::vector<IndexRange> slots_;  // bytes of the slots of `rows_`
  std::vector<storage::Buffer> buffers_;
};

Status FullZipRequest::decode_slots(ByteView slots, uint64_t row_count, LeafOutput& out) {
  const SlotForm& form = page_.form();
  Levels repetition;
  Levels definition;
  const uint32_t definition_mask = (1U << form.definition_bits) - 1;
  uint64_t rows = 0;
  uint64_t events = 0;
  size_t at = 0;
  if (form.is_fixed()) {
    WEFT_TRY_STATUS(out.values.reserve(row_count));
  }
  // A slot takes at least one byte, so that the levels are bounded by the bytes.
  WEFT_TRY_STATUS(
      memory_.grow(slots.size() / std::max<size_t>(1, form.control_bytes + form.length_bytes) * 4));
  while (at < slots.size()) {
    if (form.control_bytes > slots.size() - at) {
      return page_damaged("a slot is whole");
    }
    const auto control = static_cast<uint32_t>(load_number(slots, at, form.control_bytes));
    at += form.control_bytes;
    const auto level = static_cast<uint16_t>(control & definition_mask);
    const auto repeated = static_cast<uint16_t>(control >> form.definition_bits);
    if (form.definition_bits != 0) {
      definition.push_back(level);
    }
    if (form.repetition_bits != 0) {
      repetition.push_back(repeated);
      rows += repeated == page_.map().list_count() ? 1 : 0;
    } else {
      ++rows;
    }
    ++events;
    if (level > page_.map().visible_max()) {
      continue;
    }
    if (form.is_fixed()) {
      if (form.value_bytes > slots.size() - at) {
        return page_damaged("a slot is whole");
      }
      WEFT_TRY_STATUS(take_fixed(slots.subspan(at, form.value_bytes), out.values));
      at += form.value_bytes;
      continue;
    }
    if (level != 0) {
      WEFT_TRY_STATUS(out.values.end_text());
      continue;
    }
    if (form.length_bytes > slots.size() - at) {
      return page_damaged("a slot is whole");
    }
    const uint64_t length = load_number(slots, at, form.length_bytes);
    at += form.length_bytes;
    if (length > slots.size() - at) {
      return page_damaged("a slot is whole");
    }
    WEFT_TRY_STATUS(take_variable(slots.subspan(at, length), out.values));
    at += length;
  }
  if (rows != row_count) {
    return page_damaged("slots make up the rows that the row index says");
  }
  if (!repetition.empty() && repetition.front() != page_.map().list_count()) {
    return page_damaged("a row index points at the first slot of a row");
  }
  return out.append_levels(page_.map(), repetition, definition, events);
}

std::unique_ptr<PageRequest> FullZipPage::request(std::vector<IndexRange> rows,
                                                  ReadMemory& memory) {
  return std::make_unique<FullZipRequest>(*this, std::move(rows), memory);
}

// What a fixed-width value takes, and how much of it is validity.
Status fit_fixed(const LeafPath& path, const FullZipLayout& layout, SlotForm& form) {
  if (path.shape.kind == LeafShape::Kind::kBits && path.shape.level_items.empty() &&
      layout.values.kind == EncodingKind::kFlat && layout.values.number == 8 &&
      layout.bits_per_value == 8U) {
    form.value_bytes = 1;  // a bool: 0 or 1
    form.bools_are_bytes = true;
    return ok_status();
  }
  if ((path.shape.kind != LeafShape::Kind::kFixed && path.shape.kind != LeafShape::Kind::kBits) ||
      !has_list_levels(layout.values, path.shape)) {
    return encoding_refused(layout.values, "slots of this type");
  }
  const Encoding* list = &layout.values;
  for (const uint64_t items : path.shape.level_items) {
    form.validity_bytes += list->has_validity ? static_cast<size_t>((items + 7) / 8) : 0;
    list = &list->children[0];
  }
  if (path.shape.bits % 8 != 0) {
    return encoding_refused(layout.values, "slots that are no whole bytes");
  }
  form.value_bytes = form.validity_bytes + path.shape.bytes();
  if (layout.bits_per_value != form.value_bytes * 8) {
    return page_damaged("slots have the width of their values");
  }
  return ok_status();
}

Status fit_variable(const LeafPath& path, const FullZipLayout& layout, SlotForm& form,
                    std::optional<codec::FsstDecoder>& fsst) {
  const uint64_t bits = layout.bits_per_offset.value_or(0);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    return page_damaged("the lengths of slots are whole numbers");
  }
  form.length_bytes = static_cast<size_t>(bits / 8);
  const Encoding& encoding = layout.values;
  const Encoding& inner = encoding.children.empty() ? encoding : encoding.children[0];
  if (path.shape.kind != LeafShape::Kind::kText ||
      (encoding.kind != EncodingKind::kVariable && encoding.kind != EncodingKind::kFsst &&
       encoding.kind != EncodingKind::kGeneral) ||
      (encoding.kind != EncodingKind::kVariable && inner.kind != EncodingKind::kVariable)) {
    return encoding_refused(encoding, "slots of this type");
  }
  if (encoding.kind == EncodingKind::kFsst) {
    WEFT_TRY(fsst, codec::FsstDecoder::parse(as_bytes(encoding.bytes)));
  }
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<Page>> make_full_zip_page(const LeafPath& path,
                                                 const layout::PageDescription& description,
                                                 FullZipLayout layout, ReadMemory& kept) {
  WEFT_TRY_STATUS(kept.grow(sizeof(FullZipPage)));
  WEFT_TRY(LevelMap map, LevelMap::make(path, layout.layers));
  if (layout.repetition_bits > 16 || layout.definition_bits > 16 ||
      (layout.repetition_bits != 0) != (map.list_count() != 0)) {
    return page_damaged("control words have the levels of the layers");
  }
  SlotForm form;
  form.repetition_bits = static_cast<unsigned>(layout.repetition_bits);
  form.definition_bits = static_cast<unsigned>(layout.definition_bits);
  const unsigned bits = form.repetition_bits + form.definition_bits;
  form.control_bytes = bits == 0 ? 0 : std::bit_ceil((bits + 7) / 8);
  std::optional<codec::FsstDecoder> fsst;
  if (layout.bits_per_value) {
    WEFT_TRY_STATUS(fit_fixed(path, layout, form));
  } else {
    WEFT_TRY_STATUS(fit_variable(path, layout, form, fsst));
  }
  const bool indexed = !form.is_fixed() || form.repetition_bits != 0;
  if (description.buffers.size() < (indexed ? 2U : 1U)) {
    return page_damaged("a full-zip page has slots and, if rows differ in size, a row index");
  }
  if (indexed) {
    const uint64_t entries = description.length + 1;
    const uint64_t width = description.buffers[1].size / entries;
    if (description.buffers[1].size % entries != 0 ||
        (width != 1 && width != 2 && width != 4 && width != 8)) {
      return page_damaged("a row index has an entry for every row and one more");
    }
  }
  return std::make_unique<FullZipPage>(path, description, std::move(layout), std::move(map), form,
                                       fsst);
}

}  // namespace weft::lance::read

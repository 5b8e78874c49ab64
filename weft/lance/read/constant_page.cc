// Constant pages: one value for every item, or no value at all.
#include <algorithm>
#include <cstring>
#include <optional>

#include "weft/base/mutex.h"
#include "weft/codec/varint.h"
#include "weft/lance/read/page.h"

namespace weft::lance::read {
namespace {

using layout::ConstantLayout;
using layout::Extent;

// What the buffers of the page hold, decoded.
struct ConstantContent {
  std::optional<std::string> value;
  Levels repetition;
  Levels definition;
};

class ConstantPage final : public Page {
 public:
  ConstantPage(const LeafPath& path, const layout::PageDescription& description,
               ConstantLayout layout, LevelMap map, ReadMemory& kept)
      : Page(description.length),
        path_(path),
        buffers_(description.buffers),
        layout_(std::move(layout)),
        map_(std::move(map)),
        kept_(kept) {}

  uint64_t kept_bytes() const override {
    uint64_t bytes = sizeof(*this);
    for (const Extent& extent : buffers_) {
      bytes += extent.size * 2;
    }
    return bytes;
  }
  std::unique_ptr<PageRequest> request(std::vector<IndexRange> rows, ReadMemory& memory) override;

  std::shared_ptr<const ConstantContent> content() {
    const base::MutexLock lock(mutex_);
    return content_;
  }
  void content_ranges(std::vector<storage::Range>& out) const {
    for (const Extent& extent : buffers_) {
      out.push_back({extent.position, extent.size});
    }
  }
  Result<std::shared_ptr<const ConstantContent>> make_content(
      std::span<const storage::Buffer> buffers);

  const LeafPath& path() const { return path_; }
  const LevelMap& map() const { return map_; }
  bool has_buffers() const { return !buffers_.empty(); }

 private:
  Result<std::string> value_in(ByteView buffer) const;
  Status read_levels(ByteView bytes, const std::optional<layout::Encoding>& encoding,
                     uint64_t count, Levels& out);

  const LeafPath& path_;
  std::vector<Extent> buffers_;
  ConstantLayout layout_;
  LevelMap map_;
  ReadMemory& kept_;
  base::Mutex mutex_;
  std::shared_ptr<const ConstantContent> content_ WEFT_GUARDED_BY(mutex_);
};

// A value too long to stand in the layout: u32 count, the u32 lengths of so many buffers, the
// buffers of an array of one: offsets and bytes, or the bytes alone if all values are as wide.
Result<std::string> ConstantPage::value_in(ByteView buffer) const {
  codec::ByteReaderView reader(buffer);
  const uint32_t count = reader.u32();
  if (!reader.ok() || count < 1 || count > 3) {
    return page_damaged("a constant outside of its layout has its buffers");
  }
  std::vector<uint64_t> sizes;
  sizes.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    sizes.push_back(reader.u32());
  }
  if (path_.shape.kind != LeafShape::Kind::kText) {
    const ByteView value = reader.bytes(sizes[0]);
    if (!reader.ok()) {
      return page_damaged("a constant of fixed width lies inside its buffer");
    }
    return to_text(value);
  }
  codec::ByteReaderView offsets(reader.bytes(sizes[0]));
  const ByteView bytes = count > 1 ? reader.bytes(sizes[1]) : ByteView();
  const bool large = path_.shape.large_offsets;
  const uint64_t begin = large ? offsets.u64() : offsets.u32();
  const uint64_t end = large ? offsets.u64() : offsets.u32();
  if (!reader.ok() || !offsets.ok() || begin > end || end > bytes.size()) {
    return page_damaged("a constant of variable width lies inside its buffers");
  }
  return to_text(bytes.subspan(begin, end - begin));
}

Status ConstantPage::read_levels(ByteView bytes, const std::optional<layout::Encoding>& encoding,
                                 uint64_t count, Levels& out) {
  if (bytes.empty()) {
    return ok_status();
  }
  const layout::Encoding plain = layout::Encoding::flat(16);
  const uint64_t levels = encoding ? count : bytes.size() / sizeof(uint16_t);
  if (levels > kLevelsMax) {
    return Error(ErrorKind::kLimit, "too many levels in one page")
        .with("levels", levels)
        .with("levels_max", kLevelsMax);
  }
  WEFT_TRY_STATUS(kept_.grow(levels * sizeof(uint16_t)));
  return decode_levels(encoding ? *encoding : plain, bytes, levels, kept_, out);
}

Result<std::shared_ptr<const ConstantContent>> ConstantPage::make_content(
    std::span<const storage::Buffer> buffers) {
  auto made = std::make_shared<ConstantContent>();
  size_t next = 0;
  if (layout_.inline_value) {
    made->value = *layout_.inline_value;
  } else if (buffers.size() % 2 == 1) {
    WEFT_TRY(made->value, value_in(buffers[next++].view()));
  }
  if (buffers.size() >= next + 2) {
    WEFT_TRY_STATUS(read_levels(buffers[next].view(), layout_.repetition, layout_.repetition_count,
                                made->repetition));
    WEFT_TRY_STATUS(read_levels(buffers[next + 1].view(), layout_.definition,
                                layout_.definition_count, made->definition));
  }
  if (map_.list_count() == 0) {
    if (!made->repetition.empty() ||
        (!made->definition.empty() && made->definition.size() != row_count())) {
      return page_damaged("a constant page has a level for every row");
    }
  } else if (!made->definition.empty() && made->definition.size() != made->repetition.size()) {
    return page_damaged("a constant page has as many levels of both kinds");
  }
  const LeafShape& shape = path_.shape;
  if (made->value.has_value() && shape.kind != LeafShape::Kind::kText &&
      made->value.value().size() != (shape.bits + 7) / 8) {
    return page_damaged("a constant has the width of its column");
  }
  const base::MutexLock lock(mutex_);
  if (content_ == nullptr) {
    content_ = std::move(made);
  }
  return content_;
}

class ConstantRequest final : public PageRequest {
 public:
  ConstantRequest(ConstantPage& page, std::vector<IndexRange> rows)
      : page_(page), rows_(std::move(rows)), content_(page.content()) {}

  Status next_ranges(std::vector<storage::Range>& out) override {
    if (content_ == nullptr) {
      page_.content_ranges(out);
    }
    return ok_status();
  }
  Status give(std::span<const storage::Buffer> buffers) override {
    WEFT_TRY(content_, page_.make_content(buffers));
    return ok_status();
  }

  Status decode(LeafOutput& out) override {
    if (content_ == nullptr) {
      WEFT_TRY(content_, page_.make_content({}));
    }
    const ConstantContent& content = *content_;
    std::vector<IndexRange> events = rows_;
    if (page_.map().list_count() != 0) {
      if (content.repetition.empty()) {
        return page_damaged("a constant page with lists has repetition levels");
      }
      WEFT_TRY(events, events_of_rows(content.repetition, page_.map().list_count(), 0, rows_));
    }
    for (const IndexRange range : events) {
      WEFT_TRY_STATUS(take(content, range, out));
    }
    return ok_status();
  }

 private:
  Status take(const ConstantContent& content, IndexRange range, LeafOutput& out) const {
    const std::span<const uint16_t> definition(content.definition);
    const std::span<const uint16_t> repetition(content.repetition);
    uint64_t visible = range.size();
    if (!definition.empty()) {
      const auto levels = definition.subspan(range.begin, range.size());
      visible =
          static_cast<uint64_t>(std::count_if(levels.begin(), levels.end(), [&](uint16_t level) {
            return level <= page_.map().visible_max();
          }));
    }
    if (content.definition.empty() && content.repetition.empty() && !content.value) {
      // Without a value and without levels: all is null.
      WEFT_TRY_STATUS(out.append_level_run(1, range.size()));
    } else {
      WEFT_TRY_STATUS(out.append_levels(
          page_.map(),
          repetition.empty() ? repetition : repetition.subspan(range.begin, range.size()),
          definition.empty() ? definition : definition.subspan(range.begin, range.size()),
          range.size()));
    }
    return content.value ? repeat(*content.value, visible, out.values)
                         : out.values.append_blanks(visible);
  }

  Status repeat(const std::string& value, uint64_t count, LeafValues& values) const {
    const LeafShape& shape = page_.path().shape;
    if (shape.kind == LeafShape::Kind::kBits && shape.bits == 1) {
      return (static_cast<unsigned>(value[0]) & 1U) == 0 ? values.append_blanks(count)
                                                         : values.append_set_bits(count);
    }
    WEFT_TRY_STATUS(values.reserve(count));
    for (uint64_t i = 0; i < count; ++i) {
      switch (shape.kind) {
        case LeafShape::Kind::kNothing:
          return page_damaged("a column of type null has no value");
        case LeafShape::Kind::kBits:
          WEFT_TRY_STATUS(values.append_bits(as_bytes(value), 0, 1));
          break;
        case LeafShape::Kind::kFixed:
          WEFT_TRY_STATUS(values.append_fixed(as_bytes(value)));
          break;
        case LeafShape::Kind::kText:
          WEFT_TRY_STATUS(values.append_text(as_bytes(value)));
          break;
      }
    }
    return ok_status();
  }

  ConstantPage& page_;
  std::vector<IndexRange> rows_;
  std::shared_ptr<const ConstantContent> content_;
};

std::unique_ptr<PageRequest> ConstantPage::request(std::vector<IndexRange> rows,
                                                   ReadMemory& /*memory*/) {
  return std::make_unique<ConstantRequest>(*this, std::move(rows));
}

}  // namespace

Result<std::unique_ptr<Page>> make_constant_page(const LeafPath& path,
                                                 const layout::PageDescription& description,
                                                 ConstantLayout layout, ReadMemory& kept) {
  if (description.buffers.size() > 3) {
    return page_damaged("a constant page has at most three buffers");
  }
  WEFT_TRY(LevelMap map, LevelMap::make(path, layout.layers));
  auto page =
      std::make_unique<ConstantPage>(path, description, std::move(layout), std::move(map), kept);
  WEFT_TRY_STATUS(kept.grow(page->kept_bytes()));
  return page;
}

}  // namespace weft::lance::read

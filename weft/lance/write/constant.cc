#include "weft/codec/varint.h"
#include "weft/lance/write/encoded_page.h"
#include "weft/lance/write/words.h"

namespace weft::lance::write {

using layout::FileVersion;

namespace {

// An Arrow array of one text: u32 number of buffers, their sizes, then the offsets and the bytes.
std::string text_buffer(const std::string& value, bool large) {
  std::string offsets;
  if (large) {
    codec::append_u64(offsets, 0);
    codec::append_u64(offsets, value.size());
  } else {
    codec::append_u32(offsets, 0);
    codec::append_u32(offsets, static_cast<uint32_t>(value.size()));
  }
  std::string out;
  codec::append_u32(out, 2);
  codec::append_u32(out, static_cast<uint32_t>(offsets.size()));
  codec::append_u32(out, static_cast<uint32_t>(value.size()));
  return out + offsets + value;
}

struct LevelBuffer {
  std::string bytes;
  std::optional<layout::Encoding> encoding;
  uint64_t count = 0;
};

LevelBuffer level_buffer(const std::vector<uint16_t>& levels, uint16_t level_max,
                         FileVersion version) {
  LevelBuffer out;
  if (levels.empty()) {
    return out;
  }
  if (version == FileVersion::kV21) {
    append_words<uint16_t>(out.bytes, levels);
    return out;
  }
  const LevelRange all{0, levels.size()};
  const LevelEncoder encoder = LevelEncoder::choose(levels, level_max, std::span(&all, 1), version);
  encoder.append(levels, out.bytes);
  out.encoding = encoder.encoding();
  out.count = levels.size();
  return out;
}

}  // namespace

EncodedPage constant_page(const PageRows& rows, const Levels& levels, const ValueShape& shape,
                          const std::optional<std::string>& value, FileVersion version) {
  EncodedPage page;
  page.first_row = rows.first_row;
  page.row_count = rows.row_count;
  layout::ConstantLayout out;
  out.layers = levels.layers;
  if (value && shape.kind == ValueKind::kText) {
    page.buffers.emplace_back(text_buffer(*value, shape.large));
  } else if (value) {
    out.inline_value = *value;
  }
  // Nothing but nulls in no list and no struct: the layer says it all.
  const bool only_nulls = !value && levels.layers.size() == 1;
  if ((levels.has_repetition || levels.has_definition) && !only_nulls) {
    LevelBuffer repetition = level_buffer(levels.repetition, levels.repetition_max, version);
    LevelBuffer definition = level_buffer(levels.definition, levels.definition_max, version);
    out.repetition = std::move(repetition.encoding);
    out.repetition_count = repetition.count;
    out.definition = std::move(definition.encoding);
    out.definition_count = definition.count;
    page.buffers.emplace_back(std::move(repetition.bytes));
    page.buffers.emplace_back(std::move(definition.bytes));
  }
  page.layout = std::move(out);
  return page;
}

}  // namespace weft::lance::write

#include "weft/lance/write/levels.h"

#include <algorithm>
#include <array>
#include <bit>

#include "weft/codec/lane_packing.h"
#include "weft/codec/varint.h"
#include "weft/lance/write/words.h"

namespace weft::lance::write {

using layout::Encoding;
using layout::EncodingKind;
using layout::FileVersion;
using layout::Layer;

namespace {

constexpr uint32_t kLevelBits = 16;
constexpr size_t kRunMax = 255;

Layer list_layer(bool nulls, bool empties) {
  if (nulls) {
    return empties ? Layer::kNullableEmptyableList : Layer::kNullableList;
  }
  return empties ? Layer::kEmptyableList : Layer::kList;
}

// Runs of equal levels, none longer than a run length of one byte holds.
template <typename Visit>
void for_each_run(std::span<const uint16_t> levels, Visit visit) {
  for (size_t i = 0; i < levels.size();) {
    size_t end = i + 1;
    while (end < levels.size() && end - i < kRunMax && levels[end] == levels[i]) {
      ++end;
    }
    visit(levels[i], static_cast<uint8_t>(end - i));
    i = end;
  }
}

constexpr size_t packed_block_bytes(uint32_t width) {
  return codec::packed_word_count<uint16_t>(width) * 2;
}

// Whole blocks are packed; what is left is packed as a block too, or left as it is if that is not
// longer: decoders tell the two by the length.
size_t packed_bytes(size_t count, uint32_t width) {
  const size_t tail = count % codec::kPackedBlockValues;
  return count / codec::kPackedBlockValues * packed_block_bytes(width) +
         std::min(tail * 2, packed_block_bytes(width));
}

void append_packed(std::span<const uint16_t> levels, uint32_t width, std::string& out) {
  std::array<uint16_t, codec::kPackedBlockValues> block{};
  std::array<uint16_t, codec::kPackedBlockValues> words{};
  const std::span<uint16_t> packed =
      std::span(words).first(codec::packed_word_count<uint16_t>(width));
  for (size_t i = 0; i < levels.size(); i += block.size()) {
    const size_t count = std::min(block.size(), levels.size() - i);
    if (count < block.size() && count * 2 <= packed_block_bytes(width)) {
      append_words(out, levels.subspan(i, count));
      return;
    }
    block.fill(0);
    std::copy_n(levels.begin() + static_cast<ptrdiff_t>(i), count, block.begin());
    codec::pack_lanes<uint16_t>(block, width, packed);
    append_words<uint16_t>(out, packed);
  }
}

}  // namespace

Levels levels_of(const PageRows& rows, const Leaf& leaf) {
  std::array<bool, 256> occurs{};
  for (const DefinitionCode code : rows.definition) {
    occurs[code] = true;
  }
  // The null of a struct is one of all that is directly inside it, down to the next list: readers
  // make their null maps of the inner layers from inner levels, so these must exist.
  for (size_t layer = leaf.steps.size() - 1; layer > 0; --layer) {
    const Step& step = leaf.steps[leaf.steps.size() - 1 - layer];
    if (step.kind == StepKind::kStruct && occurs[null_code(layer)]) {
      occurs[null_code(layer - 1)] = true;
    }
  }
  Levels out;
  std::array<uint16_t, 256> number{};
  uint16_t next = 1;
  bool in_list = false;
  for (size_t layer = 0; layer < leaf.steps.size(); ++layer) {
    const Step& step = leaf.steps[leaf.steps.size() - 1 - layer];
    const bool nulls = occurs[null_code(layer)];
    const bool empties = occurs[empty_code(layer)];
    if (step.kind == StepKind::kList) {
      if (!in_list) {
        out.visible_max = static_cast<uint16_t>(next - 1);
      }
      in_list = true;
      ++out.repetition_max;
      out.layers.push_back(list_layer(nulls, empties));
    } else {
      out.layers.push_back(nulls ? Layer::kNullableItem : Layer::kItem);
    }
    if (nulls) {
      number[null_code(layer)] = next++;
    }
    if (empties) {
      number[empty_code(layer)] = next++;
    }
  }
  out.definition_max = static_cast<uint16_t>(next - 1);
  if (!in_list) {
    out.visible_max = out.definition_max;
  }
  out.has_definition = out.definition_max > 0;
  out.has_repetition = in_list;
  if (out.has_definition) {
    out.definition.resize(rows.event_count);
    for (size_t i = 0; i < out.definition.size(); ++i) {
      out.definition[i] = number[rows.definition[i]];
    }
  }
  out.repetition.assign(rows.repetition.begin(), rows.repetition.end());
  return out;
}

LevelEncoder LevelEncoder::choose(std::span<const uint16_t> levels, uint16_t level_max,
                                  std::span<const LevelRange> ranges, FileVersion version) {
  const auto width = static_cast<uint32_t>(std::bit_width(level_max));
  uint64_t flat = 0;
  uint64_t packed = 0;
  uint64_t runs = 0;
  for (const LevelRange& range : ranges) {
    const auto part = levels.subspan(range.begin, range.end - range.begin);
    flat += 2 * part.size();
    packed += packed_bytes(part.size(), width);
    runs += sizeof(uint64_t);
    if (version == FileVersion::kV22) {
      for_each_run(part, [&](uint16_t, uint8_t) { runs += 3; });
    }
  }
  LevelEncoder out;
  if (version == FileVersion::kV22 && runs < packed && runs < flat) {
    out.encoding_ = Encoding::run_length(Encoding::flat(kLevelBits), Encoding::flat(8));
  } else if (width > 0 && packed < flat) {
    out.encoding_ = Encoding::out_of_line_bitpacking(kLevelBits, width);
    out.width_bits_ = width;
  } else {
    out.encoding_ = Encoding::flat(kLevelBits);
  }
  return out;
}

void LevelEncoder::append(std::span<const uint16_t> levels, std::string& out) const {
  switch (encoding_.kind) {
    case EncodingKind::kRunLength: {
      std::string values;
      std::string lengths;
      for_each_run(levels, [&](uint16_t level, uint8_t length) {
        codec::append_u16(values, level);
        lengths.push_back(static_cast<char>(length));
      });
      codec::append_u64(out, values.size());
      out += values;
      out += lengths;
      break;
    }
    case EncodingKind::kOutOfLineBitpacking:
      append_packed(levels, width_bits_, out);
      break;
    default:
      append_words(out, levels);
  }
}

}  // namespace weft::lance::write

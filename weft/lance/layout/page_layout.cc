#include "weft/codec/protobuf_wire.h"
#include "weft/lance/layout/encoding.h"
#include "weft/lance/layout/encoding_tree.h"

namespace weft::lance::layout {
namespace {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

Error damaged(std::string_view what) {
  return Error(ErrorKind::kCorrupt, "a page description is damaged").with("part", what);
}

Error unknown_number(std::string_view what, uint32_t number, std::string_view name = {}) {
  Error error(ErrorKind::kUnsupported, std::string(what) + " is not supported");
  error.add("number", std::to_string(number));
  if (!name.empty()) {
    error.add("name", name);
  }
  return error;
}

Result<std::vector<Layer>> to_layers(const std::vector<uint64_t>& numbers) {
  if (numbers.size() > kLayersMax) {
    return Error(ErrorKind::kLimit, "a column is nested too deeply")
        .with("layers", numbers.size())
        .with("layers_max", kLayersMax);
  }
  std::vector<Layer> layers;
  for (const uint64_t number : numbers) {
    if (number < 1 || number > 6) {
      return unknown_number("a nesting layer", static_cast<uint32_t>(number));
    }
    layers.push_back(static_cast<Layer>(number));
  }
  return layers;
}

std::vector<uint64_t> to_numbers(const std::vector<Layer>& layers) {
  std::vector<uint64_t> numbers;
  numbers.reserve(layers.size());
  for (const Layer layer : layers) {
    numbers.push_back(static_cast<uint64_t>(layer));
  }
  return numbers;
}

Result<std::optional<Encoding>> optional_encoding(const WireField& field) {
  if (field.type != codec::WireType::kBytes) {
    return damaged("encoding");
  }
  WEFT_TRY(Encoding encoding, parse_encoding_tree(field.bytes));
  return std::optional<Encoding>(std::move(encoding));
}

Result<MiniBlockLayout> parse_mini_block(ByteView message) {
  MiniBlockLayout out;
  std::optional<Encoding> values;
  std::vector<uint64_t> layers;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 1: {
        WEFT_TRY(out.repetition, optional_encoding(field));
        break;
      }
      case 2: {
        WEFT_TRY(out.definition, optional_encoding(field));
        break;
      }
      case 3: {
        WEFT_TRY(values, optional_encoding(field));
        break;
      }
      case 4: {
        WEFT_TRY(out.dictionary, optional_encoding(field));
        break;
      }
      case 5:
        reader.expect(field.as_u64(out.dictionary_items));
        break;
      case 6:
        reader.expect(field.append_u64s(layers));
        break;
      case 7:
        reader.expect(field.as_u64(out.buffers_per_chunk));
        break;
      case 8:
        reader.expect(field.as_u64(out.repetition_index_depth));
        break;
      case 9:
        reader.expect(field.as_u64(out.item_count));
        break;
      case 10:
        reader.expect(field.as_bool(out.large_chunks));
        break;
      default:
        break;
    }
  }
  if (!reader.ok() || !values) {
    return damaged("mini-block layout");
  }
  out.values = std::move(*values);
  WEFT_TRY(out.layers, to_layers(layers));
  return out;
}

Result<FullZipLayout> parse_full_zip(ByteView message) {
  FullZipLayout out;
  std::optional<Encoding> values;
  std::vector<uint64_t> layers;
  uint64_t bits = 0;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 1:
        reader.expect(field.as_u64(out.repetition_bits));
        break;
      case 2:
        reader.expect(field.as_u64(out.definition_bits));
        break;
      case 3:
        reader.expect(field.as_u64(bits));
        out.bits_per_value = bits;
        out.bits_per_offset.reset();
        break;
      case 4:
        reader.expect(field.as_u64(bits));
        out.bits_per_offset = bits;
        out.bits_per_value.reset();
        break;
      case 5:
        reader.expect(field.as_u64(out.slot_count));
        break;
      case 6:
        reader.expect(field.as_u64(out.visible_count));
        break;
      case 7: {
        WEFT_TRY(values, optional_encoding(field));
        break;
      }
      case 8:
        reader.expect(field.append_u64s(layers));
        break;
      default:
        break;
    }
  }
  if (!reader.ok() || !values || (!out.bits_per_value && !out.bits_per_offset)) {
    return damaged("full-zip layout");
  }
  out.values = std::move(*values);
  WEFT_TRY(out.layers, to_layers(layers));
  return out;
}

Result<ConstantLayout> parse_constant(ByteView message) {
  ConstantLayout out;
  std::vector<uint64_t> layers;
  std::string value;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 5:
        reader.expect(field.append_u64s(layers));
        break;
      case 6:
        reader.expect(field.as_text(value));
        out.inline_value = value;
        break;
      case 7: {
        WEFT_TRY(out.repetition, optional_encoding(field));
        break;
      }
      case 8: {
        WEFT_TRY(out.definition, optional_encoding(field));
        break;
      }
      case 9:
        reader.expect(field.as_u64(out.repetition_count));
        break;
      case 10:
        reader.expect(field.as_u64(out.definition_count));
        break;
      default:
        break;
    }
  }
  if (!reader.ok()) {
    return damaged("constant layout");
  }
  WEFT_TRY(out.layers, to_layers(layers));
  return out;
}

WireWriter write_layout(const MiniBlockLayout& layout) {
  WireWriter out;
  if (layout.repetition) {
    out.message(1, write_encoding_tree(*layout.repetition));
  }
  if (layout.definition) {
    out.message(2, write_encoding_tree(*layout.definition));
  }
  out.message(3, write_encoding_tree(layout.values));
  if (layout.dictionary) {
    out.message(4, write_encoding_tree(*layout.dictionary));
  }
  out.u64(5, layout.dictionary_items);
  out.packed_u64(6, to_numbers(layout.layers));
  out.u64(7, layout.buffers_per_chunk);
  out.u64(8, layout.repetition_index_depth);
  out.u64(9, layout.item_count);
  out.boolean(10, layout.large_chunks);
  return out;
}

WireWriter write_layout(const FullZipLayout& layout) {
  WireWriter out;
  out.u64(1, layout.repetition_bits);
  out.u64(2, layout.definition_bits);
  if (layout.bits_per_value) {
    out.u64_always(3, *layout.bits_per_value);
  }
  if (layout.bits_per_offset) {
    out.u64_always(4, *layout.bits_per_offset);
  }
  out.u64(5, layout.slot_count);
  out.u64(6, layout.visible_count);
  out.message(7, write_encoding_tree(layout.values));
  out.packed_u64(8, to_numbers(layout.layers));
  return out;
}

WireWriter write_layout(const ConstantLayout& layout) {
  WireWriter out;
  out.packed_u64(5, to_numbers(layout.layers));
  if (layout.inline_value) {
    out.bytes_always(6, *layout.inline_value);
  }
  if (layout.repetition) {
    out.message(7, write_encoding_tree(*layout.repetition));
  }
  if (layout.definition) {
    out.message(8, write_encoding_tree(*layout.definition));
  }
  out.u64(9, layout.repetition_count);
  out.u64(10, layout.definition_count);
  return out;
}

}  // namespace

Result<PageLayout> parse_page_layout(ByteView message) {
  WireReaderView reader(message);
  WireField field;
  uint32_t number = 0;
  ByteView body;
  while (reader.next(field)) {
    if (field.number > 3) {
      return unknown_number("a page layout", field.number,
                            field.number == 4   ? "blob"
                            : field.number == 5 ? "sparse"
                                                : "");
    }
    number = field.number;
    reader.expect(field.as_bytes(body));
  }
  if (!reader.ok() || number == 0) {
    return damaged("page layout");
  }
  if (number == 1) {
    WEFT_TRY(MiniBlockLayout layout, parse_mini_block(body));
    return PageLayout(std::move(layout));
  }
  if (number == 2) {
    WEFT_TRY(ConstantLayout layout, parse_constant(body));
    return PageLayout(std::move(layout));
  }
  WEFT_TRY(FullZipLayout layout, parse_full_zip(body));
  return PageLayout(std::move(layout));
}

std::string serialize_page_layout(const PageLayout& layout) {
  constexpr uint32_t kNumbers[] = {1, 3, 2};
  WireWriter out;
  const WireWriter body = std::visit([](const auto& one) { return write_layout(one); }, layout);
  out.message(kNumbers[layout.index()], body);
  return std::move(out).take();
}

}  // namespace weft::lance::layout

#include <utility>

#include "weft/lance/layout/encoding.h"

namespace weft::lance::layout {

std::string_view encoding_kind_name(EncodingKind kind) {
  switch (kind) {
    case EncodingKind::kFlat:
      return "flat";
    case EncodingKind::kVariable:
      return "variable";
    case EncodingKind::kConstant:
      return "constant";
    case EncodingKind::kOutOfLineBitpacking:
      return "out_of_line_bitpacking";
    case EncodingKind::kInlineBitpacking:
      return "inline_bitpacking";
    case EncodingKind::kFsst:
      return "fsst";
    case EncodingKind::kDictionary:
      return "dictionary";
    case EncodingKind::kRunLength:
      return "rle";
    case EncodingKind::kByteStreamSplit:
      return "byte_stream_split";
    case EncodingKind::kGeneral:
      return "general";
    case EncodingKind::kFixedSizeList:
      return "fixed_size_list";
  }
  return "unknown";
}

Encoding Encoding::flat(uint64_t bits) {
  Encoding out;
  out.number = bits;
  return out;
}
Encoding Encoding::variable(uint64_t offset_bits) {
  Encoding out;
  out.kind = EncodingKind::kVariable;
  out.children.push_back(flat(offset_bits));
  return out;
}
Encoding Encoding::inline_bitpacking(uint64_t bits) {
  Encoding out;
  out.kind = EncodingKind::kInlineBitpacking;
  out.number = bits;
  return out;
}
Encoding Encoding::out_of_line_bitpacking(uint64_t bits, uint64_t packed_bits) {
  Encoding out;
  out.kind = EncodingKind::kOutOfLineBitpacking;
  out.number = bits;
  out.children.push_back(flat(packed_bits));
  return out;
}
Encoding Encoding::fsst(std::string symbol_table, Encoding values) {
  Encoding out;
  out.kind = EncodingKind::kFsst;
  out.bytes = std::move(symbol_table);
  out.children.push_back(std::move(values));
  return out;
}
Encoding Encoding::run_length(Encoding values, Encoding lengths) {
  Encoding out;
  out.kind = EncodingKind::kRunLength;
  out.children.push_back(std::move(values));
  out.children.push_back(std::move(lengths));
  return out;
}
Encoding Encoding::byte_stream_split(Encoding values) {
  Encoding out;
  out.kind = EncodingKind::kByteStreamSplit;
  out.children.push_back(std::move(values));
  return out;
}
Encoding Encoding::general(Scheme scheme, Encoding values) {
  Encoding out;
  out.kind = EncodingKind::kGeneral;
  out.scheme = scheme;
  out.children.push_back(std::move(values));
  return out;
}
Encoding Encoding::fixed_size_list(uint64_t items, Encoding values, bool has_validity) {
  Encoding out;
  out.kind = EncodingKind::kFixedSizeList;
  out.number = items;
  out.has_validity = has_validity;
  out.children.push_back(std::move(values));
  return out;
}

unsigned visible_level_max(const std::vector<Layer>& layers) {
  unsigned levels = 0;
  for (const Layer layer : layers) {
    if (is_list(layer)) {
      break;
    }
    levels += definition_levels(layer);
  }
  return levels;
}

unsigned definition_level_count(const std::vector<Layer>& layers) {
  unsigned levels = 0;
  for (const Layer layer : layers) {
    levels += definition_levels(layer);
  }
  return levels;
}

unsigned list_layer_count(const std::vector<Layer>& layers) {
  unsigned lists = 0;
  for (const Layer layer : layers) {
    lists += is_list(layer) ? 1 : 0;
  }
  return lists;
}

}  // namespace weft::lance::layout

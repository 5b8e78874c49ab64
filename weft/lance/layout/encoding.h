// How the values of a page of file version 2.1 or 2.2 are encoded: a tree of encodings inside a
// page layout. Parsed and serialised; the same structs serve the reader and the writer. Format:
// docs/formats/lance.md.
//
// E1  parse(serialize(x)) equals x.
// E2  A number of an encoding or layout that is not known is kUnsupported and named, never skipped;
//     unknown fields inside a known message are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::lance::layout {

// Deeper trees of encodings are kLimit.
inline constexpr size_t kEncodingDepthMax = 16;
// More nesting layers in one column are kLimit.
inline constexpr size_t kLayersMax = 64;

// The values are the numbers of the message.
enum class EncodingKind : uint8_t {
  kFlat = 1,
  kVariable = 2,
  kConstant = 3,
  kOutOfLineBitpacking = 4,
  kInlineBitpacking = 5,
  kFsst = 6,
  kDictionary = 7,
  kRunLength = 8,
  kByteStreamSplit = 9,
  kGeneral = 10,
  kFixedSizeList = 11,
};
std::string_view encoding_kind_name(EncodingKind kind);

enum class Scheme : uint8_t { kLz4 = 1, kZstd = 2 };

struct Encoding {
  EncodingKind kind = EncodingKind::kFlat;
  // kFlat: bits per value. Bit packing: bits of an unpacked value. kFixedSizeList: items per value.
  // kDictionary: number of items.
  uint64_t number = 0;
  // kFixedSizeList.
  bool has_validity = false;
  // kGeneral.
  Scheme scheme = Scheme::kZstd;
  std::optional<int64_t> level;
  // kFsst: the symbol table. kConstant: the value.
  std::string bytes;
  // kVariable: the offsets. kOutOfLineBitpacking, kFsst, kByteStreamSplit, kGeneral,
  // kFixedSizeList: the values. kRunLength: values, run lengths. kDictionary: indices, items.
  std::vector<Encoding> children;

  static Encoding flat(uint64_t bits);
  static Encoding variable(uint64_t offset_bits);
  static Encoding inline_bitpacking(uint64_t bits);
  static Encoding out_of_line_bitpacking(uint64_t bits, uint64_t packed_bits);
  static Encoding fsst(std::string symbol_table, Encoding values);
  static Encoding run_length(Encoding values, Encoding lengths);
  static Encoding byte_stream_split(Encoding values);
  static Encoding general(Scheme scheme, Encoding values);
  static Encoding fixed_size_list(uint64_t items, Encoding values, bool has_validity = false);

  friend bool operator==(const Encoding&, const Encoding&) = default;
};

// Nesting of a column, listed from the innermost layer out. The values are those of the message.
enum class Layer : uint8_t {
  kItem = 1,  // an item (leaf or struct) without nulls
  kList = 2,  // a list layer without nulls or empty lists
  kNullableItem = 3,
  kNullableList = 4,
  kEmptyableList = 5,
  kNullableEmptyableList = 6,
};
constexpr bool is_list(Layer layer) {
  return layer == Layer::kList || layer >= Layer::kNullableList;
}
// How many definition levels a layer takes.
constexpr unsigned definition_levels(Layer layer) {
  return layer == Layer::kNullableEmptyableList ? 2 : layer >= Layer::kNullableItem ? 1 : 0;
}
// Definition levels inside the innermost list layer: an event is visible (has a value slot) if its
// level is not above this.
unsigned visible_level_max(const std::vector<Layer>& layers);
unsigned definition_level_count(const std::vector<Layer>& layers);
unsigned list_layer_count(const std::vector<Layer>& layers);

struct MiniBlockLayout {
  std::optional<Encoding> repetition;
  std::optional<Encoding> definition;
  Encoding values;
  std::optional<Encoding> dictionary;
  uint64_t dictionary_items = 0;
  std::vector<Layer> layers;
  uint64_t buffers_per_chunk = 1;
  uint64_t repetition_index_depth = 0;
  uint64_t item_count = 0;
  bool large_chunks = false;  // 32-bit chunk words and value sizes: required in 2.2, wrong in 2.1
  friend bool operator==(const MiniBlockLayout&, const MiniBlockLayout&) = default;
};

struct FullZipLayout {
  uint64_t repetition_bits = 0;
  uint64_t definition_bits = 0;
  // Exactly one of the two.
  std::optional<uint64_t> bits_per_value;
  std::optional<uint64_t> bits_per_offset;
  uint64_t slot_count = 0;
  uint64_t visible_count = 0;
  Encoding values;
  std::vector<Layer> layers;
  friend bool operator==(const FullZipLayout&, const FullZipLayout&) = default;
};

struct ConstantLayout {
  std::vector<Layer> layers;
  std::optional<std::string> inline_value;
  std::optional<Encoding> repetition;
  std::optional<Encoding> definition;
  uint64_t repetition_count = 0;
  uint64_t definition_count = 0;
  friend bool operator==(const ConstantLayout&, const ConstantLayout&) = default;
};

using PageLayout = std::variant<MiniBlockLayout, FullZipLayout, ConstantLayout>;

// The value of the page's Any (type kPageLayoutUrl).
Result<PageLayout> parse_page_layout(ByteView message);
std::string serialize_page_layout(const PageLayout& layout);

}  // namespace weft::lance::layout

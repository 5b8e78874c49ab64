// The columns of a data file are the leaves of its schema. A Leaf says how its values look and what
// lies between them and the rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/type.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/layout/file_layout.h"

namespace weft::lance::write {

enum class ValueKind : uint8_t {
  kNull,   // nothing but nulls
  kBits,   // one bit each, or a fixed-size list of bits
  kFixed,  // whole bytes
  kText,   // any number of bytes
};

// How the values of a leaf look.
struct ValueShape {
  ValueKind kind = ValueKind::kNull;
  // Of one value; of one item of a fixed-size list. 0 for kText.
  uint32_t bits = 0;
  // Sizes of the fixed-size lists around the value, from the outermost in. Empty: no list.
  std::vector<uint64_t> lists;
  // Offsets of 64 bits in memory, and of Arrow's in constants.
  bool large = false;
  // A dictionary column: readers insist on pages with a dictionary and indices of this width.
  uint32_t index_bits = 0;

  uint64_t items() const;
  // Bytes of a whole value in memory while a page is gathered: one byte per bit for kBits.
  uint64_t gathered_bytes() const {
    return kind == ValueKind::kBits ? items() : items() * bits / 8;
  }
  // Bits of a whole value in the file, without validity of items.
  uint64_t value_bits() const { return items() * bits; }
};

enum class StepKind : uint8_t { kStruct, kList, kLeaf };

// One level of the way from a top-level column to a leaf.
struct Step {
  StepKind kind = StepKind::kLeaf;
  bool nullable = true;
  // For messages: "points.item.x".
  std::string name;
  // kStruct: which member is next.
  size_t child = 0;
};

// Immutable.
struct Leaf {
  size_t top_level = 0;  // index of the batch's column
  int32_t field_id = 0;
  std::vector<Step> steps;  // from the top-level field to the leaf itself
  columns::TypePtr type;    // of the leaf
  ValueShape shape;
  uint64_t value_bytes_max = 0xffff'ffff;  // of a text; DataFileOptions

  size_t list_count() const;
};

// More list layers over one leaf are kLimit: levels are kept in bytes.
inline constexpr size_t kListLayersMax = 30;

// Fixed-size lists of bits lie in chunks, which have at least two of them.
inline constexpr uint64_t kBitListItemsMax = 32'000;

// All leaves in the order of the file's columns. Errors: kUnsupported, kLimit, kCorrupt (`fields`
// are no tree).
Result<std::vector<Leaf>> leaves_of(const std::vector<layout::SchemaField>& fields,
                                    layout::FileVersion version);

}  // namespace weft::lance::write

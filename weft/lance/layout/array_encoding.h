// How a page of file version 2.0 is encoded: a tree of array encodings. Read only; weft writes no
// 2.0 files. Format: docs/formats/lance.md, "Version 2.0".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::lance::layout {

enum class ArrayEncodingKind : uint8_t {
  kFlat = 1,
  kNullable = 2,
  kFixedSizeList = 3,
  kList = 4,
  kStruct = 5,
  kBinary = 6,
  kDictionary = 7,
};

struct ArrayEncoding {
  enum class Nulls : uint8_t { kNone, kSome, kAll };

  ArrayEncodingKind kind = ArrayEncodingKind::kFlat;
  // kFlat: bits per value. kFixedSizeList: items of one value. kList: what is added to the end
  // offset of a null. kBinary: the same. kDictionary: items.
  uint64_t number = 0;
  // kList: items of the page.
  uint64_t item_count = 0;
  // kFlat: which buffer of the page.
  uint64_t buffer_index = 0;
  // kNullable.
  Nulls nulls = Nulls::kNone;
  // kNullable: values, or validity and values, or none. kFixedSizeList: items. kList: offsets.
  // kBinary: offsets, bytes. kDictionary: indices, items.
  std::vector<ArrayEncoding> children;
};

// Errors: kUnsupported names an encoding or compression that is not known; kCorrupt; kLimit beyond
// kEncodingDepthMax.
Result<ArrayEncoding> parse_array_encoding(ByteView message);

}  // namespace weft::lance::layout

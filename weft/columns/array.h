// Immutable arrays of one type over shared buffers, laid out as Arrow lays them out.
//
// A1  Of element i (0 <= i < length) everything is found at position offset + i of the array's own
//     buffers: validity bit, value, offsets (offset + i and the one after it). The children of
//     structs are read at offset + i too, the child of a fixed-size list from (offset + i) * size;
//     the children of lists and maps at what the offsets say.
// A2  An empty validity buffer says that nothing is null. kNull arrays have no buffers; all is
// null. A3  Buffers reach at least as far as the elements need; offsets never decrease and stay
// inside
//     the bytes or the child. check() verifies this; arrays from the reader of files and from
//     builders keep it, arrays made from foreign buffers are checked by whoever makes them.
// A4  Buffers are not necessarily aligned to their values (they may be slices of a file).
// A5  offset bits may start anywhere in a byte.
//
// Thread-safe: nothing changes after construction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/buffer.h"
#include "weft/columns/type.h"

namespace weft::columns {

class Array;
using ArrayPtr = std::shared_ptr<const Array>;

// What an array is made of; which parts are used depends on the type.
struct ArrayParts {
  TypePtr type;
  size_t length = 0;
  size_t offset = 0;
  Buffer validity;
  Buffer offsets;  // strings, binaries, lists, maps: int32 or int64
  Buffer values;   // fixed width: the values (bool: bits); strings and binaries: the bytes
  std::vector<ArrayPtr> children;
  ArrayPtr dictionary;  // kDictionary: the values the indices point at
};

class Array {
 public:
  // Does not look at the buffers: see A3.
  explicit Array(ArrayParts parts) : parts_(std::move(parts)) {}
  static ArrayPtr make(ArrayParts parts) { return std::make_shared<const Array>(std::move(parts)); }

  const TypePtr& type() const { return parts_.type; }
  TypeId id() const { return parts_.type->id(); }
  size_t length() const { return parts_.length; }
  const ArrayParts& parts() const { return parts_; }
  const ArrayPtr& child(size_t index) const { return parts_.children[index]; }

  bool is_valid(size_t index) const {
    return id() != TypeId::kNull &&
           (parts_.validity.empty() || parts_.validity.bit(parts_.offset + index));
  }
  bool is_null(size_t index) const { return !is_valid(index); }
  // Counts bits: O(length / 64).
  size_t null_count() const;

  // Fixed-width types other than kBool.
  template <typename T>
  T value(size_t index) const {
    return parts_.values.get<T>(parts_.offset + index);
  }
  bool boolean(size_t index) const { return parts_.values.bit(parts_.offset + index); }
  // The bytes of one value of any fixed-width type but kBool.
  ByteView fixed(size_t index) const;
  // Strings and binaries. A view into this array.
  std::string_view text(size_t index) const&;
  std::string_view text(size_t index) && = delete;
  // Any integer, date, time, timestamp, duration or dictionary index, widened (an uint64 above
  // 2^63 - 1 wraps).
  int64_t integer(size_t index) const;
  // Items of list `index` in the child: [first, second).
  std::pair<size_t, size_t> list_range(size_t index) const;

  // Elements [from, from + count), sharing all buffers.
  ArrayPtr slice(size_t from, size_t count) const;

  // Verifies A3, children included. Errors: kCorrupt, naming the rule.
  Status check() const;

 private:
  ArrayParts parts_;
};

// Element by element: null equals null, floats by their bits except that all NaNs are equal. The
// types must be equal too.
bool equal(const Array& left, const Array& right);
bool equal_at(const Array& left, size_t left_index, const Array& right, size_t right_index);

// One element as JSON-like text: null, true, 12, 1.5, "text", 0x00ff (binary), 1.20 (decimal),
// [1, null], {a: 1, b: "x"}, {"k": 1} (map); dates and times as ISO 8601 says.
std::string element_text(const Array& array, size_t index);
// "[1, null, 3]", cut after `elements_max` with "… 997 more".
std::string array_text(const Array& array, size_t elements_max = 20);

}  // namespace weft::columns

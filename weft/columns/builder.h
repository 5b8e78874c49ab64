// Builds arrays element by element.
//
//     ArrayBuilder builder(list_of(simple_type(TypeId::kInt32)));
//     builder.append_list(2);                       // then its two items:
//     builder.child(0).append_integer(7);
//     builder.child(0).append_null();
//     builder.append_null();
//     const ArrayPtr array = builder.finish();      // [[7, null], null]
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "weft/columns/array.h"

namespace weft::columns {

// One growing array. Calls that do not fit the type stop the process; what depends on input is
// checked before. Not thread-safe.
class ArrayBuilder {
 public:
  explicit ArrayBuilder(TypePtr type);
  ArrayBuilder(ArrayBuilder&&) noexcept = default;
  ArrayBuilder& operator=(ArrayBuilder&&) noexcept = default;
  ArrayBuilder(const ArrayBuilder&) = delete;
  ArrayBuilder& operator=(const ArrayBuilder&) = delete;
  ~ArrayBuilder() = default;

  const TypePtr& type() const { return type_; }
  size_t length() const { return length_; }
  void reserve(size_t elements);

  // A null of any type: children of structs and fixed-size lists get the elements they need.
  void append_null();
  void append_boolean(bool value);
  // Integers of every width, dates, times, timestamps, durations, and indices of dictionaries;
  // truncated to the width.
  void append_integer(int64_t value);
  void append_float(float value);
  void append_double(double value);
  // Any fixed-width type but kBool by its bytes, which must be that many.
  void append_fixed(ByteView bytes);
  // Many values of a fixed-width type but kBool at once, none null.
  void append_values(ByteView bytes);
  // Strings and binaries. Stops the process if a small type would pass 2^31 - 1 bytes: see
  // text_fits.
  void append_text(std::string_view text);
  bool text_fits(size_t more_bytes) const;
  // Lists and maps: the next element has `items` items, which the caller appends to child(0)
  // (before or after). Fixed-size lists: append_fixed_list, then list_size items.
  void append_list(size_t items);
  void append_fixed_list();
  // Structs: then one element to each child.
  void append_struct();
  ArrayBuilder& child(size_t index) { return children_[index]; }
  // Dictionaries: what indices point at; before finish.
  void set_dictionary(ArrayPtr values) { dictionary_ = std::move(values); }

  // Element `index` of an array of the same type.
  void append_from(const Array& array, size_t index);

  // The array; the builder is empty again.
  ArrayPtr finish();

 private:
  void append_validity(bool valid);
  void append_offset();

  TypePtr type_;
  size_t length_ = 0;
  size_t null_count_ = 0;
  std::vector<uint8_t> validity_;  // empty until the first null
  std::vector<int32_t> offsets32_;
  std::vector<int64_t> offsets64_;
  std::vector<uint8_t> values_;
  uint64_t list_end_ = 0;
  std::vector<ArrayBuilder> children_;
  ArrayPtr dictionary_;
};

// An array of `length` nulls.
ArrayPtr null_array(const TypePtr& type, size_t length);

}  // namespace weft::columns

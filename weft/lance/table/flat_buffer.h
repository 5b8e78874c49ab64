// Walks a FlatBuffers message without a schema compiler: tables, their vectors and structs, every
// step inside the bytes. Source: flatbuffers.dev, "Internals".
#pragma once

#include <cstdint>
#include <optional>

#include "weft/base/bytes.h"

namespace weft::lance {

// A table in a message. Calls on a table that is not there give nothing, so that a path is walked
// first and asked once. Keeps a view of the message.
class FlatTableView {
 public:
  FlatTableView() = default;
  // The root table of a message.
  static FlatTableView root(ByteView message);

  bool ok() const { return position_ != 0; }
  // A scalar field of `size` bytes (1, 2, 4 or 8), little-endian; `absent` if the table leaves it
  // out. Nothing if the table is damaged.
  std::optional<uint64_t> scalar(unsigned field, unsigned size, uint64_t absent) const;
  FlatTableView table(unsigned field) const;
  // The elements of a vector, each of `element_size` bytes. Nothing if it is absent or damaged.
  std::optional<ByteView> vector(unsigned field, size_t element_size) const;
  // The table that element `index` of a vector of tables points to.
  FlatTableView table_at(unsigned field, size_t index) const;

 private:
  FlatTableView(ByteView message, uint64_t position) : message_(message), position_(position) {}
  std::optional<uint64_t> load(uint64_t position, unsigned size) const;
  // Where the field stands, 0 if it is absent, nothing if the table is damaged.
  std::optional<uint64_t> field_position(unsigned field) const;
  static FlatTableView follow(ByteView message, uint64_t position);

  ByteView message_;
  uint64_t position_ = 0;
};

}  // namespace weft::lance

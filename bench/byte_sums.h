// Sums over the bytes of values, by which the programs here and the peers in Python make sure that
// they saw the same rows. For columns without nulls.
#pragma once

#include "weft/columns/batch.h"

namespace weft::bench {

inline uint64_t byte_sum(ByteView bytes) {
  uint64_t sum = 0;
  for (const std::byte each : bytes) {
    sum += static_cast<uint8_t>(each);
  }
  return sum;
}

// Text: of the text; a fixed-size list: of its items.
inline uint64_t byte_sum(const columns::Array& array) {
  const columns::ArrayParts& parts = array.parts();
  if (array.id() == columns::TypeId::kFixedSizeList) {
    const auto size = static_cast<size_t>(array.type()->list_size());
    return byte_sum(*array.child(0)->slice(parts.offset * size, array.length() * size));
  }
  if (columns::is_binary_like(array.id())) {
    const size_t begin = array.length() == 0 ? 0 : array.list_range(0).first;
    const size_t end = array.length() == 0 ? 0 : array.list_range(array.length() - 1).second;
    return byte_sum(parts.values.view().subspan(begin, end - begin));
  }
  const size_t width = columns::bit_width(*array.type()) / 8;
  return byte_sum(parts.values.view().subspan(parts.offset * width, array.length() * width));
}

inline uint64_t byte_sum(const columns::Batch& batch) {
  uint64_t sum = 0;
  for (const columns::ArrayPtr& column : batch.columns()) {
    sum += byte_sum(*column);
  }
  return sum;
}

}  // namespace weft::bench

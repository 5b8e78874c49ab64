// Rows of one leaf on their way into a page: levels and values, flat, before encoding.
//
// Events: each leaf value is one, and so is each null or empty list (or null struct between lists)
// that ends the way to the leaf early. An event is visible if it has a value slot: it got past the
// innermost list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/lance/write/leaf.h"

namespace weft::lance::write {

// Why an event has no value, whatever else the page holds: 0 it has one; else 1 + 2 * layer for a
// null and 2 + 2 * layer for an empty list, where layer 0 is the leaf and each step further out is
// one more. Levels of the file are numbered by what really occurs in a page (levels.h).
using DefinitionCode = uint8_t;
constexpr DefinitionCode null_code(size_t layer) {
  return static_cast<DefinitionCode>(1 + 2 * layer);
}
constexpr DefinitionCode empty_code(size_t layer) {
  return static_cast<DefinitionCode>(2 + 2 * layer);
}

struct PageRows {
  uint64_t first_row = 0;
  uint64_t row_count = 0;
  uint64_t event_count = 0;
  uint64_t slot_count = 0;  // visible events
  // Per event. Empty if the leaf is in no list: each row is one event.
  std::vector<uint8_t> repetition;
  // Per event. Empty if every event has a value.
  std::vector<DefinitionCode> definition;
  // Per slot: kFixed whole bytes, kBits one byte a bit, zero where null; kText the bytes.
  std::vector<uint8_t> values;
  // kText: slot_count + 1 ends of values, the first 0.
  std::vector<uint64_t> offsets;
  // Per item of a fixed-size list: 0 is null. Empty: none is.
  std::vector<uint8_t> item_validity;

  bool is_null(size_t event) const { return !definition.empty() && definition[event] != 0; }
  std::span<const uint8_t> text(size_t slot) const {
    return std::span(values).subspan(offsets[slot], offsets[slot + 1] - offsets[slot]);
  }
  uint64_t memory_bytes() const {
    return repetition.capacity() + definition.capacity() + values.capacity() +
           8 * offsets.capacity() + item_validity.capacity();
  }
};

// Codes of this and above belong to events without a slot. 0 for a leaf in no list: all have one.
DefinitionCode first_invisible_code(const Leaf& leaf);
constexpr bool is_visible(DefinitionCode code, DefinitionCode first_invisible) {
  return first_invisible == 0 || code < first_invisible;
}

// Rows [begin, begin + count) as rows of their own, numbered on from first_row. O(events).
// `row_events` are the events at which rows begin, and event_count.
PageRows rows_between(const PageRows& rows, const Leaf& leaf, uint64_t event_begin,
                      uint64_t event_end, uint64_t row_begin, uint64_t row_end);

}  // namespace weft::lance::write

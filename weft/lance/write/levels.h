// The levels of a page as the file numbers them, and their encodings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/lance/layout/encoding.h"
#include "weft/lance/layout/file_layout.h"
#include "weft/lance/write/leaf.h"
#include "weft/lance/write/page_rows.h"

namespace weft::lance::write {

// Levels run from the innermost layer out; only what occurs in the page is numbered.
struct Levels {
  std::vector<layout::Layer> layers;
  bool has_repetition = false;
  bool has_definition = false;
  // Per event, as the file has them; empty if there are none.
  std::vector<uint16_t> repetition;
  std::vector<uint16_t> definition;
  uint16_t repetition_max = 0;  // the number of list layers: what the first event of a row has
  uint16_t definition_max = 0;
  // Definition levels up to this have a value slot.
  uint16_t visible_max = 0;

  bool is_visible(size_t event) const {
    return !has_definition || definition[event] <= visible_max;
  }
  bool begins_row(size_t event) const {
    return !has_repetition || repetition[event] == repetition_max;
  }
};

Levels levels_of(const PageRows& rows, const Leaf& leaf);

// Some 16-bit levels that are encoded together: events [begin, end).
struct LevelRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// One of the forms for levels, chosen for a whole page.
class LevelEncoder {
 public:
  // The smallest of those that `version` has for the levels cut into `ranges`; `level_max` is the
  // greatest among them.
  static LevelEncoder choose(std::span<const uint16_t> levels, uint16_t level_max,
                             std::span<const LevelRange> ranges, layout::FileVersion version);

  const layout::Encoding& encoding() const { return encoding_; }
  // Appends the encoded levels.
  void append(std::span<const uint16_t> levels, std::string& out) const;

 private:
  layout::Encoding encoding_;
  uint32_t width_bits_ = 16;
};

}  // namespace weft::lance::write

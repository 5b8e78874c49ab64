#include "weft/lance/write/page_rows.h"

#include <algorithm>

namespace weft::lance::write {

DefinitionCode first_invisible_code(const Leaf& leaf) {
  for (size_t layer = 0; layer < leaf.steps.size(); ++layer) {
    if (leaf.steps[leaf.steps.size() - 1 - layer].kind == StepKind::kList) {
      return null_code(layer);
    }
  }
  return 0;
}

PageRows rows_between(const PageRows& rows, const Leaf& leaf, uint64_t event_begin,
                      uint64_t event_end, uint64_t row_begin, uint64_t row_end) {
  const DefinitionCode invisible = first_invisible_code(leaf);
  const auto slots_in = [&](uint64_t begin, uint64_t end) {
    if (rows.definition.empty()) {
      return end - begin;
    }
    return static_cast<uint64_t>(
        std::count_if(rows.definition.begin() + static_cast<ptrdiff_t>(begin),
                      rows.definition.begin() + static_cast<ptrdiff_t>(end),
                      [&](DefinitionCode code) { return is_visible(code, invisible); }));
  };
  const auto part = [](const std::vector<uint8_t>& all, uint64_t begin, uint64_t end) {
    return all.empty() ? std::vector<uint8_t>()
                       : std::vector<uint8_t>(all.begin() + static_cast<ptrdiff_t>(begin),
                                              all.begin() + static_cast<ptrdiff_t>(end));
  };
  const uint64_t slot_begin = slots_in(0, event_begin);
  const uint64_t slot_end = slot_begin + slots_in(event_begin, event_end);
  PageRows out;
  out.first_row = rows.first_row + row_begin;
  out.row_count = row_end - row_begin;
  out.event_count = event_end - event_begin;
  out.slot_count = slot_end - slot_begin;
  out.repetition = part(rows.repetition, event_begin, event_end);
  out.definition = part(rows.definition, event_begin, event_end);
  if (leaf.shape.kind == ValueKind::kText) {
    const uint64_t base = rows.offsets[slot_begin];
    for (uint64_t slot = slot_begin; slot <= slot_end; ++slot) {
      out.offsets.push_back(rows.offsets[slot] - base);
    }
    out.values = part(rows.values, base, rows.offsets[slot_end]);
  } else {
    const uint64_t size = leaf.shape.gathered_bytes();
    out.values = part(rows.values, slot_begin * size, slot_end * size);
  }
  const uint64_t items = leaf.shape.items();
  out.item_validity = part(rows.item_validity, slot_begin * items, slot_end * items);
  return out;
}

}  // namespace weft::lance::write

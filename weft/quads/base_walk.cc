#include "weft/quads/base_walk.h"

#include <algorithm>

#include "weft/quads/merge_cursor.h"

namespace weft::quads {

rete::RowKey key_of(const RowPlace& place) {
  const auto clamp = [](uint64_t id) {
    return static_cast<uint32_t>(std::min<uint64_t>(id, UINT32_MAX));
  };
  return {
      .graph = clamp(place.graph), .a = clamp(place.a), .b = clamp(place.b), .c = clamp(place.c)};
}

RowPlace BaseWalk::place() const {
  return base_place(base_.batch(), row_, order_);
}

Status BaseWalk::step() {
  ++row_;
  if (row_ == base_.batch().size()) {
    row_ = 0;
    return base_.next();
  }
  return ok_status();
}

Status BaseWalk::advance_to(const RowPlace& wanted) {
  const bool can_be_there = wanted.graph <= node_count_ && wanted.a <= node_count_ &&
                            wanted.b < kFirstForeignPredicate && wanted.c <= node_count_;
  while (!at_end() && can_be_there) {
    const rete::LocalBatch& batch = base_.batch();
    if (base_place(batch, batch.size() - 1, order_) < wanted) {
      row_ = 0;
      WEFT_TRY_STATUS(base_.seek(key_of(wanted)));
      WEFT_TRY_STATUS(base_.next());
      continue;
    }
    size_t low = row_;
    size_t high = batch.size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (base_place(batch, middle, order_) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    row_ = low;
    break;
  }
  return ok_status();
}

}  // namespace weft::quads

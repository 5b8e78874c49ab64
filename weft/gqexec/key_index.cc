#include "weft/gqexec/key_index.h"

#include <bit>
#include <functional>
#include <string>
#include <utility>

namespace weft::gqexec {
namespace {

constexpr size_t kAskEvery = size_t{1} << 16U;  // rows between two looks at the stop token
constexpr size_t kSlotsMin = 16;
// Hashes are computed so many ids ahead of their lookups, whose slots are on their way by then.
constexpr size_t kAhead = 16;

}  // namespace

uint64_t KeyIndex::hash(std::string_view id) {
  return std::hash<std::string_view>{}(id);
}

Result<KeyIndex> KeyIndex::build(std::shared_ptr<const Column> ids, const std::stop_token& stop) {
  KeyIndex index;
  const size_t row_count = ids->length();
  index.ids_ = std::move(ids);
  index.slots_.resize(std::max(kSlotsMin, std::bit_ceil(row_count + row_count / 2)));
  index.mask_ = index.slots_.size() - 1;
  for (size_t row = 0; row < row_count; ++row) {
    if (row % kAskEvery == 0 && stop.stop_requested()) {
      return Error(ErrorKind::kCancelled, "indexing ids was cancelled");
    }
    const Column::Place place = index.ids_->at(row);
    if (place.array->is_null(place.index)) {
      return Error(ErrorKind::kCorrupt, "a row has no id").with("row", uint64_t{row});
    }
    const std::string_view id = place.array->text(place.index);
    const uint64_t hashed = hash(id);
    const auto upper = static_cast<uint32_t>(hashed >> 32U);
    size_t slot = hashed & index.mask_;
    while (index.slots_[slot].row != kNoRow) {
      if (index.slots_[slot].hash == upper && index.id_of(index.slots_[slot].row) == id) {
        return Error(ErrorKind::kCorrupt, "two rows have one id").with("id", id);
      }
      slot = (slot + 1) & index.mask_;
    }
    index.slots_[slot] = {upper, static_cast<RowNumber>(row)};
  }
  return index;
}

RowNumber KeyIndex::find(std::string_view id, uint64_t hashed) const {
  const auto upper = static_cast<uint32_t>(hashed >> 32U);
  size_t slot = hashed & mask_;
  while (slots_[slot].row != kNoRow) {
    if (slots_[slot].hash == upper && id_of(slots_[slot].row) == id) {
      return slots_[slot].row;
    }
    slot = (slot + 1) & mask_;
  }
  return kNoRow;
}

void KeyIndex::find_all(const columns::Array& ids, std::vector<RowNumber>& out) const {
  out.reserve(out.size() + ids.length());
  uint64_t hashes[kAhead];
  const auto prepare = [&](size_t i) {
    const uint64_t hashed = ids.is_valid(i) ? hash(ids.text(i)) : 0;
    hashes[i % kAhead] = hashed;
    __builtin_prefetch(&slots_[hashed & mask_]);
  };
  for (size_t i = 0; i < std::min(kAhead, ids.length()); ++i) {
    prepare(i);
  }
  for (size_t i = 0; i < ids.length(); ++i) {
    out.push_back(ids.is_valid(i) ? find(ids.text(i), hashes[i % kAhead]) : kNoRow);
    if (i + kAhead < ids.length()) {
      prepare(i + kAhead);
    }
  }
}

}  // namespace weft::gqexec

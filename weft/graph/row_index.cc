#include "weft/graph/row_index.h"

#include <bit>
#include <cstring>
#include <numeric>

namespace weft::graph {

size_t RowIndex::slot_of(const codec::Digest16& digest) const {
  uint64_t start = 0;
  std::memcpy(&start, digest.data(), sizeof(start));
  const size_t mask = slots_.size() - 1;
  size_t at = start & mask;
  while (slots_[at] != 0 && digests_[slots_[at] - 1] != digest) {
    at = (at + 1) & mask;
  }
  return at;
}

void RowIndex::add(const codec::Digest16& digest, uint32_t row) {
  if (rows_.empty() && row != digests_.size()) {
    rows_.resize(digests_.size());
    std::iota(rows_.begin(), rows_.end(), 0U);
    rows_.push_back(row);
  } else if (!rows_.empty()) {
    rows_.push_back(row);
  }
  digests_.push_back(digest);
}

void RowIndex::build() {
  slots_.assign(std::bit_ceil(digests_.size() + digests_.size() / 2 + 2), 0);
  for (size_t entry = 0; entry < digests_.size(); ++entry) {
    uint32_t& slot = slots_[slot_of(digests_[entry])];
    if (slot == 0) {
      slot = static_cast<uint32_t>(entry) + 1;
    }
  }
}

uint32_t RowIndex::find(const codec::Digest16& digest) const {
  if (slots_.empty()) {
    return kNone;
  }
  const uint32_t slot = slots_[slot_of(digest)];
  return slot == 0 ? kNone : row_at(slot - 1);
}

}  // namespace weft::graph

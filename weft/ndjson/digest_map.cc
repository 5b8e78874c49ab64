#include "weft/ndjson/digest_map.h"

#include <cstring>
#include <utility>

#include "weft/base/bytes.h"

namespace weft::ndjson {

codec::Digest16 DigestMap::digest(std::string_view text) {
  return codec::blake3_16(as_bytes(text));
}

size_t DigestMap::slot_of(const codec::Digest16& key) const {
  uint64_t start = 0;
  std::memcpy(&start, key.data(), sizeof(start));
  const size_t mask = slots_.size() - 1;
  size_t at = start & mask;
  while (slots_[at].line != 0 && slots_[at].key != key) {
    at = (at + 1) & mask;
  }
  return at;
}

void DigestMap::grow() {
  constexpr size_t kSlotsMin = 64;
  std::vector<Slot> before =
      std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kSlotsMin : slots_.size() * 2));
  for (const Slot& slot : before) {
    if (slot.line != 0) {
      slots_[slot_of(slot.key)] = slot;
    }
  }
}

std::optional<uint64_t> DigestMap::insert(const codec::Digest16& key, uint64_t line) {
  if (slots_.size() < count_ * 2 + 2) {
    grow();
  }
  Slot& slot = slots_[slot_of(key)];
  if (slot.line != 0) {
    return slot.line;
  }
  slot = {key, line};
  ++count_;
  return std::nullopt;
}

bool DigestMap::contains(const codec::Digest16& key) const {
  return !slots_.empty() && slots_[slot_of(key)].line != 0;
}

}  // namespace weft::ndjson

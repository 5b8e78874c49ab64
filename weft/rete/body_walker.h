// Checks the rows of a tile of the file, and brings those of quad tiles into the plain encoding
// (tile.h, T1 and T2). Used by tile.cc only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/codec/varint.h"
#include "weft/rete/tile.h"

namespace weft::rete {

// Walks the body of a plain tile or of one graph of a quad tile, checking everything, and notes
// checkpoints. Writes the body anew in the plain encoding if `out` is given.
class BodyWalker {
 public:
  struct Rules {
    bool first_a_given = false;  // the first a is not in the body
    bool zigzag_b = false;       // the first b of each a is a signed difference
    bool zigzag_c = false;       // the first c of each (a, b) is a signed difference
  };

  BodyWalker(const uint8_t* begin, const uint8_t* end, const IdLimits& limits, const Rules& rules)
      : begin_(begin), cursor_(begin), end_(end), limits_(limits), rules_(rules) {}

  // The first a if it is given.
  uint32_t first_a = 0;
  // Destination of the rewritten body, or nullptr to leave it as it is.
  std::string* out = nullptr;
  std::vector<Tile::Checkpoint>* checkpoints = nullptr;

  // nullptr if all is well, else the reason.
  const char* walk();

  uint32_t a_count = 0;
  uint32_t body_offset = 0;  // of the first a in `out`, or in the input
  uint64_t row_count = 0;
  uint32_t a_first = 0;
  uint32_t a_last = 0;
  uint32_t b_min = 0xFFFF'FFFF;
  uint32_t b_max = 0;
  uint32_t c_min = 0xFFFF'FFFF;
  uint32_t c_max = 0;
  // A varint is longer than an id needs: the body must be rewritten (T2).
  bool has_long_varints = false;
  const uint8_t* cursor() const { return cursor_; }

 private:
  static constexpr size_t kVarintBytesOfId = 5;

  bool varint(uint64_t& value) {
    const uint8_t* const before = cursor_;
    if (!codec::decode_varint(cursor_, end_, value)) {
      return false;
    }
    has_long_varints |= cursor_ - before > static_cast<ptrdiff_t>(kVarintBytesOfId);
    return true;
  }
  void put(uint64_t value) {
    if (out != nullptr) {
      codec::append_varint(*out, value);
    }
  }
  bool count(uint64_t& value) {
    // Whatever is counted takes a byte at least.
    return varint(value) && value > 0 && value <= static_cast<uint64_t>(end_ - cursor_);
  }
  // The next id of an ascending column: `previous` plus a positive difference.
  bool ascend(uint32_t previous, uint32_t limit, uint32_t& id) {
    uint64_t difference = 0;
    if (!varint(difference) || difference == 0 || difference > limit - previous) {
      return false;
    }
    id = previous + static_cast<uint32_t>(difference);
    return true;
  }
  // The first id of a zigzag column.
  bool shift(uint32_t& first, uint32_t limit) {
    uint64_t difference = 0;
    if (!varint(difference) || difference > uint64_t{1} << 33U) {
      return false;
    }
    const int64_t id = int64_t{first} + codec::unzigzag(difference);
    if (id < 1 || id > int64_t{limit}) {
      return false;
    }
    first = static_cast<uint32_t>(id);
    return true;
  }
  const char* walk_b(uint64_t b_count);
  const char* walk_c(uint64_t c_count);
  uint32_t place() const {
    return static_cast<uint32_t>(out != nullptr ? out->size()
                                                : static_cast<size_t>(cursor_ - begin_));
  }

  const uint8_t* begin_;
  const uint8_t* cursor_;
  const uint8_t* end_;
  IdLimits limits_;
  Rules rules_;
  TileRow row_;
  uint32_t first_b_ = 0;
  uint32_t first_c_ = 0;
  uint32_t a_left_ = 0;
  uint32_t b_left_ = 0;
};

}  // namespace weft::rete

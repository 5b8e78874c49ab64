// id -> row number of one node table: an open-addressed table over the column of ids.
//
// Immutable; thread-safe. About 8 to 16 bytes for each row besides the ids themselves.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/gqexec/column.h"

namespace weft::gqexec {

class KeyIndex {
 public:
  // Errors: kCancelled; kCorrupt for an id that comes twice or is null.
  static Result<KeyIndex> build(std::shared_ptr<const Column> ids, const std::stop_token& stop);

  // The row with this id; kNoRow if there is none.
  RowNumber find(std::string_view id) const { return find(id, hash(id)); }
  // Row numbers of all elements of an array of ids, added to `out`.
  void find_all(const columns::Array& ids, std::vector<RowNumber>& out) const;

  uint64_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t hash = 0;  // its upper half
    RowNumber row = kNoRow;
  };
  static uint64_t hash(std::string_view id);
  RowNumber find(std::string_view id, uint64_t hashed) const;
  std::string_view id_of(RowNumber row) const {
    const Column::Place place = ids_->at(row);
    return place.array->text(place.index);
  }

  std::shared_ptr<const Column> ids_;
  std::vector<Slot> slots_;
  size_t mask_ = 0;
};

}  // namespace weft::gqexec

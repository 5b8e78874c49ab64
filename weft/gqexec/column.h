// The values of one property for all rows of a table (or for the rows of a batch), in one piece or
// several.
//
// Immutable, cheap to copy; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/array.h"

namespace weft::gqexec {

// The number of a row in its table. 2^32 - 1 stands for none.
using RowNumber = uint32_t;
inline constexpr RowNumber kNoRow = UINT32_MAX;
inline constexpr uint64_t kRowsMax = UINT32_MAX;  // of one table

class Column {
 public:
  Column() = default;
  Column(columns::TypePtr type, std::vector<columns::ArrayPtr> pieces);

  // One array where 32-bit offsets allow it.
  static Result<Column> join(columns::TypePtr type, std::vector<columns::ArrayPtr> pieces);

  const columns::TypePtr& type() const { return type_; }
  size_t length() const { return length_; }
  const std::vector<columns::ArrayPtr>& pieces() const { return pieces_; }
  // Bytes of all buffers.
  uint64_t memory_bytes() const;

  struct Place {
    const columns::Array* array = nullptr;
    size_t index = 0;
  };
  Place at(size_t row) const {
    if (pieces_.size() == 1) {
      return {pieces_.front().get(), row};
    }
    return find(row);
  }
  // The values of `rows`, in that order. Errors: kLimit as columns::take.
  Result<columns::ArrayPtr> gather(std::span<const RowNumber> rows) const;

 private:
  Place find(size_t row) const;

  columns::TypePtr type_;
  std::vector<columns::ArrayPtr> pieces_;
  std::vector<size_t> starts_;
  size_t length_ = 0;
};

}  // namespace weft::gqexec

#include "weft/gqexec/column.h"

#include <algorithm>
#include <utility>

#include "weft/columns/builder.h"
#include "weft/columns/select.h"

namespace weft::gqexec {
namespace {

// Above it offsets of 32 bits may not do.
constexpr uint64_t kJoinedBytesMax = uint64_t{1} << 30U;

uint64_t buffer_bytes(const columns::Array& array) {
  const columns::ArrayParts& parts = array.parts();
  uint64_t bytes = parts.validity.size() + parts.offsets.size() + parts.values.size();
  for (const columns::ArrayPtr& child : parts.children) {
    bytes += buffer_bytes(*child);
  }
  return bytes;
}

}  // namespace

Column::Column(columns::TypePtr type, std::vector<columns::ArrayPtr> pieces)
    : type_(std::move(type)), pieces_(std::move(pieces)) {
  starts_.reserve(pieces_.size());
  for (const columns::ArrayPtr& piece : pieces_) {
    starts_.push_back(length_);
    length_ += piece->length();
  }
}

Result<Column> Column::join(columns::TypePtr type, std::vector<columns::ArrayPtr> pieces) {
  uint64_t bytes = 0;
  for (const columns::ArrayPtr& piece : pieces) {
    bytes += buffer_bytes(*piece);
  }
  if (pieces.size() > 1 && bytes <= kJoinedBytesMax) {
    WEFT_TRY(columns::ArrayPtr joined, columns::concat(pieces));
    pieces.assign(1, std::move(joined));
  }
  return Column(std::move(type), std::move(pieces));
}

uint64_t Column::memory_bytes() const {
  uint64_t bytes = 0;
  for (const columns::ArrayPtr& piece : pieces_) {
    bytes += buffer_bytes(*piece);
  }
  return bytes;
}

Column::Place Column::find(size_t row) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), row);
  const auto piece = static_cast<size_t>(after - starts_.begin()) - 1;
  return {pieces_[piece].get(), row - starts_[piece]};
}

Result<columns::ArrayPtr> Column::gather(std::span<const RowNumber> rows) const {
  if (pieces_.size() == 1) {
    const std::vector<uint64_t> indices(rows.begin(), rows.end());
    return columns::take(pieces_.front(), indices);
  }
  columns::ArrayBuilder builder(type_);
  builder.reserve(rows.size());
  for (const RowNumber row : rows) {
    const Place place = at(row);
    const bool is_text = columns::is_binary_like(type_->id());
    if (is_text && place.array->is_valid(place.index) &&
        !builder.text_fits(place.array->text(place.index).size())) {
      return Error(ErrorKind::kLimit, "a batch of text passes 2^31 - 1 bytes");
    }
    builder.append_from(*place.array, place.index);
  }
  return builder.finish();
}

}  // namespace weft::gqexec

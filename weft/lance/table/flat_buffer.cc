#include "weft/lance/table/flat_buffer.h"

namespace weft::lance {

std::optional<uint64_t> FlatTableView::load(uint64_t position, unsigned size) const {
  if (position > message_.size() || message_.size() - position < size) {
    return std::nullopt;
  }
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) {
    value |= static_cast<uint64_t>(message_[position + i]) << (8 * i);
  }
  return value;
}

FlatTableView FlatTableView::follow(ByteView message, uint64_t position) {
  const FlatTableView at(message, position);
  const std::optional<uint64_t> offset = at.load(position, 4);
  if (!offset || *offset == 0 || position + *offset + 4 > message.size()) {
    return {};
  }
  return FlatTableView(message, position + *offset);
}

FlatTableView FlatTableView::root(ByteView message) {
  return follow(message, 0);
}

std::optional<uint64_t> FlatTableView::field_position(unsigned field) const {
  if (!ok()) {
    return std::nullopt;
  }
  const std::optional<uint64_t> back = load(position_, 4);
  if (!back) {
    return std::nullopt;
  }
  // A signed distance; only vtables inside the message are taken.
  const int64_t vtable = static_cast<int64_t>(position_) - static_cast<int32_t>(*back);
  if (vtable < 0) {
    return std::nullopt;
  }
  const auto begin = static_cast<uint64_t>(vtable);
  const std::optional<uint64_t> size = load(begin, 2);
  if (!size) {
    return std::nullopt;
  }
  const uint64_t entry = 4 + 2 * uint64_t{field};
  if (entry + 2 > *size) {
    return 0;
  }
  const std::optional<uint64_t> offset = load(begin + entry, 2);
  if (!offset) {
    return std::nullopt;
  }
  return *offset == 0 ? 0 : position_ + *offset;
}

std::optional<uint64_t> FlatTableView::scalar(unsigned field, unsigned size,
                                              uint64_t absent) const {
  const std::optional<uint64_t> position = field_position(field);
  if (!position) {
    return std::nullopt;
  }
  return *position == 0 ? std::optional(absent) : load(*position, size);
}

FlatTableView FlatTableView::table(unsigned field) const {
  const std::optional<uint64_t> position = field_position(field);
  return position && *position != 0 ? follow(message_, *position) : FlatTableView();
}

std::optional<ByteView> FlatTableView::vector(unsigned field, size_t element_size) const {
  const FlatTableView at = table(field);  // a vector is found like a table
  if (!at.ok()) {
    return std::nullopt;
  }
  const std::optional<uint64_t> count = load(at.position_, 4);
  const uint64_t room = message_.size() - at.position_ - 4;
  if (!count || *count > room / element_size) {
    return std::nullopt;
  }
  return message_.subspan(at.position_ + 4, *count * element_size);
}

FlatTableView FlatTableView::table_at(unsigned field, size_t index) const {
  const std::optional<ByteView> offsets = vector(field, 4);
  if (!offsets || index >= offsets->size() / 4) {
    return {};
  }
  const auto begin = static_cast<uint64_t>(offsets->data() - message_.data());
  return follow(message_, begin + 4 * index);
}

}  // namespace weft::lance

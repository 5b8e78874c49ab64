#include "weft/columns/array.h"

#include <bit>
#include <limits>

namespace weft::columns {
namespace {

Error broken(std::string_view rule, const Array& array) {
  return Error(ErrorKind::kCorrupt, "an array is damaged")
      .with("rule", rule)
      .with("type", array.type()->to_string());
}

bool holds_bits(const Buffer& buffer, size_t bits) {
  return bits / 8 <= buffer.size() && (bits + 7) / 8 <= buffer.size();
}

// Offsets [offset, offset + length] never decrease, are not negative and end inside `end`.
template <typename T>
Status check_offsets(const Array& array, size_t end) {
  const ArrayParts& parts = array.parts();
  if (parts.length == 0) {
    return ok_status();
  }
  if (parts.offsets.size() / sizeof(T) < parts.offset + parts.length + 1) {
    return broken("offsets reach as far as the elements", array);
  }
  T before = parts.offsets.get<T>(parts.offset);
  if (before < 0) {
    return broken("offsets are not negative", array);
  }
  for (size_t i = 1; i <= parts.length; ++i) {
    const T next = parts.offsets.get<T>(parts.offset + i);
    if (next < before) {
      return broken("offsets never decrease", array);
    }
    before = next;
  }
  if (static_cast<uint64_t>(before) > end) {
    return broken("offsets stay inside what they point into", array);
  }
  return ok_status();
}

Status check_offsets(const Array& array, size_t end) {
  return has_large_offsets(array.id()) ? check_offsets<int64_t>(array, end)
                                       : check_offsets<int32_t>(array, end);
}

Status check_fixed(const Array& array, size_t end) {
  const size_t bits = bit_width(*array.type());
  if (end > std::numeric_limits<size_t>::max() / bits ||
      !holds_bits(array.parts().values, end * bits)) {
    return broken("values reach as far as the elements", array);
  }
  return ok_status();
}

Status check_dictionary(const Array& array) {
  const ArrayPtr& dictionary = array.parts().dictionary;
  if (dictionary == nullptr || !(*dictionary->type() == *array.type()->value_type())) {
    return broken("a dictionary array has its values", array);
  }
  for (size_t i = 0; i < array.length(); ++i) {
    if (array.is_valid(i) && static_cast<uint64_t>(array.integer(i)) >= dictionary->length()) {
      return broken("indices stay inside the dictionary", array);
    }
  }
  return dictionary->check();
}

Status check_children(const Array& array, size_t end) {
  const ArrayParts& parts = array.parts();
  if (parts.children.size() != array.type()->children().size()) {
    return broken("the children are those of the type", array);
  }
  for (size_t i = 0; i < parts.children.size(); ++i) {
    if (!(*parts.children[i]->type() == *array.type()->children()[i].type)) {
      return broken("the children have the types of their fields", array);
    }
    WEFT_TRY_STATUS(parts.children[i]->check());
  }
  if (is_list_like(array.id())) {
    return check_offsets(array, parts.children[0]->length());
  }
  for (const ArrayPtr& child : parts.children) {
    const uint64_t per =
        array.id() == TypeId::kFixedSizeList ? static_cast<uint64_t>(array.type()->list_size()) : 1;
    if (end != 0 && child->length() / end < per) {
      return broken("children reach as far as the elements", array);
    }
  }
  return ok_status();
}

}  // namespace

size_t Array::null_count() const {
  if (id() == TypeId::kNull) {
    return parts_.length;
  }
  if (parts_.validity.empty()) {
    return 0;
  }
  size_t valid = 0;
  size_t position = parts_.offset;
  const size_t end = parts_.offset + parts_.length;
  for (; position < end && position % 64 != 0; ++position) {
    valid += parts_.validity.bit(position) ? 1 : 0;
  }
  for (; position + 64 <= end; position += 64) {
    valid += static_cast<size_t>(std::popcount(parts_.validity.get<uint64_t>(position / 64)));
  }
  for (; position < end; ++position) {
    valid += parts_.validity.bit(position) ? 1 : 0;
  }
  return parts_.length - valid;
}

ByteView Array::fixed(size_t index) const {
  const size_t width = bit_width(*parts_.type) / 8;
  return parts_.values.view().subspan((parts_.offset + index) * width, width);
}

std::string_view Array::text(size_t index) const& {
  const auto [begin, end] = list_range(index);
  return as_text(parts_.values.view().subspan(begin, end - begin));
}

int64_t Array::integer(size_t index) const {
  const TypeId id_of =
      id() == TypeId::kDictionary ? parts_.type->index_type()->id() : parts_.type->id();
  switch (id_of) {
    case TypeId::kInt8:
      return value<int8_t>(index);
    case TypeId::kUint8:
      return value<uint8_t>(index);
    case TypeId::kInt16:
      return value<int16_t>(index);
    case TypeId::kUint16:
      return value<uint16_t>(index);
    case TypeId::kInt32:
    case TypeId::kDate32:
    case TypeId::kTime32:
      return value<int32_t>(index);
    case TypeId::kUint32:
      return value<uint32_t>(index);
    default:
      WEFT_CHECK(bit_width(*parts_.type) == 64);
      return value<int64_t>(index);
  }
}

std::pair<size_t, size_t> Array::list_range(size_t index) const {
  const size_t position = parts_.offset + index;
  if (id() == TypeId::kFixedSizeList) {
    const auto size = static_cast<size_t>(parts_.type->list_size());
    return {position * size, (position + 1) * size};
  }
  if (has_large_offsets(id())) {
    return {static_cast<size_t>(parts_.offsets.get<int64_t>(position)),
            static_cast<size_t>(parts_.offsets.get<int64_t>(position + 1))};
  }
  return {static_cast<size_t>(parts_.offsets.get<int32_t>(position)),
          static_cast<size_t>(parts_.offsets.get<int32_t>(position + 1))};
}

ArrayPtr Array::slice(size_t from, size_t count) const {
  WEFT_CHECK(from <= parts_.length && count <= parts_.length - from);
  ArrayParts parts = parts_;
  parts.offset += from;
  parts.length = count;
  return make(std::move(parts));
}

Status Array::check() const {
  if (parts_.offset > std::numeric_limits<size_t>::max() / 2 - parts_.length) {
    return broken("length and offset are possible", *this);
  }
  const size_t end = parts_.offset + parts_.length;
  if (!parts_.validity.empty() && !holds_bits(parts_.validity, end)) {
    return broken("validity reaches as far as the elements", *this);
  }
  if (is_binary_like(id())) {
    return check_offsets(*this, parts_.values.size());
  }
  if (id() == TypeId::kNull) {
    return ok_status();
  }
  if (bit_width(*parts_.type) != 0) {
    WEFT_TRY_STATUS(check_fixed(*this, end));
    return id() == TypeId::kDictionary ? check_dictionary(*this) : ok_status();
  }
  return check_children(*this, end);
}

}  // namespace weft::columns

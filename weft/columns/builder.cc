#include "weft/columns/builder.h"

#include <limits>

namespace weft::columns {
namespace {

constexpr uint64_t kSmallOffsetMax = std::numeric_limits<int32_t>::max();

}  // namespace

ArrayBuilder::ArrayBuilder(TypePtr type) : type_(std::move(type)) {
  for (const Field& child : type_->children()) {
    children_.emplace_back(child.type);
  }
  append_offset();
}

// The offset behind the last element: where its bytes or items end.
void ArrayBuilder::append_offset() {
  const TypeId id = type_->id();
  const uint64_t end = is_binary_like(id) ? values_.size() : list_end_;
  if (has_large_offsets(id)) {
    offsets64_.push_back(static_cast<int64_t>(end));
  } else if (is_binary_like(id) || is_list_like(id)) {
    WEFT_CHECK(end <= kSmallOffsetMax);
    offsets32_.push_back(static_cast<int32_t>(end));
  }
}

void ArrayBuilder::append_validity(bool valid) {
  const size_t position = length_++;
  if (!valid && null_count_++ == 0) {
    validity_.assign(position / 8 + 1, 0xff);
  }
  if (null_count_ == 0) {
    return;
  }
  if (position / 8 == validity_.size()) {
    validity_.push_back(0);
  }
  const auto bit = static_cast<uint8_t>(1U << (position % 8));
  validity_[position / 8] =
      static_cast<uint8_t>(valid ? validity_[position / 8] | bit : validity_[position / 8] & ~bit);
}

void ArrayBuilder::reserve(size_t elements) {
  const uint32_t bits = bit_width(*type_);
  if (bits >= 8) {
    values_.reserve(values_.size() + elements * (bits / 8));
  } else if (has_large_offsets(type_->id())) {
    offsets64_.reserve(offsets64_.size() + elements);
  } else if (is_binary_like(type_->id()) || is_list_like(type_->id())) {
    offsets32_.reserve(offsets32_.size() + elements);
  }
}

void ArrayBuilder::append_null() {
  const TypeId id = type_->id();
  append_validity(false);
  if (id == TypeId::kBool) {
    values_.resize((length_ + 7) / 8);
  } else if (id == TypeId::kFixedSizeList) {
    for (int32_t i = 0; i < type_->list_size(); ++i) {
      children_[0].append_null();
    }
  } else if (id == TypeId::kStruct) {
    for (ArrayBuilder& child : children_) {
      child.append_null();
    }
  } else {
    values_.resize(values_.size() + bit_width(*type_) / 8);
    append_offset();
  }
}

void ArrayBuilder::append_boolean(bool value) {
  WEFT_CHECK(type_->id() == TypeId::kBool);
  append_validity(true);
  values_.resize((length_ + 7) / 8);
  if (value) {
    const size_t position = length_ - 1;
    values_[position / 8] = static_cast<uint8_t>(values_[position / 8] | (1U << (position % 8)));
  }
}

void ArrayBuilder::append_integer(int64_t value) {
  const size_t width = bit_width(*type_) / 8;
  WEFT_CHECK(width >= 1 && width <= sizeof(value));
  append_fixed(ByteView(reinterpret_cast<const std::byte*>(&value), width));
}

void ArrayBuilder::append_float(float value) {
  WEFT_CHECK(type_->id() == TypeId::kFloat);
  append_fixed(std::as_bytes(std::span<const float, 1>(&value, 1)));
}

void ArrayBuilder::append_double(double value) {
  WEFT_CHECK(type_->id() == TypeId::kDouble);
  append_fixed(std::as_bytes(std::span<const double, 1>(&value, 1)));
}

void ArrayBuilder::append_fixed(ByteView bytes) {
  WEFT_CHECK(bytes.size() * 8 == bit_width(*type_));
  append_validity(true);
  const uint8_t* const octets = as_octets(bytes);
  values_.insert(values_.end(), octets, octets + bytes.size());
}

void ArrayBuilder::append_values(ByteView bytes) {
  const size_t width = bit_width(*type_) / 8;
  WEFT_CHECK(width != 0 && bytes.size() % width == 0);
  const size_t count = bytes.size() / width;
  if (null_count_ == 0) {
    length_ += count;
  } else {
    for (size_t i = 0; i < count; ++i) {
      append_validity(true);
    }
  }
  const uint8_t* const octets = as_octets(bytes);
  values_.insert(values_.end(), octets, octets + bytes.size());
}

bool ArrayBuilder::text_fits(size_t more_bytes) const {
  return has_large_offsets(type_->id()) ||
         (values_.size() <= kSmallOffsetMax && more_bytes <= kSmallOffsetMax - values_.size());
}

void ArrayBuilder::append_text(std::string_view text) {
  WEFT_CHECK(is_binary_like(type_->id()) && text_fits(text.size()));
  append_validity(true);
  values_.insert(values_.end(), text.begin(), text.end());
  append_offset();
}

void ArrayBuilder::append_list(size_t items) {
  WEFT_CHECK(is_list_like(type_->id()));
  append_validity(true);
  list_end_ += items;
  append_offset();
}

void ArrayBuilder::append_fixed_list() {
  WEFT_CHECK(type_->id() == TypeId::kFixedSizeList);
  append_validity(true);
}

void ArrayBuilder::append_struct() {
  WEFT_CHECK(type_->id() == TypeId::kStruct);
  append_validity(true);
}

void ArrayBuilder::append_from(const Array& array, size_t index) {
  const TypeId id = array.id();
  if (array.is_null(index)) {
    append_null();
  } else if (id == TypeId::kBool) {
    append_boolean(array.boolean(index));
  } else if (is_binary_like(id)) {
    append_text(array.text(index));
  } else if (id == TypeId::kStruct) {
    append_struct();
    for (size_t i = 0; i < children_.size(); ++i) {
      children_[i].append_from(*array.child(i), array.parts().offset + index);
    }
  } else if (is_list_like(id) || id == TypeId::kFixedSizeList) {
    const auto [from, to] = array.list_range(index);
    if (id == TypeId::kFixedSizeList) {
      append_fixed_list();
    } else {
      append_list(to - from);
    }
    for (size_t i = from; i < to; ++i) {
      children_[0].append_from(*array.child(0), i);
    }
  } else {
    append_fixed(array.fixed(index));
    if (id == TypeId::kDictionary && dictionary_ == nullptr) {
      dictionary_ = array.parts().dictionary;
    }
  }
}

ArrayPtr ArrayBuilder::finish() {
  ArrayParts parts;
  parts.type = type_;
  parts.length = length_;
  if (type_->id() != TypeId::kNull) {
    if (null_count_ != 0) {
      parts.validity = Buffer::from(std::move(validity_));
    }
    parts.values = Buffer::from(std::move(values_));
    if (!offsets64_.empty()) {
      parts.offsets = Buffer::from(std::move(offsets64_));
    } else if (!offsets32_.empty()) {
      parts.offsets = Buffer::from(std::move(offsets32_));
    }
    for (ArrayBuilder& child : children_) {
      parts.children.push_back(child.finish());
    }
    parts.dictionary = std::move(dictionary_);
    if (type_->id() == TypeId::kDictionary && parts.dictionary == nullptr) {
      parts.dictionary = ArrayBuilder(type_->value_type()).finish();
    }
  }
  *this = ArrayBuilder(type_);
  return Array::make(std::move(parts));
}

ArrayPtr null_array(const TypePtr& type, size_t length) {
  const TypeId id = type->id();
  ArrayParts parts;
  parts.type = type;
  parts.length = length;
  if (id == TypeId::kNull) {
    return Array::make(std::move(parts));
  }
  parts.validity = Buffer::from(std::vector<uint8_t>((length + 7) / 8));
  if (length == 0) {
    parts.validity = Buffer();
  }
  if (is_binary_like(id) || is_list_like(id)) {
    const size_t width = has_large_offsets(id) ? sizeof(int64_t) : sizeof(int32_t);
    parts.offsets = Buffer::from(std::vector<uint8_t>((length + 1) * width));
  } else {
    const size_t bits = bit_width(*type);
    parts.values = Buffer::from(std::vector<uint8_t>((length * bits + 7) / 8));
  }
  size_t per = 1;
  if (is_list_like(id)) {
    per = 0;
  } else if (id == TypeId::kFixedSizeList) {
    per = static_cast<size_t>(type->list_size());
  }
  for (const Field& child : type->children()) {
    parts.children.push_back(null_array(child.type, length * per));
  }
  if (id == TypeId::kDictionary) {
    parts.dictionary = null_array(type->value_type(), 0);
  }
  return Array::make(std::move(parts));
}

}  // namespace weft::columns

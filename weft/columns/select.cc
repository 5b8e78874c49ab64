#include "weft/columns/select.h"

#include <limits>
#include <string>
#include <unordered_map>

#include "weft/columns/builder.h"

namespace weft::columns {
namespace {

constexpr uint64_t kSmallOffsetMax = std::numeric_limits<int32_t>::max();

Error too_long() {
  return Error(ErrorKind::kLimit, "an array with 32-bit offsets would become too long")
      .with("bytes_or_items_max", kSmallOffsetMax);
}

// Bits of `array`'s validity (or boolean values) at the chosen elements.
template <typename Bit>
std::vector<uint8_t> gather_bits(std::span<const uint64_t> indices, const Bit& bit) {
  std::vector<uint8_t> out((indices.size() + 7) / 8);
  for (size_t i = 0; i < indices.size(); ++i) {
    out[i / 8] =
        static_cast<uint8_t>(out[i / 8] | (static_cast<unsigned>(bit(indices[i])) << (i % 8)));
  }
  return out;
}

template <typename T>
void gather_fixed(const std::byte* values, std::span<const uint64_t> indices, std::byte* out) {
  for (const uint64_t index : indices) {
    std::memcpy(out, values + index * sizeof(T), sizeof(T));
    out += sizeof(T);
  }
}

std::vector<std::byte> gather_values(const Array& array, std::span<const uint64_t> indices) {
  const size_t width = bit_width(*array.type()) / 8;
  std::vector<std::byte> out(indices.size() * width);
  const std::byte* const values = array.parts().values.data() + array.parts().offset * width;
  switch (width) {
    case 1:
      gather_fixed<uint8_t>(values, indices, out.data());
      break;
    case 2:
      gather_fixed<uint16_t>(values, indices, out.data());
      break;
    case 4:
      gather_fixed<uint32_t>(values, indices, out.data());
      break;
    case 8:
      gather_fixed<uint64_t>(values, indices, out.data());
      break;
    default:
      for (size_t i = 0; i < indices.size(); ++i) {
        std::memcpy(out.data() + i * width, values + indices[i] * width, width);
      }
  }
  return out;
}

// The chosen elements' ranges, and their end offsets from zero on.
template <typename T>
Result<std::vector<T>> gather_offsets(const Array& array, std::span<const uint64_t> indices) {
  std::vector<T> out(indices.size() + 1);
  uint64_t end = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (array.is_valid(indices[i])) {
      const auto [from, to] = array.list_range(indices[i]);
      end += to - from;
    }
    if (end > static_cast<uint64_t>(std::numeric_limits<T>::max())) {
      return too_long();
    }
    out[i + 1] = static_cast<T>(end);
  }
  return out;
}

Status take_text(const Array& array, std::span<const uint64_t> indices, ArrayParts& out) {
  uint64_t size = 0;
  if (has_large_offsets(array.id())) {
    WEFT_TRY(std::vector<int64_t> offsets, gather_offsets<int64_t>(array, indices));
    size = static_cast<uint64_t>(offsets.back());
    out.offsets = Buffer::from(std::move(offsets));
  } else {
    WEFT_TRY(std::vector<int32_t> offsets, gather_offsets<int32_t>(array, indices));
    size = static_cast<uint64_t>(offsets.back());
    out.offsets = Buffer::from(std::move(offsets));
  }
  std::vector<char> bytes(size);
  char* to = bytes.data();
  for (const uint64_t index : indices) {
    if (array.is_valid(index)) {
      const std::string_view text = array.text(index);
      to = std::copy(text.begin(), text.end(), to);
    }
  }
  out.values = Buffer::from(std::move(bytes));
  return ok_status();
}

Status take_lists(const Array& array, std::span<const uint64_t> indices, ArrayParts& out) {
  std::vector<uint64_t> items;
  const bool fixed = array.id() == TypeId::kFixedSizeList;
  for (const uint64_t index : indices) {
    if (fixed || array.is_valid(index)) {
      const auto [from, to] = array.list_range(index);
      for (size_t i = from; i < to; ++i) {
        items.push_back(i);
      }
    }
  }
  WEFT_TRY(ArrayPtr child, take(array.child(0), items));
  out.children.push_back(std::move(child));
  if (fixed) {
    return ok_status();
  }
  if (has_large_offsets(array.id())) {
    WEFT_TRY(std::vector<int64_t> offsets, gather_offsets<int64_t>(array, indices));
    out.offsets = Buffer::from(std::move(offsets));
  } else {
    WEFT_TRY(std::vector<int32_t> offsets, gather_offsets<int32_t>(array, indices));
    out.offsets = Buffer::from(std::move(offsets));
  }
  return ok_status();
}

Status take_members(const Array& array, std::span<const uint64_t> indices, ArrayParts& out) {
  std::vector<uint64_t> positions(indices.begin(), indices.end());
  for (uint64_t& position : positions) {
    position += array.parts().offset;
  }
  for (const ArrayPtr& child : array.parts().children) {
    WEFT_TRY(ArrayPtr taken, take(child, positions));
    out.children.push_back(std::move(taken));
  }
  return ok_status();
}

Result<ArrayPtr> concat_dictionaries(const std::vector<ArrayPtr>& arrays) {
  std::vector<ArrayPtr> decoded;
  for (const ArrayPtr& array : arrays) {
    WEFT_TRY(ArrayPtr values, dictionary_decode(array));
    decoded.push_back(std::move(values));
  }
  WEFT_TRY(const ArrayPtr values, concat(decoded));
  return dictionary_encode(values, arrays[0]->type());
}

// A fixed-size list of many fixed-width values is one run of bytes: no index per value.
bool is_plain(const Array& array) {
  return bit_width(*array.type()) >= 8 && array.parts().validity.empty();
}

}  // namespace

Result<ArrayPtr> take(const ArrayPtr& array, std::span<const uint64_t> indices) {
  ArrayParts out;
  out.type = array->type();
  out.length = indices.size();
  const TypeId id = array->id();
  if (id == TypeId::kNull) {
    return Array::make(std::move(out));
  }
  if (!array->parts().validity.empty()) {
    out.validity =
        Buffer::from(gather_bits(indices, [&](uint64_t index) { return array->is_valid(index); }));
  }
  if (id == TypeId::kBool) {
    out.values =
        Buffer::from(gather_bits(indices, [&](uint64_t index) { return array->boolean(index); }));
  } else if (is_binary_like(id)) {
    WEFT_TRY_STATUS(take_text(*array, indices, out));
  } else if (id == TypeId::kStruct) {
    WEFT_TRY_STATUS(take_members(*array, indices, out));
  } else if (id == TypeId::kFixedSizeList && is_plain(*array->child(0))) {
    const ArrayParts& child = array->child(0)->parts();
    const auto size = static_cast<size_t>(array->type()->list_size());
    const size_t width = bit_width(*child.type) / 8;
    std::vector<std::byte> bytes(indices.size() * size * width);
    for (size_t i = 0; i < indices.size(); ++i) {
      const size_t from = (child.offset + (array->parts().offset + indices[i]) * size) * width;
      std::memcpy(bytes.data() + i * size * width, child.values.data() + from, size * width);
    }
    ArrayParts items;
    items.type = child.type;
    items.length = indices.size() * size;
    items.values = Buffer::from(std::move(bytes));
    items.dictionary = child.dictionary;
    out.children.push_back(Array::make(std::move(items)));
  } else if (is_list_like(id) || id == TypeId::kFixedSizeList) {
    WEFT_TRY_STATUS(take_lists(*array, indices, out));
  } else {
    out.values = Buffer::from(gather_values(*array, indices));
    out.dictionary = array->parts().dictionary;
  }
  return Array::make(std::move(out));
}

Result<Batch> take(const Batch& batch, std::span<const uint64_t> indices) {
  std::vector<ArrayPtr> columns;
  for (const ArrayPtr& column : batch.columns()) {
    WEFT_TRY(ArrayPtr taken, take(column, indices));
    columns.push_back(std::move(taken));
  }
  return Batch::make(batch.schema(), std::move(columns), indices.size());
}

Result<ArrayPtr> concat(const std::vector<ArrayPtr>& arrays) {
  WEFT_CHECK(!arrays.empty());
  if (arrays.size() == 1) {
    return arrays[0];
  }
  const TypePtr& type = arrays[0]->type();
  for (const ArrayPtr& array : arrays) {
    if (!(*array->type() == *type)) {
      return Error(ErrorKind::kInvalid, "arrays of different types cannot be joined")
          .with("type", type->to_string())
          .with("other_type", array->type()->to_string());
    }
  }
  if (type->id() == TypeId::kDictionary) {
    return concat_dictionaries(arrays);
  }
  ArrayBuilder builder(type);
  for (const ArrayPtr& array : arrays) {
    const bool text = is_binary_like(type->id());
    if (is_plain(*array)) {
      const size_t width = bit_width(*type) / 8;
      builder.append_values(array->parts().values.view().subspan(array->parts().offset * width,
                                                                 array->length() * width));
      continue;
    }
    for (size_t i = 0; i < array->length(); ++i) {
      if (text && array->is_valid(i) && !builder.text_fits(array->text(i).size())) {
        return too_long();
      }
      builder.append_from(*array, i);
    }
  }
  return builder.finish();
}

Result<ArrayPtr> dictionary_encode(const ArrayPtr& values, const TypePtr& dictionary_type) {
  WEFT_CHECK(*values->type() == *dictionary_type->value_type());
  const uint32_t bits = bit_width(*dictionary_type->index_type());
  const TypeId index_id = dictionary_type->index_type()->id();
  const bool is_signed = index_id >= TypeId::kInt8 && index_id <= TypeId::kInt64;
  const uint64_t items_max = bits - (is_signed ? 1 : 0) >= 63
                                 ? std::numeric_limits<uint64_t>::max()
                                 : uint64_t{1} << (bits - (is_signed ? 1 : 0));
  const bool text = is_binary_like(values->id());
  std::unordered_map<std::string, int64_t> seen;
  ArrayBuilder items(values->type());
  ArrayBuilder indices(dictionary_type);
  for (size_t i = 0; i < values->length(); ++i) {
    if (values->is_null(i)) {
      indices.append_null();
      continue;
    }
    std::string key = text                            ? std::string(values->text(i))
                      : values->id() == TypeId::kBool ? std::string(values->boolean(i) ? "1" : "0")
                                                      : to_text(values->fixed(i));
    const auto [entry, added] =
        seen.try_emplace(std::move(key), static_cast<int64_t>(items.length()));
    if (added) {
      if (items.length() >= items_max) {
        return Error(ErrorKind::kLimit, "more distinct values than the dictionary's index counts")
            .with("values_max", items_max);
      }
      items.append_from(*values, i);
    }
    indices.append_integer(entry->second);
  }
  indices.set_dictionary(items.finish());
  return indices.finish();
}

Result<ArrayPtr> dictionary_decode(const ArrayPtr& array) {
  ArrayBuilder builder(array->type()->value_type());
  const ArrayPtr& dictionary = array->parts().dictionary;
  for (size_t i = 0; i < array->length(); ++i) {
    if (array->is_null(i)) {
      builder.append_null();
      continue;
    }
    const auto index = static_cast<size_t>(array->integer(i));
    if (is_binary_like(dictionary->id()) && dictionary->is_valid(index) &&
        !builder.text_fits(dictionary->text(index).size())) {
      return too_long();
    }
    builder.append_from(*dictionary, index);
  }
  return builder.finish();
}

}  // namespace weft::columns

#include "weft/lance/write/leaf_values.h"

#include <algorithm>
#include <cstring>

#include "weft/lance/write/data_file_writer.h"

namespace weft::lance::write {

using columns::Array;
using columns::ArrayPtr;
using columns::TypeId;

namespace {

Error too_long(const Leaf& leaf, uint64_t size) {
  return Error(ErrorKind::kLimit, "value is too long")
      .with("field", leaf.steps.back().name)
      .with("size", size)
      .with("value_bytes_max", leaf.value_bytes_max);
}

// Where texts end, behind the last of `ends`; a null takes nothing. Returns the longest length.
template <typename Offset>
uint64_t append_ends(const Array& array, size_t begin, size_t end, std::vector<uint64_t>& ends) {
  const columns::Buffer& offsets = array.parts().offsets;
  const bool has_nulls = !array.parts().validity.empty();
  size_t at = ends.size();
  uint64_t last = ends.back();
  ends.resize(at + (end - begin));
  uint64_t longest = 0;
  Offset from = end == begin ? 0 : offsets.get<Offset>(array.parts().offset + begin);
  for (size_t i = begin; i < end; ++i, ++at) {
    const Offset to = offsets.get<Offset>(array.parts().offset + i + 1);
    const uint64_t size = !has_nulls || array.is_valid(i) ? static_cast<uint64_t>(to - from) : 0;
    from = to;
    longest = std::max(longest, size);
    last += size;
    ends[at] = last;
  }
  return longest;
}

Status append_texts(const Array& array, const Leaf& leaf, size_t begin, size_t end,
                    PageRows& rows) {
  if (rows.offsets.empty()) {
    rows.offsets.push_back(0);
  }
  const bool has_nulls = !array.parts().validity.empty();
  const size_t first = rows.offsets.size();
  // Lengths first: nothing is copied of a value that is too long.
  const uint64_t longest = columns::has_large_offsets(array.id())
                               ? append_ends<int64_t>(array, begin, end, rows.offsets)
                               : append_ends<int32_t>(array, begin, end, rows.offsets);
  if (longest > leaf.value_bytes_max) {
    return too_long(leaf, longest);
  }
  const auto copy = [&](size_t index, uint64_t size) {
    const auto* from = reinterpret_cast<const uint8_t*>(array.text(index).data());
    rows.values.insert(rows.values.end(), from, from + size);
  };
  if (!has_nulls && begin < end) {
    copy(begin, rows.offsets.back() - rows.offsets[first - 1]);  // they lie side by side
  }
  for (size_t i = begin; has_nulls && i < end; ++i) {
    const size_t at = first + (i - begin);
    if (rows.offsets[at] != rows.offsets[at - 1]) {
      copy(i, rows.offsets[at] - rows.offsets[at - 1]);
    }
  }
  return ok_status();
}

void append_bits(const Array& array, size_t begin, size_t end, PageRows& rows) {
  const size_t at = rows.values.size();
  rows.values.resize(at + (end - begin));
  for (size_t i = begin; i < end; ++i) {
    rows.values[at + (i - begin)] = array.is_valid(i) && array.boolean(i) ? 1 : 0;
  }
}

void append_fixed(const Array& array, uint64_t size, size_t begin, size_t end, PageRows& rows) {
  const size_t at = rows.values.size();
  const auto* from = reinterpret_cast<const uint8_t*>(array.parts().values.data()) +
                     (array.parts().offset + begin) * size;
  rows.values.insert(rows.values.end(), from, from + (end - begin) * size);
  if (array.parts().validity.empty()) {
    return;
  }
  for (size_t i = begin; i < end; ++i) {
    if (array.is_null(i)) {
      std::memset(rows.values.data() + at + (i - begin) * size, 0, size);
    }
  }
}

// Fixed-size lists: the values of the innermost array, and which items are null.
Status append_lists(const Array& array, const Leaf& leaf, size_t begin, size_t end,
                    PageRows& rows) {
  const uint64_t items = leaf.shape.items();
  const size_t first_value = rows.values.size();
  const Array* inner = &array;
  size_t from = begin;
  size_t to = end;
  for (size_t level = 0; level < leaf.shape.lists.size(); ++level) {
    const auto size = static_cast<size_t>(leaf.shape.lists[level]);
    from = (inner->parts().offset + from) * size;
    to = (inner->parts().offset + to) * size;
    inner = inner->child(0).get();
    const bool is_item = level + 1 == leaf.shape.lists.size();
    if (!inner->parts().validity.empty() && (leaf.shape.lists.size() > 1 || !is_item)) {
      // The format has validity for the items of a list, not for those of a list in a list.
      for (size_t i = from; i < to; ++i) {
        if (inner->is_null(i) && array.is_valid(begin + (i - from) * (end - begin) / (to - from))) {
          return Error(ErrorKind::kUnsupported,
                       "lance files have no nulls inside nested fixed-size lists")
              .with("field", leaf.steps.back().name);
        }
      }
    }
  }
  if (leaf.shape.kind == ValueKind::kBits) {
    append_bits(*inner, from, to, rows);
  } else {
    append_fixed(*inner, leaf.shape.bits / 8, from, to, rows);
  }
  const bool item_nulls = leaf.shape.lists.size() == 1 && !inner->parts().validity.empty();
  if (item_nulls || !rows.item_validity.empty()) {
    const uint64_t slots = rows.slot_count;
    rows.item_validity.resize((slots + (end - begin)) * items, 1);
    for (size_t i = 0; item_nulls && i < to - from; ++i) {
      const bool list_is_null = array.is_null(begin + i / items);
      rows.item_validity[slots * items + i] = list_is_null || inner->is_valid(from + i) ? 1 : 0;
    }
  }
  if (!array.parts().validity.empty()) {
    const uint64_t size = leaf.shape.gathered_bytes();
    for (size_t i = begin; i < end; ++i) {
      if (array.is_null(i)) {
        std::memset(rows.values.data() + first_value + (i - begin) * size, 0, size);
      }
    }
  }
  return ok_status();
}

Status append_plain(const Array& array, const Leaf& leaf, size_t begin, size_t end,
                    PageRows& rows) {
  if (!leaf.shape.lists.empty()) {
    return append_lists(array, leaf, begin, end, rows);
  }
  switch (leaf.shape.kind) {
    case ValueKind::kNull:
      break;
    case ValueKind::kText:
      return append_texts(array, leaf, begin, end, rows);
    case ValueKind::kBits:
      append_bits(array, begin, end, rows);
      break;
    case ValueKind::kFixed:
      append_fixed(array, leaf.shape.bits / 8, begin, end, rows);
      break;
  }
  return ok_status();
}

}  // namespace

uint64_t text_bytes(const Array& array, size_t begin, size_t end) {
  const size_t first = array.parts().offset + begin;
  const size_t last = array.parts().offset + end;
  const columns::Buffer& offsets = array.parts().offsets;
  if (columns::has_large_offsets(array.id())) {
    return static_cast<uint64_t>(offsets.get<int64_t>(last) - offsets.get<int64_t>(first));
  }
  return static_cast<uint64_t>(offsets.get<int32_t>(last) - offsets.get<int32_t>(first));
}

bool may_have_nulls(const Array& array) {
  if (array.id() == TypeId::kNull || !array.parts().validity.empty()) {
    return true;
  }
  return array.id() == TypeId::kDictionary && may_have_nulls(*array.parts().dictionary);
}

bool is_null_value(const Array& array, size_t index) {
  if (array.id() != TypeId::kDictionary) {
    return array.is_null(index);
  }
  if (array.is_null(index)) {
    return true;
  }
  const Array& dictionary = *array.parts().dictionary;
  const auto item = static_cast<size_t>(array.integer(index));
  return item < dictionary.length() && is_null_value(dictionary, item);
}

void append_empty_slot(const Leaf& leaf, PageRows& rows) {
  if (leaf.shape.kind == ValueKind::kText) {
    if (rows.offsets.empty()) {
      rows.offsets.push_back(0);
    }
    rows.offsets.push_back(rows.offsets.back());
  }
  rows.values.resize(rows.values.size() + leaf.shape.gathered_bytes(), 0);
  ++rows.slot_count;
  if (!rows.item_validity.empty()) {
    rows.item_validity.resize(rows.slot_count * leaf.shape.items(), 1);
  }
}

Status append_values(const Array& array, const Leaf& leaf, size_t begin, size_t end,
                     PageRows& rows) {
  if (array.id() != TypeId::kDictionary) {
    WEFT_TRY_STATUS(append_plain(array, leaf, begin, end, rows));
    rows.slot_count += end - begin;
    return ok_status();
  }
  const ArrayPtr& dictionary = array.parts().dictionary;
  for (size_t i = begin; i < end; ++i) {
    if (is_null_value(array, i)) {
      append_empty_slot(leaf, rows);
      continue;
    }
    const auto item = static_cast<size_t>(array.integer(i));
    if (item >= dictionary->length()) {
      return Error(ErrorKind::kInvalid, "index beyond its dictionary")
          .with("field", leaf.steps.back().name)
          .with("index", item);
    }
    WEFT_TRY_STATUS(append_plain(*dictionary, leaf, item, item + 1, rows));
    ++rows.slot_count;
  }
  return ok_status();
}

}  // namespace weft::lance::write

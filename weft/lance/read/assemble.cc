#include "weft/lance/read/assemble.h"

#include <cstring>
#include <limits>

#include "weft/columns/select.h"

namespace weft::lance::read {
namespace {

using columns::Array;
using columns::ArrayParts;
using columns::ArrayPtr;
using columns::Buffer;
using columns::TypeId;
using columns::TypePtr;

// The levels that are left for the layers outside of what has been assembled, and which layers
// those are. Levels up to `level` belong to what is inside.
struct Outside {
  Levels repetition;
  Levels definition;  // empty: all 0
  uint64_t event_count = 0;
  const std::vector<bool>* layer_is_list = nullptr;
  size_t layer = 0;          // the next layer
  unsigned level = 0;        // definition levels used so far
  unsigned lists = 0;        // list layers used so far
  unsigned visible_max = 0;  // of the items that are being looked at

  uint16_t definition_at(uint64_t event) const {
    return definition.empty() ? uint16_t{0} : definition[event];
  }
};

// Item layers from `layer` on, up to the next list.
unsigned items_from(const std::vector<bool>& layer_is_list, size_t layer) {
  unsigned count = 0;
  for (size_t i = layer; i < layer_is_list.size() && !layer_is_list[i]; ++i) {
    ++count;
  }
  return count;
}

class Assembly {
 public:
  Assembly(std::span<const LeafPath> paths, std::span<LeafOutput> outputs, ReadMemory& memory)
      : paths_(paths), outputs_(outputs), memory_(memory) {}

  Result<ArrayPtr> build(const TypePtr& type, Outside& outside) {
    if (columns::is_list_like(type->id())) {
      return build_list(type, outside);
    }
    return type->id() == TypeId::kStruct ? build_struct(type, outside) : build_leaf(type, outside);
  }

 private:
  // Takes one item layer: a bit for every visible event, 1 if the item is not null. Empty if all
  // are valid.
  Result<Buffer> take_items(Outside& outside, uint64_t& count) {
    const unsigned null_level = ++outside.level;
    ++outside.layer;
    if (outside.definition.empty()) {
      count = outside.event_count;
      return Buffer();
    }
    WEFT_TRY_STATUS(memory_.grow((outside.event_count + 7) / 8));
    std::vector<uint8_t> bits;
    uint64_t nulls = 0;
    if (outside.repetition.empty()) {
      // All events are visible: the common case of a plain column.
      count = outside.event_count;
      bits = pack_below(outside.definition, null_level, nulls);
    } else {
      bits.resize((outside.event_count + 7) / 8);
      count = 0;
      for (const uint16_t level : outside.definition) {
        if (level <= outside.visible_max) {
          const bool valid = level < null_level;
          nulls += valid ? 0 : 1;
          bits[count / 8] =
              static_cast<uint8_t>(bits[count / 8] | (unsigned{valid} << (count % 8)));
          ++count;
        }
      }
    }
    bits.resize((count + 7) / 8);
    return nulls == 0 ? Buffer() : Buffer::from(std::move(bits));
  }

  // A bit for each level: whether it is below `bound`.
  static std::vector<uint8_t> pack_below(const Levels& levels, unsigned bound, uint64_t& above) {
    std::vector<uint8_t> bits((levels.size() + 7) / 8);
    const size_t whole = levels.size() / 8;
    uint64_t below = 0;
    for (size_t i = 0; i < whole; ++i) {
      const uint16_t* const eight = levels.data() + i * 8;
      unsigned octet = 0;
      for (unsigned k = 0; k < 8; ++k) {
        octet |= static_cast<unsigned>(eight[k] < bound) << k;
      }
      below += static_cast<uint64_t>(__builtin_popcount(octet));
      bits[i] = static_cast<uint8_t>(octet);
    }
    for (size_t i = whole * 8; i < levels.size(); ++i) {
      const bool is_below = levels[i] < bound;
      below += is_below ? 1 : 0;
      bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | (unsigned{is_below} << (i % 8)));
    }
    above = levels.size() - below;
    return bits;
  }

  Result<ArrayPtr> build_leaf(const TypePtr& type, Outside& outside) {
    WEFT_CHECK(next_ < outputs_.size());
    const LeafPath& path = paths_[next_];
    LeafOutput& output = outputs_[next_++];
    outside.repetition = std::move(output.repetition);
    outside.definition = std::move(output.definition);
    outside.event_count = output.event_count;
    outside.layer_is_list = &path.layer_is_list;
    outside.visible_max = path.visible_max();
    uint64_t count = 0;
    WEFT_TRY(Buffer validity, take_items(outside, count));
    if (count != output.values.count()) {
      return page_damaged("there is a value for every visible event");
    }
    if (type->id() != TypeId::kDictionary) {
      return output.values.finish(type, std::move(validity));
    }
    WEFT_TRY(const ArrayPtr values, output.values.finish(type->value_type(), std::move(validity)));
    return columns::dictionary_encode(values, type);
  }

  Result<ArrayPtr> build_struct(const TypePtr& type, Outside& outside) {
    ArrayParts parts;
    parts.type = type;
    for (size_t i = 0; i < type->children().size(); ++i) {
      Outside of_child;
      WEFT_TRY(ArrayPtr child, build(type->children()[i].type, of_child));
      if (i == 0) {
        outside = std::move(of_child);
        parts.length = child->length();
      } else if (child->length() != parts.length) {
        return page_damaged("the members of a struct have the same length");
      }
      parts.children.push_back(std::move(child));
    }
    uint64_t count = 0;
    WEFT_TRY(parts.validity, take_items(outside, count));
    if (count != parts.length) {
      return page_damaged("a struct has as many rows as its members");
    }
    return Array::make(std::move(parts));
  }

  Result<ArrayPtr> build_list(const TypePtr& type, Outside& outside) {
    WEFT_TRY(ArrayPtr child, build(type->children()[0].type, outside));
    return columns::has_large_offsets(type->id())
               ? take_list<int64_t>(type, std::move(child), outside)
               : take_list<int32_t>(type, std::move(child), outside);
  }

  template <typename T>
  Result<ArrayPtr> take_list(const TypePtr& type, ArrayPtr child, Outside& outside) {
    if (child->length() > static_cast<uint64_t>(std::numeric_limits<T>::max())) {
      return Error(ErrorKind::kLimit, "the lists of one batch have too many items")
          .with("items", child->length());
    }
    if (outside.repetition.size() != outside.event_count) {
      return page_damaged("a column with lists has repetition levels");
    }
    const unsigned items_max = outside.visible_max;
    const unsigned empty_level = outside.level + 2;
    ++outside.layer;
    outside.level += 2;
    ++outside.lists;
    outside.visible_max = outside.level + items_from(*outside.layer_is_list, outside.layer);
    WEFT_TRY_STATUS(memory_.grow(outside.event_count * (sizeof(T) + 1)));
    std::vector<T> offsets;
    std::vector<uint8_t> validity;
    uint64_t nulls = 0;
    T items = 0;
    uint64_t kept = 0;
    for (uint64_t event = 0; event < outside.event_count; ++event) {
      const uint16_t level = outside.definition_at(event);
      if (outside.repetition[event] >= outside.lists) {
        if (level <= outside.visible_max) {
          const bool valid = level <= items_max || level == empty_level;
          const size_t position = offsets.size();
          offsets.push_back(items);
          if (position / 8 == validity.size()) {
            validity.push_back(0);
          }
          validity.back() =
              static_cast<uint8_t>(validity.back() | (unsigned{valid} << (position % 8)));
          nulls += valid ? 0 : 1;
        }
        outside.repetition[kept] = outside.repetition[event];
        if (!outside.definition.empty()) {
          outside.definition[kept] = level;
        }
        ++kept;
      } else if (level > items_max || kept == 0) {
        return page_damaged("an event without an item begins a list");
      }
      items = static_cast<T>(items + (level <= items_max ? 1 : 0));
    }
    outside.repetition.resize(kept);
    if (!outside.definition.empty()) {
      outside.definition.resize(kept);
    }
    outside.event_count = kept;
    ArrayParts parts;
    parts.type = type;
    parts.length = offsets.size();
    offsets.push_back(items);
    if (static_cast<uint64_t>(items) != child->length()) {
      return page_damaged("a list has all its items");
    }
    parts.offsets = Buffer::from(std::move(offsets));
    if (nulls != 0) {
      parts.validity = Buffer::from(std::move(validity));
    }
    parts.children.push_back(std::move(child));
    return Array::make(std::move(parts));
  }

  std::span<const LeafPath> paths_;
  std::span<LeafOutput> outputs_;
  ReadMemory& memory_;
  size_t next_ = 0;
};

}  // namespace

Result<ArrayPtr> assemble(const columns::Field& field, std::span<const LeafPath> paths,
                          std::span<LeafOutput> outputs, uint64_t row_count, ReadMemory& memory) {
  Outside outside;
  WEFT_TRY(ArrayPtr array, Assembly(paths, outputs, memory).build(field.type, outside));
  if (array->length() != row_count) {
    return page_damaged("a column has as many rows as were asked for")
        .with("column", field.name)
        .with("rows", array->length())
        .with("wanted", row_count);
  }
  if (!field.nullable && array->null_count() != 0 && field.type->id() != TypeId::kNull) {
    return page_damaged("a column that is not nullable has no nulls").with("column", field.name);
  }
  return array;
}

}  // namespace weft::lance::read

#include "weft/lance/write/shredder.h"

#include <algorithm>
#include <cstring>

#include "weft/lance/write/data_file_writer.h"
#include "weft/lance/write/leaf_values.h"

namespace weft::lance::write {

using columns::Array;
using columns::ArrayPtr;

namespace {

// Elements [begin, end) of `array`, which is the one at `step`, in bytes of a page.
uint64_t cost(const Array& array, const Leaf& leaf, size_t step, size_t begin, size_t end) {
  if (begin == end) {
    return 0;
  }
  const uint64_t count = end - begin;
  switch (leaf.steps[step].kind) {
    case StepKind::kStruct: {
      const size_t shift = array.parts().offset;
      return cost(*array.child(leaf.steps[step].child), leaf, step + 1, shift + begin, shift + end);
    }
    case StepKind::kList:
      return count + cost(*array.child(0), leaf, step + 1, array.list_range(begin).first,
                          array.list_range(end - 1).second);
    case StepKind::kLeaf:
      break;
  }
  if (leaf.shape.kind == ValueKind::kText && array.id() != columns::TypeId::kDictionary) {
    return 4 * count + text_bytes(array, begin, end);
  }
  // What a dictionary's text will take is not known before it is looked at: 16 bytes a value.
  const uint64_t size = leaf.shape.kind == ValueKind::kText ? 16 : leaf.shape.value_bits() / 8;
  return count * std::max<uint64_t>(1, size);
}

// Events on their way from the rows down to the leaf.
struct Events {
  std::vector<uint64_t> index;  // of the element in the array of the current step, if alive
  std::vector<uint8_t> repetition;
  std::vector<DefinitionCode> definition;
};

Error null_in(const Step& step) {
  return Error(ErrorKind::kInvalid, "null in a field that is not nullable")
      .with("field", step.name);
}

class Shredder {
 public:
  Shredder(const Leaf& leaf, PageRows& rows) : leaf_(leaf), rows_(rows) {}

  Status run(const Array& column, size_t begin, size_t end) {
    rows_.row_count += end - begin;
    if (leaf_.steps.size() == 1) {
      return append_leaf_run(column, begin, end);
    }
    const size_t count = end - begin;
    events_.index.resize(count);
    for (size_t i = 0; i < count; ++i) {
      events_.index[i] = begin + i;
    }
    events_.definition.assign(count, 0);
    lists_left_ = leaf_.list_count();
    in_lists_ = lists_left_ > 0;
    if (in_lists_) {
      events_.repetition.assign(count, static_cast<uint8_t>(lists_left_));
    }
    const Array* array = &column;
    for (size_t i = 0; i + 1 < leaf_.steps.size(); ++i) {
      const Step& step = leaf_.steps[i];
      const size_t layer = leaf_.steps.size() - 1 - i;
      if (step.kind == StepKind::kStruct) {
        WEFT_TRY_STATUS(enter_struct(*array, step, layer));
        array = array->child(step.child).get();
      } else {
        WEFT_TRY_STATUS(enter_list(*array, step, layer));
        array = array->child(0).get();
      }
    }
    return append_events(*array);
  }

 private:
  Status enter_struct(const Array& array, const Step& step, size_t layer) {
    const bool has_nulls = !array.parts().validity.empty();
    const size_t shift = array.parts().offset;
    for (size_t i = 0; i < events_.index.size(); ++i) {
      if (events_.definition[i] != 0) {
        continue;
      }
      if (has_nulls && array.is_null(events_.index[i])) {
        if (!step.nullable) {
          return null_in(step);
        }
        events_.definition[i] = null_code(layer);
      } else {
        events_.index[i] += shift;
      }
    }
    return ok_status();
  }

  Status enter_list(const Array& array, const Step& step, size_t layer) {
    const bool has_nulls = !array.parts().validity.empty();
    --lists_left_;
    Events next;
    const auto emit = [&next](uint64_t index, uint8_t repetition, DefinitionCode definition) {
      next.index.push_back(index);
      next.repetition.push_back(repetition);
      next.definition.push_back(definition);
    };
    for (size_t i = 0; i < events_.index.size(); ++i) {
      const uint8_t repetition = events_.repetition[i];
      if (events_.definition[i] != 0) {
        emit(0, repetition, events_.definition[i]);
        continue;
      }
      if (has_nulls && array.is_null(events_.index[i])) {
        if (!step.nullable) {
          return null_in(step);
        }
        emit(0, repetition, null_code(layer));
        continue;
      }
      const auto [first, last] = array.list_range(events_.index[i]);
      if (first == last) {
        emit(0, repetition, empty_code(layer));
        continue;
      }
      emit(first, repetition, 0);
      for (size_t item = first + 1; item < last; ++item) {
        emit(item, static_cast<uint8_t>(lists_left_), 0);
      }
    }
    events_ = std::move(next);
    return ok_status();
  }

  // A leaf that is in no struct and no list.
  Status append_leaf_run(const Array& array, size_t begin, size_t end) {
    const size_t count = end - begin;
    if (!may_have_nulls(array)) {
      grow_definition(count, false);
    } else {
      DefinitionCode* codes = grow_definition(count, true);
      bool any = false;
      for (size_t i = 0; i < count; ++i) {
        codes[i] = is_null_value(array, begin + i) ? null_code(0) : 0;
        any |= codes[i] != 0;
      }
      if (any && !leaf_.steps.back().nullable) {
        return null_in(leaf_.steps.back());
      }
    }
    rows_.event_count += count;
    return append_values(array, leaf_, begin, end, rows_);
  }

  Status append_events(const Array& array) {
    const size_t count = events_.index.size();
    const DefinitionCode invisible = first_invisible_code(leaf_);
    const bool leaf_nulls = may_have_nulls(array);
    for (size_t i = 0; leaf_nulls && i < count; ++i) {
      if (events_.definition[i] == 0 && is_null_value(array, events_.index[i])) {
        if (!leaf_.steps.back().nullable) {
          return null_in(leaf_.steps.back());
        }
        events_.definition[i] = null_code(0);
      }
    }
    const bool any = std::any_of(events_.definition.begin(), events_.definition.end(),
                                 [](DefinitionCode code) { return code != 0; });
    DefinitionCode* codes = grow_definition(count, any);
    if (codes != nullptr) {
      std::copy(events_.definition.begin(), events_.definition.end(), codes);
    }
    rows_.repetition.insert(rows_.repetition.end(), events_.repetition.begin(),
                            events_.repetition.end());
    rows_.event_count += count;
    // Neighbouring elements are copied together.
    for (size_t i = 0; i < count;) {
      const DefinitionCode code = events_.definition[i];
      if (!is_visible(code, invisible)) {
        ++i;
      } else if (code != 0) {
        append_empty_slot(leaf_, rows_);
        ++i;
      } else {
        size_t run = 1;
        while (i + run < count && events_.definition[i + run] == 0 &&
               events_.index[i + run] == events_.index[i] + run) {
          ++run;
        }
        WEFT_TRY_STATUS(
            append_values(array, leaf_, events_.index[i], events_.index[i] + run, rows_));
        i += run;
      }
    }
    return ok_status();
  }

  // Room for the codes of `count` more events; null, and none kept, while there is nothing but
  // values.
  DefinitionCode* grow_definition(size_t count, bool needed) {
    std::vector<DefinitionCode>& definition = rows_.definition;
    if (definition.empty() && !needed) {
      return nullptr;
    }
    definition.resize(rows_.event_count + count, 0);
    return definition.data() + rows_.event_count;
  }

  const Leaf& leaf_;
  PageRows& rows_;
  Events events_;
  size_t lists_left_ = 0;
  bool in_lists_ = false;
};

}  // namespace

RowShare rows_that_fill(const Array& column, const Leaf& leaf, size_t begin, size_t end,
                        uint64_t room) {
  const auto used = [&](size_t count) { return cost(column, leaf, 0, begin, begin + count); };
  size_t low = 0;  // does not fill
  size_t high = end - begin;
  if (high == 0 || used(high) < room) {
    return {high, high == 0 ? 0 : used(high)};
  }
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (used(middle) < room ? low : high) = middle;
  }
  return {high, used(high)};
}

Status shred(const Array& column, const Leaf& leaf, size_t begin, size_t end, PageRows& rows) {
  return Shredder(leaf, rows).run(column, begin, end);
}

}  // namespace weft::lance::write

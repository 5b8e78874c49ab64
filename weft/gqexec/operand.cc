#include "weft/gqexec/operand.h"

#include <algorithm>
#include <limits>

#include "weft/base/check.h"

namespace weft::gqexec {
namespace {

using columns::Array;
using columns::TypeId;

Lane lane_of(TypeId id) {
  switch (id) {
    case TypeId::kUint64:
      return Lane::kUnsigned;
    case TypeId::kFloat:
    case TypeId::kDouble:
      return Lane::kReal;
    case TypeId::kString:
    case TypeId::kLargeString:
      return Lane::kText;
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kFixedSizeList:
      return Lane::kList;
    default:
      return Lane::kInteger;
  }
}

// Calls `read(array, index, row)` for each row; `place(row)` says where it is.
template <typename PlaceOf, typename Read>
void each(size_t row_count, const PlaceOf& place, const Read& read) {
  for (size_t row = 0; row < row_count; ++row) {
    const Column::Place at = place(row);
    read(*at.array, at.index, row);
  }
}

template <typename PlaceOf>
void fill_integers(TypeId id, size_t row_count, const PlaceOf& place, Operand& out) {
  out.integers.resize(row_count);
  if (id == TypeId::kBool) {
    each(row_count, place, [&out](const Array& array, size_t index, size_t row) {
      out.integers[row] = array.boolean(index) ? 1 : 0;
    });
  } else if (id == TypeId::kInt32 || id == TypeId::kDate32) {
    each(row_count, place, [&out](const Array& array, size_t index, size_t row) {
      out.integers[row] = array.value<int32_t>(index);
    });
  } else if (id == TypeId::kInt64 || id == TypeId::kTimestamp || id == TypeId::kUint64) {
    each(row_count, place, [&out](const Array& array, size_t index, size_t row) {
      out.integers[row] = array.value<int64_t>(index);
    });
  } else {
    each(row_count, place, [&out](const Array& array, size_t index, size_t row) {
      out.integers[row] = array.integer(index);
    });
  }
}

template <typename PlaceOf>
void fill(const Column& column, size_t row_count, const PlaceOf& place, Operand& out) {
  const TypeId id = column.type()->id();
  out.lane = lane_of(id);
  out.constant = false;
  out.single = id == TypeId::kFloat;
  out.valid.resize(row_count);
  each(row_count, place, [&out](const Array& array, size_t index, size_t row) {
    out.valid[row] = array.is_valid(index) ? 1 : 0;
  });
  switch (out.lane) {
    case Lane::kInteger:
    case Lane::kUnsigned:
      fill_integers(id, row_count, place, out);
      return;
    case Lane::kReal:
      out.reals.resize(row_count);
      each(row_count, place, [&out](const Array& array, size_t index, size_t row) {
        out.reals[row] = out.single ? static_cast<double>(array.value<float>(index))
                                    : array.value<double>(index);
      });
      return;
    case Lane::kText:
      out.texts.resize(row_count);
      each(row_count, place, [&out](const Array& array, size_t index, size_t row) {
        out.texts[row] = out.valid[row] != 0 ? array.text(index) : std::string_view();
      });
      return;
    case Lane::kList:
      out.lists.resize(row_count);
      each(row_count, place, [&out](const Array& array, size_t index, size_t row) {
        out.lists[row] = {&array, index};
      });
      return;
  }
}

int sign(bool less, bool equal) {
  return less ? -1 : (equal ? 0 : 1);
}

// -1, 0, 1, or 2 where there is no order (NaN).
int order(long double left, long double right) {
  if (left < right) {
    return -1;
  }
  if (left == right) {
    return 0;
  }
  return left > right ? 1 : 2;
}

int order(double left, double right) {
  if (left < right) {
    return -1;
  }
  if (left == right) {
    return 0;
  }
  return left > right ? 1 : 2;
}

// A long double holds every integer of 64 bits and every double (schema/number.cc).
long double wide(const Operand& operand, size_t at) {
  switch (operand.lane) {
    case Lane::kUnsigned:
      return static_cast<long double>(static_cast<uint64_t>(operand.integers[at]));
    case Lane::kReal:
      return static_cast<long double>(operand.reals[at]);
    default:
      return static_cast<long double>(operand.integers[at]);
  }
}

// Bits for below, equal, above.
unsigned outcomes(gq::Operator op) {
  switch (op) {
    case gq::Operator::kEqual:
      return 0b010;
    case gq::Operator::kNotEqual:
      return 0b101;
    case gq::Operator::kLess:
      return 0b001;
    case gq::Operator::kLessOrEqual:
      return 0b011;
    case gq::Operator::kGreater:
      return 0b100;
    case gq::Operator::kGreaterOrEqual:
      return 0b110;
    case gq::Operator::kContains:
    case gq::Operator::kStartsWith:
      break;
  }
  return 0;
}

// Rows where both sides are valid and `holds(left index, right index)`.
template <typename Holds>
void keep(const Operand& left, const Operand& right, size_t row_count,
          std::vector<uint32_t>& selected, const Holds& holds) {
  selected.resize(row_count);
  size_t kept = 0;
  for (size_t row = 0; row < row_count; ++row) {
    const size_t l = left.at(row);
    const size_t r = right.at(row);
    selected[kept] = static_cast<uint32_t>(row);
    if (left.valid[l] != 0 && right.valid[r] != 0 && holds(l, r)) {
      ++kept;
    }
  }
  selected.resize(kept);
}

template <typename Order>
void keep_ordered(const Operand& left, gq::Operator op, const Operand& right, size_t row_count,
                  std::vector<uint32_t>& selected, const Order& order_of) {
  const unsigned mask = outcomes(op);
  keep(left, right, row_count, selected, [mask, &order_of](size_t l, size_t r) {
    return ((mask >> static_cast<unsigned>(order_of(l, r) + 1)) & 1U) != 0;
  });
}

bool list_contains(const Column::Place& list, const Operand& item, size_t row) {
  const auto [from, to] = list.array->list_range(list.index);
  const Column items(list.array->child(0)->type(), {list.array->child(0)});
  Operand left;
  std::vector<RowNumber> rows;
  for (size_t i = from; i < to; ++i) {
    rows.push_back(static_cast<RowNumber>(i));
  }
  read_operand(items, rows, left);
  Operand right;
  right.lane = item.lane;
  right.single = item.single;
  right.constant = true;
  right.valid = {1};
  if (item.lane == Lane::kText) {
    right.texts = {item.texts[row]};
  } else if (item.lane == Lane::kReal) {
    right.reals = {item.reals[row]};
  } else {
    right.integers = {item.integers[row]};
  }
  round_constants(left, right);
  std::vector<uint32_t> found;
  select(left, gq::Operator::kEqual, right, rows.size(), found);
  return !found.empty();
}

}  // namespace

void read_operand(const Column& column, std::span<const RowNumber> rows, Operand& out) {
  if (column.pieces().size() == 1) {
    const Array* const array = column.pieces().front().get();
    fill(
        column, rows.size(), [array, rows](size_t row) { return Column::Place{array, rows[row]}; },
        out);
    return;
  }
  fill(column, rows.size(), [&column, rows](size_t row) { return column.at(rows[row]); }, out);
}

void read_operand(const Column& column, Operand& out) {
  fill(column, column.length(), [&column](size_t row) { return column.at(row); }, out);
}

Operand constant_operand(const columns::ArrayPtr& value) {
  WEFT_CHECK(value->length() == 1);
  Operand out;
  const Column::Place place{value.get(), 0};
  fill(Column(value->type(), {value}), 1, [place](size_t) { return place; }, out);
  out.constant = true;
  return out;
}

void round_constants(Operand& left, Operand& right) {
  const auto round = [](Operand& value) {
    for (double& real : value.reals) {
      constexpr double kMax = std::numeric_limits<float>::max();
      if (real >= -kMax && real <= kMax) {
        real = static_cast<double>(static_cast<float>(real));
      }
    }
  };
  if (left.lane != Lane::kReal || right.lane != Lane::kReal || left.single == right.single) {
    return;
  }
  if (left.single && right.constant) {
    round(right);
  } else if (right.single && left.constant) {
    round(left);
  }
}

void select(const Operand& left, gq::Operator op, const Operand& right, size_t row_count,
            std::vector<uint32_t>& selected) {
  if (op == gq::Operator::kStartsWith) {
    keep(left, right, row_count, selected,
         [&left, &right](size_t l, size_t r) { return left.texts[l].starts_with(right.texts[r]); });
  } else if (op == gq::Operator::kContains && left.lane == Lane::kText) {
    keep(left, right, row_count, selected, [&left, &right](size_t l, size_t r) {
      return left.texts[l].find(right.texts[r]) != std::string_view::npos;
    });
  } else if (op == gq::Operator::kContains) {
    keep(left, right, row_count, selected,
         [&left, &right](size_t l, size_t r) { return list_contains(left.lists[l], right, r); });
  } else if (left.lane == Lane::kText) {
    keep_ordered(left, op, right, row_count, selected, [&left, &right](size_t l, size_t r) {
      return sign(left.texts[l] < right.texts[r], left.texts[l] == right.texts[r]);
    });
  } else if (left.lane == Lane::kInteger && right.lane == Lane::kInteger) {
    keep_ordered(left, op, right, row_count, selected, [&left, &right](size_t l, size_t r) {
      return sign(left.integers[l] < right.integers[r], left.integers[l] == right.integers[r]);
    });
  } else if (left.lane == Lane::kReal && right.lane == Lane::kReal) {
    keep_ordered(left, op, right, row_count, selected, [&left, &right](size_t l, size_t r) {
      return order(left.reals[l], right.reals[r]);
    });
  } else {
    keep_ordered(left, op, right, row_count, selected, [&left, &right](size_t l, size_t r) {
      return order(wide(left, l), wide(right, r));
    });
  }
}

int compare_values(const Operand& left, size_t left_row, const Operand& right, size_t right_row) {
  const size_t l = left.at(left_row);
  const size_t r = right.at(right_row);
  switch (left.lane) {
    case Lane::kInteger:
      return sign(left.integers[l] < right.integers[r], left.integers[l] == right.integers[r]);
    case Lane::kUnsigned: {
      const auto a = static_cast<uint64_t>(left.integers[l]);
      const auto b = static_cast<uint64_t>(right.integers[r]);
      return sign(a < b, a == b);
    }
    case Lane::kReal:
      return sign(left.reals[l] < right.reals[r], left.reals[l] == right.reals[r]);
    case Lane::kText:
      return sign(left.texts[l] < right.texts[r], left.texts[l] == right.texts[r]);
    case Lane::kList:
      break;
  }
  return compare_elements(*left.lists[l].array, left.lists[l].index, *right.lists[r].array,
                          right.lists[r].index);
}

int compare_elements(const Array& left, size_t left_index, const Array& right, size_t right_index) {
  const bool left_valid = left.is_valid(left_index);
  const bool right_valid = right.is_valid(right_index);
  if (!left_valid || !right_valid) {
    return static_cast<int>(left_valid) - static_cast<int>(right_valid);
  }
  if (lane_of(left.id()) == Lane::kList) {
    const auto [left_from, left_to] = left.list_range(left_index);
    const auto [right_from, right_to] = right.list_range(right_index);
    const size_t both = std::min(left_to - left_from, right_to - right_from);
    for (size_t i = 0; i < both; ++i) {
      const int item =
          compare_elements(*left.child(0), left_from + i, *right.child(0), right_from + i);
      if (item != 0) {
        return item;
      }
    }
    return sign(left_to - left_from < right_to - right_from,
                left_to - left_from == right_to - right_from);
  }
  switch (lane_of(left.id())) {
    case Lane::kText:
      return sign(left.text(left_index) < right.text(right_index),
                  left.text(left_index) == right.text(right_index));
    case Lane::kReal: {
      const bool single = left.id() == TypeId::kFloat;
      const double a = single ? static_cast<double>(left.value<float>(left_index))
                              : left.value<double>(left_index);
      const double b = single ? static_cast<double>(right.value<float>(right_index))
                              : right.value<double>(right_index);
      return sign(a < b, a == b);
    }
    case Lane::kUnsigned:
      return sign(left.value<uint64_t>(left_index) < right.value<uint64_t>(right_index),
                  left.value<uint64_t>(left_index) == right.value<uint64_t>(right_index));
    default: {
      const int64_t a = left.id() == TypeId::kBool ? static_cast<int64_t>(left.boolean(left_index))
                                                   : left.integer(left_index);
      const int64_t b = right.id() == TypeId::kBool
                            ? static_cast<int64_t>(right.boolean(right_index))
                            : right.integer(right_index);
      return sign(a < b, a == b);
    }
  }
}

}  // namespace weft::gqexec

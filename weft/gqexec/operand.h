// Values of one expression for the rows of a batch, in the few lanes that comparisons, aggregates
// and orders work on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "weft/columns/array.h"
#include "weft/gq/ast.h"
#include "weft/gqexec/column.h"

namespace weft::gqexec {

enum class Lane : uint8_t {
  kInteger,   // I32, I64, U32, Date (days), DateTime (milliseconds), Bool (0, 1)
  kUnsigned,  // U64
  kReal,      // F32, F64
  kText,      // String, enum
  kList,      // lists and vectors
};

// Not thread-safe. Texts and lists point into the column, which must outlive the operand.
struct Operand {
  Lane lane = Lane::kInteger;
  bool constant = false;          // one value, for all rows
  bool single = false;            // of a kReal: F32
  std::vector<int64_t> integers;  // also the bits of a kUnsigned
  std::vector<double> reals;
  std::vector<std::string_view> texts;
  std::vector<Column::Place> lists;
  std::vector<uint8_t> valid;  // 0: null

  size_t at(size_t row) const { return constant ? 0 : row; }
  bool is_valid(size_t row) const { return valid[at(row)] != 0; }
};

// The values of `rows`.
void read_operand(const Column& column, std::span<const RowNumber> rows, Operand& out);
// The values of all rows, in order.
void read_operand(const Column& column, Operand& out);
// One value for all rows: `value` has one element, and must outlive the operand.
Operand constant_operand(const columns::ArrayPtr& value);
// F32 compared with a constant: the constant is rounded to F32 first, so that 0.1 finds what was
// stored as 0.1.
void round_constants(Operand& left, Operand& right);

// The rows below `row_count` for which LEFT OP RIGHT holds; null is not a match. Numbers compare
// exactly whatever their types; texts by their bytes. kContains looks into the left side's list, or
// text. Sides must agree as the type checker says.
void select(const Operand& left, gq::Operator op, const Operand& right, size_t row_count,
            std::vector<uint32_t>& selected);

// -1, 0, 1: the order of two values that are not null, of one lane. Lists compare item by item,
// null items first.
int compare_values(const Operand& left, size_t left_row, const Operand& right, size_t right_row);
// Element against element of arrays of one type; null first.
int compare_elements(const columns::Array& left, size_t left_index, const columns::Array& right,
                     size_t right_index);

}  // namespace weft::gqexec

// Rows of typed columns for people and programs.
#pragma once

#include <string>
#include <vector>

#include "weft/columns/batch.h"

namespace weft::cli {

// One element as JSON: numbers exactly; dates, times and decimals as text; binary as "0x…"; what
// is no finite number as "nan", "inf", "-inf"; maps as lists of pairs.
void append_json_element(std::string& out, const columns::Array& array, size_t index);
// {"id": 1, "text": "x"}, on one line.
std::string json_row(const columns::Batch& batch, size_t row);

// Rows as a table of aligned columns. Cells are cut at `cell_width_max` characters.
class RowTable {
 public:
  explicit RowTable(const columns::Schema& schema, size_t cell_width_max = 40);
  void add(const columns::Batch& batch, size_t row);
  // Header, rule, rows.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> columns_;
  std::vector<bool> right_aligned_;
  size_t cell_width_max_;
};

}  // namespace weft::cli

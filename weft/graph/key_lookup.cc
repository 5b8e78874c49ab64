#include "weft/graph/key_lookup.h"

#include "weft/graph/value_text.h"

namespace weft::graph {

Status scan_table(const TypeTable& table, const std::vector<std::string>& names,
                  const std::function<Status(const lance::TableRows&)>& use,
                  const std::stop_token& stop) {
  WEFT_TRY(lance::TableReader* const reader, table.reader());
  WEFT_TRY(const auto scan, reader->scan(names));
  for (;;) {
    WEFT_TRY(const std::optional<lance::TableRows> rows, scan->next(stop));
    if (!rows.has_value()) {
      return ok_status();
    }
    WEFT_TRY_STATUS(use(*rows));
  }
}

Status find_rows(const TypeTable& table, const RowIndex& wanted,
                 const std::function<void(uint32_t row, uint64_t address)>& found,
                 const std::stop_token& stop) {
  if (table.row_count() == 0 || wanted.empty()) {
    return ok_status();
  }
  const auto match = [&](const lance::TableRows& rows) {
    const columns::Array& ids = *rows.batch.column(0);
    for (size_t i = 0; i < ids.length(); ++i) {
      const uint32_t row = wanted.find(id_digest(ids.text(i)));
      if (row != RowIndex::kNone) {
        found(row, lance::row_address(rows.fragment_id, rows.offsets[i]));
      }
    }
    return ok_status();
  };
  return scan_table(table, {std::string(kIdColumn)}, match, stop);
}

}  // namespace weft::graph

// Answers of other endpoints, JSON or XML by the first byte, as SERVICE reads them: whatever is
// accepted is a table of canonical tokens.

#include <cstdint>
#include <string_view>

#include "weft/base/check.h"
#include "weft/rdf/term.h"
#include "weft/results/read_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool is_xml = text.starts_with('<');
  const auto answer = weft::results::read_answer(
      is_xml ? "application/sparql-results+xml" : "application/json", text);
  if (!answer.ok()) {
    return 0;
  }
  for (const auto& row : answer->rows) {
    WEFT_CHECK(row.size() == answer->variables.size());
    for (const auto& cell : row) {
      const bool is_blank = cell.has_value() && cell->starts_with("_:");
      WEFT_CHECK(!cell.has_value() || is_blank || cell->starts_with("<<") ||
                 weft::rdf::is_canonical(*cell));
    }
  }
  return 0;
}

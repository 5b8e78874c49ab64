// Texts of property graph schemas. What is taken has a canonical text, which is taken too and is
// its own; what is refused has problems inside the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weft/base/check.h"
#include "weft/schema/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const weft::schema::Checked checked = weft::schema::check(text);
  WEFT_CHECK(checked.schema.has_value() == checked.problems.empty());
  for (const weft::schema::Problem& problem : checked.problems) {
    WEFT_CHECK(problem.place.line >= 1 && problem.place.column <= size + 1);
  }
  if (!checked.schema.has_value()) {
    return 0;
  }
  const std::string canonical = weft::schema::canonical_text(*checked.schema);
  const weft::schema::Checked again = weft::schema::check(canonical);
  WEFT_CHECK(again.schema.has_value());
  WEFT_CHECK(weft::schema::canonical_text(*again.schema) == canonical);
  return 0;
}

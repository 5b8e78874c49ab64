// Texts of queries and mutations. Every problem has a place in the text; what type-checks against a
// schema does so again, and its columns have names.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weft/base/check.h"
#include "weft/gq/lint.h"

namespace {

const weft::schema::Schema& schema() {
  static const weft::schema::Schema parsed = *weft::schema::compile(
      "node Person { name: String @key age: I32? born: Date? seen: DateTime? tags: [String]?\n"
      "  kind: enum(a, b)? score: F64? active: Bool? vec: Vector(3)? photo: Blob? }\n"
      "node Company { name: String @key size: U32? }\n"
      "edge Knows: Person -> Person { since: I32? note: String? }\n"
      "edge WorksAt: Person -> Company { role: String }");
  return parsed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  weft::gq::LintReport report = weft::gq::lint(text, schema());
  for (const weft::gq::LintedQuery& linted : report.queries) {
    for (const weft::schema::Problem& problem : linted.outcome.problems) {
      WEFT_CHECK(problem.place.line >= 1 && problem.place.column <= size + 1);
    }
    if (!linted.outcome.query.has_value()) {
      WEFT_CHECK(!linted.outcome.problems.empty());
      continue;
    }
    for (const weft::gq::Column& column : linted.outcome.query->columns) {
      WEFT_CHECK(!column.name.empty());
    }
    const auto again = weft::gq::check_types(linted.outcome.query->query, schema());
    WEFT_CHECK(again.query.has_value());
    WEFT_CHECK(again.query->columns.size() == linted.outcome.query->columns.size());
  }
  return 0;
}

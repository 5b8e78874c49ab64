// What `weft lint` says about a text of queries: errors of each query, what each operation reads
// and writes, and properties that no update ever sets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/gq/check.h"

namespace weft::gq {

struct Finding {
  std::string severity;  // "error", "warning"
  std::string code;      // Q000: the text cannot be read; L201: never set by an update
  std::string message;
  std::string type_name;  // of L201, with
  std::string property;
  std::vector<std::string> query_names;
};

struct LintedQuery {
  std::string name;
  bool is_read = true;
  CheckOutcome outcome;
  std::vector<std::string> warnings;
};

struct LintReport {
  std::vector<LintedQuery> queries;  // none if the text cannot be read
  std::vector<Finding> findings;
  bool has_errors = false;
};

LintReport lint(std::string_view text, const schema::Schema& schema);

// "string", "int", "bigint", "float", "bool", "date", "datetime", "blob", "list", "vector",
// "object" (a whole node).
std::string_view column_kind(const ColumnType& type);
std::string_view scalar_kind(schema::Scalar scalar);

}  // namespace weft::gq

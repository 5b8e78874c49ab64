// What a query text means against a schema: names resolved, directions found, types agreeing.
//
//     WEFT_TRY(const QueryFile file, parse_file(text));
//     WEFT_TRY(const CheckedQuery query, check_query(*WEFT… find_query(file, "name"), schema));
//
// Values; thread-safe. Language and codes of problems: docs/formats/gq-language.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/gq/ast.h"
#include "weft/schema/problem.h"
#include "weft/schema/schema.h"

namespace weft::gq {

struct Parsed {
  std::vector<Query> queries;  // those without syntax errors
  std::vector<schema::Problem> problems;
};
// All queries of a text. Reports the first syntax error of each.
Parsed parse(std::string_view text);

// All queries, or kInvalid "query text has N errors" with a fact "error" for each.
Result<std::vector<Query>> parse_file(std::string_view text);

// The query of this name; with an empty name, the only one. Errors: kNotFound names the query;
// kInvalid if there are several, or none, to choose from.
Result<Query> select_query(std::vector<Query> queries, std::string_view name);

// kInvalid if the query is of the other kind: reads and mutations are run by commands of their own.
Status require_read(const Query& query);
Status require_mutation(const Query& query);

// What a column of a result holds.
struct ColumnType {
  enum class Kind : uint8_t { kValue, kNode };  // kNode: shown as its id
  Kind kind = Kind::kValue;
  schema::PropertyType type;  // of a kValue
  std::string node_type;      // of a kNode
};

struct Column {
  std::string name;  // as in results
  ColumnType type;
};

struct TypeUse {
  bool is_edge = false;
  std::string name;
  friend auto operator<=>(const TypeUse&, const TypeUse&) = default;
};

struct CheckedQuery {
  Query query;                  // with what is "checked" in ast.h filled in
  std::vector<Column> columns;  // of a read
  // Node types, then edge types, by name. A deletion of nodes writes all edges that end there.
  std::vector<TypeUse> reads;
  std::vector<TypeUse> writes;
};

struct CheckOutcome {
  // Present if there are no problems.
  std::optional<CheckedQuery> query;
  std::vector<schema::Problem> problems;  // by place
};

CheckOutcome check_types(Query query, const schema::Schema& schema);
// The same, or kInvalid "query NAME has N errors" with a fact "error" for each.
Result<CheckedQuery> check_query(Query query, const schema::Schema& schema);

}  // namespace weft::gq

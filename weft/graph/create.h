// Makes a property graph: its schema, an empty table for each type, and the first commit.
//
// N1  The graph is there as a whole or not at all, whatever stops when: it begins with the first
//     version of its catalog (weft/txn/write.h).
// N2  A place that has a graph keeps it.
// N3  A store that cannot create objects if they are absent is refused by name before anything is
//     written to it that counts.
#pragma once

#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/graph/authority.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/ndjson/table_columns.h"
#include "weft/txn/write.h"

namespace weft::graph {

// Accepted schemas lie here, named by their content.
inline constexpr std::string_view kSchemaFolder = "_schema";

struct CreateRequest {
  std::string_view schema_text;
  std::string message = {};
  // None: a fresh one. Repeated with the same one, it returns the first receipt.
  base::Ulid operation = {};
};

// Errors: kInvalid: the schema, with a fact for each of its errors, or no actor; kDenied;
// kUnsupported: the store; kAlreadyExists: a graph is there; kRecoveryRequired; those of the store.
Result<txn::Receipt> create_graph(const catalog::CatalogPlace& place, const Authority& authority,
                                  const CreateRequest& request);

// Tries put_if_absent on a name of its own. Errors: kUnsupported names the store.
Status probe_store(const catalog::CatalogPlace& place);

// Fields of a type's table: id is its unenforced primary key.
Result<std::vector<lance::layout::SchemaField>> table_fields(const columns::Schema& columns);

}  // namespace weft::graph

// Whether the rows of a load fit a graph: what only the graph can tell (docs/formats/ndjson-load.md
// says what the load alone tells). All violations are found, none changes anything.
//
//   key_conflict       append: a row has the id already
//   unique             a row that stays has the values of a @unique already
//   dangling_endpoint  an end of an edge that neither the load nor the graph has, or that an
//                      overwritten node type no longer has
//   cardinality        too few or too many edges of one source, over all edges as they will be
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/load.h"
#include "weft/graph/loaded_table.h"
#include "weft/lance/rows/written_rows.h"
#include "weft/ndjson/violations.h"

namespace weft::graph {

// By key of the catalog.
using LoadedTables = std::map<std::string, std::unique_ptr<LoadedTable>, std::less<>>;

// Stored rows of a table that leave it with a load, beside those that the load replaces: by their
// ids (built), and where they are, ascending.
struct LeavingRows {
  RowIndex ids;
  std::vector<uint64_t> addresses;
};
using LeavingTables = std::map<std::string, LeavingRows, std::less<>>;

struct CheckedLoad {
  ndjson::Violations violations;
  // merge: which stored rows the rows of a table replace, by key; ascending by row.
  std::map<std::string, std::vector<lance::ReplacedRow>, std::less<>> replaced;
};

// `violations`: those of the load itself; tables and open ends are as the reader left them.
Result<CheckedLoad> check_load(const GraphSnapshot& graph, LoadMode mode,
                               const LoadedTables& tables,
                               const std::vector<ndjson::OpenEndpoint>& open_endpoints,
                               ndjson::Violations violations, const std::stop_token& stop);
// The same for a merge with rows that leave, each of whose tables is among `tables`, maybe without
// rows: edges that stay must not end at nodes that leave.
struct MergedRows {
  const LoadedTables& tables;
  const LeavingTables& leaving;
};
Result<CheckedLoad> check_merge(const GraphSnapshot& graph, const MergedRows& rows,
                                const std::vector<ndjson::OpenEndpoint>& open_endpoints,
                                ndjson::Violations violations, const std::stop_token& stop);

}  // namespace weft::graph

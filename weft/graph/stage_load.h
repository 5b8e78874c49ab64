// What a checked load changes, staged: one next version for each of its tables.
#pragma once

#include "weft/graph/load_check.h"
#include "weft/txn/write.h"

namespace weft::graph {

// The property of a transaction that inserts only, all of whose keys were found absent.
inline constexpr std::string_view kInsertAbsence = "omnigraph.insert_absence";

// `leaving`: as it was checked. `bases`: the versions that the tables were checked against, of
// every table of the load.
Result<txn::Change> stage_load(const lance::RowOptions& options, LoadMode mode,
                               const LoadedTables& tables, const GraphSnapshot::Bases& bases,
                               const CheckedLoad& checked, const LeavingTables& leaving = {});

}  // namespace weft::graph

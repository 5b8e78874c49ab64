// What a checked load changes, staged: one next version for each of its tables.
#pragma once

#include "weft/graph/load_check.h"
#include "weft/txn/write.h"

namespace weft::graph {

// The property of a transaction that inserts only, all of whose keys were found absent.
inline constexpr std::string_view kInsertAbsence = "omnigraph.insert_absence";

Result<txn::Change> stage_load(txn::Capture& capture, LoadMode mode, const LoadedTables& tables,
                               const CheckedLoad& checked);

}  // namespace weft::graph

// Rows of others on their way into the graph: checked as those of a load, then staged. See
// repair.h.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "weft/graph/foreign_rows.h"
#include "weft/txn/write.h"

namespace weft::graph {

// `graph` is what `capture` stands on, `tables` are its tables with rows of others, no two the
// same. Errors: those of ndjson::Violations::to_error, with a fact "violation" for each that is
// kept; kConflict with reason=other-columns or unknown-beginning; those of reading and staging.
Result<txn::Change> stage_adoption(txn::Capture& capture, const GraphSnapshot& graph,
                                   const std::vector<std::unique_ptr<ForeignRows>>& tables,
                                   const std::stop_token& stop);

}  // namespace weft::graph

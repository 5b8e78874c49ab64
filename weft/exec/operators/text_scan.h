// A scan that a text index narrows: the rows of the subjects that the index names, in the order of
// the scan. Among them are all rows that the filter above may keep (plan::PlanNode::text).
#pragma once

#include <memory>

#include "weft/base/result.h"
#include "weft/exec/operators/operator.h"
#include "weft/exec/quad_source.h"
#include "weft/rdf/ids.h"

namespace weft::exec {

// Scans of fewer rows are not worth a question.
inline constexpr double kTextScanRowsMin = 2'000;
// An index that names more than one subject in so many rows saves nothing.
inline constexpr double kTextRowsPerSubject = 16;
// Under a LIMIT a scan looks at so many rows before it asks the index.
inline constexpr size_t kTextRowsBefore = 2'048;

struct TextScanRequest {
  const plan::PlanNode& node;  // a Scan with a text demand
  const rdf::IdPattern& pattern;
  rdf::Permutation permutation = rdf::Permutation::kSpo;
  // Rows of this batch and those before in the order are not wanted any more; null: all are.
  const rdf::IdBatch* behind = nullptr;
};

// True if a scan may ask the index after some rows: its order is one of ids.
bool can_ask_later(const rdf::IdPattern& pattern);

// Null if the index proves nothing, or names too many. Errors: the source's, kLimit.
Result<std::unique_ptr<QuadCursor>> open_text_scan(const TextScanRequest& request,
                                                   Execution& execution);

}  // namespace weft::exec

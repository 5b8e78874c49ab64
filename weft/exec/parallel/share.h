// What the operators of a worker are made with: its share of the scan that drives a fragment, and
// the built sides of hash joins, which all workers of the fragment probe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "weft/base/result.h"
#include "weft/exec/quad_source.h"
#include "weft/plan/plan.h"

namespace weft::exec {

class JoinTable;

// By number of the join's node.
using JoinTables = std::map<uint32_t, std::unique_ptr<JoinTable>>;

// A worker's own; everything it points to outlives it, and the tables are not changed any more.
struct Share {
  const plan::PlanNode* scan = nullptr;
  // Rows from `low` on and before `high`; nullopt is no bound.
  std::optional<ScanCut> low;
  std::optional<ScanCut> high;
  const JoinTables* tables = nullptr;

  // Null if the join builds its right side itself.
  JoinTable* table(const plan::PlanNode& join) const;
  // Tells a new cursor what is wanted.
  Status begin(QuadCursor& cursor) const;
  // Keeps those rows of a batch of a scan of `pattern` in this order that are of the share. False:
  // no later row is.
  bool keep(const rdf::IdPattern& pattern, rdf::Permutation permutation, rdf::IdBatch& batch) const;
};

}  // namespace weft::exec

// Tables of which other programs have changed rows: what they changed, and what becomes of it.
//
//     WEFT_TRY(const std::vector<ForeignTable> found, plan_repair(place, "main", {}, stop));
//     WEFT_TRY(const RepairResult result,
//              repair(place, {"ana", policy}, {.remedy = Remedy::kAdopt}, stop));
//
// F1  adopt brings the rows that others added, changed and removed into the graph as one commit,
//     after the checks that a load has: types, required values, keys, ids, uniqueness, ends of
//     edges, cardinality. All violations are told, and then nothing is changed.
// F2  discard makes the published rows the newest version again, as one commit that changes no
//     row. The version of the others stays: a native branch "weft-discarded.…" of the table keeps
//     cleanups off it until one of ours finds it old enough (cleanup.h).
// F3  Nothing that others wrote after this has looked is passed over: their next version makes the
//     table one of foreign rows again.
// Adopted rows get fragments and row ids of their own; indices that others made upon their rows are
// to be made again. Protocol: docs/protocols/write.md, "Rows of others".
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/authority.h"
#include "weft/graph/foreign_rows.h"
#include "weft/txn/write.h"

namespace weft::graph {

// Tables of the branch with rows of others, nodes first, by name; of `types` only, if there are
// any. Changes no row; heads that were not followed are. Errors: kNotFound: no graph, branch or
// type; those of reading.
Result<std::vector<ForeignTable>> plan_repair(const catalog::CatalogPlace& place,
                                              const std::string& branch,
                                              const std::vector<std::string>& types,
                                              const std::stop_token& stop);

enum class Remedy : uint8_t { kAdopt, kDiscard };

struct RepairRequest {
  Remedy remedy = Remedy::kAdopt;
  std::string branch = std::string(kMainBranch);
  std::vector<std::string> types = {};  // names of nodes and edges; none: all
  std::string message = {};
  // None: a fresh one. Repeated with the same one, the first receipt is the answer.
  base::Ulid operation = {};
};

struct RepairResult {
  std::optional<txn::Receipt> receipt;  // none: there was nothing to repair
  std::vector<ForeignTable> tables;     // as they were found
  // discard: native branches that hold what was there, as tables are ordered; "" if the files of
  // others are not all there any more.
  std::vector<std::string> kept;
};

// Errors: adopt: those of ndjson::Violations::to_error with a fact "violation" for each row, and
// kConflict with reason=other-columns or unknown-beginning; kDenied; kNotFound; those of
// txn::write.
Result<RepairResult> repair(const catalog::CatalogPlace& place, const Authority& authority,
                            const RepairRequest& request, const std::stop_token& stop);

}  // namespace weft::graph

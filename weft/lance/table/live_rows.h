// Which rows live in a version, by their stable ids: what two versions share and how they differ.
// For whoever has to know whether another program has changed rows or only moved them.
//
// L1  Reads nothing of fragments that both versions have unchanged; of the others their deletion
//     files. Data files are never read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/table/deletions.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

// The deleted rows of a fragment; our kept copy of the file if an engine has cleaned it away.
// Errors: as read_deletions.
Result<Deletions> deletions_of(const Snapshot& snapshot, const Fragment& fragment);

enum class RowTraits : uint8_t {
  kIds,             // enough where nothing between the two versions can have changed a value
  kIdsAndVersions,  // created and last updated in the same versions too
};
// Whether both have the same fields and the same live rows, wherever they lie, if one descends from
// the other (else see rows/same_values.h). False if one of them has no stable row ids, or a
// fragment of one id has other files. Rows are compared by a sum of 128 bits over them: different
// ones pass for equal with a likelihood of 2^-128. Errors: kCorrupt; those of the store.
Result<bool> has_same_rows(const Snapshot& left, const Snapshot& right, RowTraits traits);

// A live row, by its stable id and its address (row_address).
struct LiveRow {
  uint64_t row_id = 0;
  uint64_t address = 0;
};
// The live rows in fragments that `other` does not have unchanged; with `of_version` only those
// that were made or last changed in that version. Errors: kCorrupt; those of the store.
Result<std::vector<LiveRow>> rows_not_shared(const Snapshot& snapshot, const Manifest& other,
                                             std::optional<uint64_t> of_version);

struct RowChange {
  std::vector<uint64_t> gone;   // stable ids, ascending: no longer in a fragment that `from` had
  std::vector<Fragment> added;  // those of `to` that `from` did not have
};
// Both have stable row ids, and `to` descends from `from`. Rows that were rewritten are in both
// lists. Errors: kUnsupported if the fields differ, or if an added fragment has deleted rows;
// kCorrupt; those of the store.
Result<RowChange> row_change(const Snapshot& from, const Snapshot& to);

// Addresses (row_address), ascending, of the live rows with these stable ids, which ascend.
// Errors: kConflict if a row is not there; kCorrupt; those of the store.
Result<std::vector<uint64_t>> addresses_of(const Snapshot& snapshot,
                                           const std::vector<uint64_t>& row_ids);

}  // namespace weft::lance

// Whether the rows of two versions are the same in what they hold. Stable row ids and the versions
// in which rows were made tell it only where one version descends from the other: two that went on
// from one version side by side give the same ids, and the same numbers, to different rows.
#pragma once

#include <cstdint>
#include <optional>

#include "weft/base/result.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

// Both have the same live rows (has_same_rows with versions). Compares the values of all rows in
// fragments that they do not share; with `of_version` only of those that `left` says were made or
// changed in that version. Reads these rows on both sides. False too if a row is not there, or if
// the fields differ. Errors: kCorrupt; those of the store.
Result<bool> has_same_values(const Snapshot& left, const Snapshot& right,
                             std::optional<uint64_t> of_version);

}  // namespace weft::lance

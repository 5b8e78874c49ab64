// The row ids of a fragment, and the versions in which its rows were created and last updated, as
// sequences of segments and runs. Format: docs/formats/lance.md, "Row ids".
//
// R1  A sequence is kept in the form in which it was read; expanding it is bounded by the rows of
//     its fragment, whatever its segments claim.
// R2  Sequences are written as ranges where ids follow one another, else as arrays.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::lance {

// Every id, in row order. Errors: kCorrupt; kLimit if there are more than `rows_max`.
Result<std::vector<uint64_t>> expand_row_ids(std::string_view sequence, uint64_t rows_max);
// Cheap: from the segments, without expanding. Errors: kCorrupt.
Result<uint64_t> row_id_count(std::string_view sequence);
// Ids [start, end) stand one behind the other from the row `position` on.
struct RowIdRun {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t position = 0;
};
// In row order, as long as may be; ranges are not expanded. Errors: kCorrupt; kLimit if there are
// more ids than `rows_max`.
Result<std::vector<RowIdRun>> row_id_runs(std::string_view sequence, uint64_t rows_max);
// One more than the greatest; 0: there is none. Errors: kCorrupt.
Result<uint64_t> row_id_end(std::string_view sequence);
std::string serialize_row_ids(const std::vector<uint64_t>& ids);
std::string serialize_row_id_range(uint64_t start, uint64_t end);
// Both behind each other: the rows of `more` follow.
std::string concat_row_ids(std::string_view sequence, std::string_view more);

// `count` rows that have one version.
struct VersionRun {
  uint64_t count = 0;
  uint64_t version = 0;
  friend bool operator==(const VersionRun&, const VersionRun&) = default;
};
// In row order, equal neighbours joined; of a span only its length counts. Errors: kCorrupt;
// kLimit if they cover more than `rows_max`.
Result<std::vector<VersionRun>> expand_versions(std::string_view sequence, uint64_t rows_max);
std::string serialize_versions(const std::vector<VersionRun>& runs);
// Appends `count` rows to the runs.
void append_run(std::vector<VersionRun>& runs, uint64_t count, uint64_t version);
uint64_t version_at(const std::vector<VersionRun>& runs, uint64_t row);

}  // namespace weft::lance

// Rows that leave a table, by their addresses: new deletion files, fragments that are gone. What
// the operations on rows share.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/rows/tail_fold.h"
#include "weft/lance/table/stage.h"

namespace weft::lance {

// Offsets of rows by their fragments, ascending.
using GroupedRows = std::map<uint64_t, std::vector<uint32_t>>;
GroupedRows group_by_fragment(std::vector<uint64_t> addresses);

// Errors: kConflict if an address is not that of a physical row, or stands twice.
Status check_addresses(const Snapshot& base, const GroupedRows& grouped);

struct Removal {
  std::vector<Fragment> updated;  // with more deletions
  std::vector<uint64_t> gone;     // ids of fragments without live rows
};
// Errors: kConflict if a row is not there (any more); those of reading.
Result<Removal> remove_rows(Stage& stage, const GroupedRows& grouped);

// Ids and creation of the rows at `addresses`, in their order (one group for each fragment), behind
// what moved already.
Status keep_identities(const Snapshot& base, const std::vector<uint64_t>& addresses,
                       MovedRows& moved);

// Ids of all fields: what an update that writes whole rows says it has written, as the engines do.
std::vector<uint32_t> all_field_ids(const Manifest& manifest);

}  // namespace weft::lance

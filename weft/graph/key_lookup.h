// Which stored rows have given ids.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/key_index.h"
#include "weft/graph/row_index.h"
#include "weft/graph/snapshot.h"

namespace weft::graph {

// Calls found(row, address) for each stored row whose id's digest `wanted` (built) has, `row` being
// the one of `wanted`. Errors: those of reading and of `found`; kCancelled.
Status find_rows(const TypeTable& table, const RowIndex& wanted,
                 const std::function<void(uint32_t row, uint64_t address)>& found,
                 const std::stop_token& stop);

// Calls use(batch, rows) for every batch of the columns `names`.
Status scan_table(const TypeTable& table, const std::vector<std::string>& names,
                  const std::function<Status(const lance::TableRows&)>& use,
                  const std::stop_token& stop);

// Addresses of the live rows among these row ids, which ascend.
Result<std::vector<uint64_t>> live_addresses(const lance::Snapshot& snapshot,
                                             const std::vector<uint64_t>& row_ids);
// Fragments with rows that an index with these gaps does not cover; ascending.
Result<std::vector<uint64_t>> fragments_of_gaps(const lance::Snapshot& snapshot,
                                                const std::vector<KeyIndex::Gap>& gaps);

}  // namespace weft::graph

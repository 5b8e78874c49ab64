// Which stored rows have given ids.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "weft/base/result.h"
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

}  // namespace weft::graph

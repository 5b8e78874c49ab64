// Reads what page requests ask for: many small ranges become few large ones.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/read/page.h"
#include "weft/storage/object_store.h"

namespace weft::lance::read {

// Reads `ranges` (in any order, they may overlap); those at most `gap_bytes` apart are read as one,
// up to kCoalescedBytesMax. What is read is charged to `memory`. Answers in the order of `ranges`.
Result<std::vector<storage::Buffer>> read_coalesced(storage::ObjectReader& object,
                                                    std::span<const storage::Range> ranges,
                                                    uint64_t gap_bytes, ReadMemory& memory,
                                                    const std::stop_token& stop);
inline constexpr uint64_t kCoalescedBytesMax = uint64_t{8} << 20U;

// Drives the requests until all have what they need, all of one round in one call of the store.
Status fetch(storage::ObjectReader& object, std::span<PageRequest* const> requests,
             uint64_t gap_bytes, ReadMemory& memory, const std::stop_token& stop);

}  // namespace weft::lance::read

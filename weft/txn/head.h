// What stands at the head of a table beside what the catalog pins: whether another program has
// written it, and whether it has changed rows or only moved them. Protocol:
// docs/protocols/write.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/base/result.h"
#include "weft/catalog/catalog.h"
#include "weft/catalog/pinned_table.h"

namespace weft::txn {

enum class HeadState : uint8_t {
  kPinned,     // the head is the pinned version
  kSameRows,   // a later version has its rows: to be built upon
  kTaken,      // the pin never became a head; the newest version has the rows that it stands on
  kOtherRows,  // another program has changed rows
};

struct HeadReport {
  HeadState state = HeadState::kPinned;
  // kSameRows, kTaken: the newest version. kTaken: what the pin was staged upon.
  std::optional<lance::Snapshot> head;
  std::optional<lance::Snapshot> base;
  // kOtherRows: the first version that is known to have changed them, and what it says it did.
  uint64_t other_version = 0;
  std::string other_operation;
};

// Brings the head to the pin if nobody did. Two reads if the head is the pinned version. `pinned`
// is the pin as open_pinned gave it. Errors: kCorrupt; those of the store.
Result<HeadReport> examine_head(const catalog::CatalogPlace& place,
                                const catalog::TableEntry& table, const lance::Snapshot& pinned);

// Versions of others of which the transactions are read; where there are more, rows are compared
// with their versions.
inline constexpr uint64_t kForeignTransactionsMax = 1024;

// Makes the rows of a version of others last: files that the pin does not have are synced, and a
// native branch of the table keeps an engine's cleanup off them. Errors: those of the store.
Status guard_version(const catalog::CatalogPlace& place, const lance::Snapshot& version,
                     const lance::Snapshot& pinned, const lance::StageOptions& options);

}  // namespace weft::txn

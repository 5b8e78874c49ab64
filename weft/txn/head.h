// What stands at the head of a table beside what the catalog pins: whether another program has
// written it, and whether it has changed rows or only moved them. Protocol:
// docs/protocols/write.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  // All but kPinned: the newest version. kTaken: what the pin was staged upon. kOtherRows: what the
  // others went on from, the pin or what it was staged upon; nothing if that is not known any more.
  std::optional<lance::Snapshot> head;
  std::optional<lance::Snapshot> base;
  // kOtherRows: the numbers of the others' versions begin here, as far as they are still there.
  uint64_t first_version = 0;
  // kOtherRows: the first version that is known to have changed them, and what it says it did.
  uint64_t other_version = 0;
  std::string other_operation;
};

// A cleanup may keep a head for a tag or a branch and remove all above it but the newest version,
// so that nothing stands at the next number. A head older than this is looked at with that in mind,
// which lists the table's tags and branches; a younger one only if `is_thorough`.
inline constexpr int64_t kFreshHeadUs = int64_t{60} * 1'000'000;

// Brings the head to the pin if nobody did, once `catalog_version`, of which `table` is an entry,
// is durable. Two questions if the head is the pinned version; one reads it, unless open_pinned
// did. `pinned` is the pin as open_pinned gave it. Errors: kCorrupt; those of the store.
Result<HeadReport> examine_head(const catalog::CatalogPlace& place,
                                const lance::Snapshot& catalog_version,
                                const catalog::TableEntry& table, const lance::Snapshot& pinned,
                                bool is_thorough = false);

// Whether these tables' heads are the pinned versions, as far as the place knows and one call can
// tell: false where more has to be looked at (examine_head). With `newer` it is asked in the same
// call whether the catalog has a version after that one.
struct HeadProbe {
  bool has_newer = false;
  std::vector<bool> is_pinned;
};
Result<HeadProbe> probe_heads(const catalog::CatalogPlace& place,
                              const std::vector<const catalog::TableEntry*>& tables,
                              const catalog::CatalogView* newer);

// Whether a version holds rows that are not of what it was staged upon, nor of its own making:
// those of an overwriting load or a repair may, and one whose transaction is gone. Errors: those of
// the store.
Result<bool> replaces_all(const lance::Snapshot& pinned);

// Versions of others of which the transactions are read; where there are more, rows are compared
// with their versions.
inline constexpr uint64_t kForeignTransactionsMax = 1024;

// Names of native branches begin so: of versions that pins were built upon, and of those that a
// repair has discarded.
inline constexpr std::string_view kKeepPrefix = "weft-keep.";
inline constexpr std::string_view kDiscardedPrefix = "weft-discarded.";

// Syncs what a version of others has and the pin has not. Errors: kNotFound if some of it is gone;
// those of the store.
Status sync_others(const catalog::CatalogPlace& place, const lance::Snapshot& version,
                   const lance::Snapshot& pinned);

// Makes the rows of a version of others last: files that the pin does not have are synced, and a
// native branch of the table keeps an engine's cleanup off them. Returns the branch's name.
// Errors: those of the store.
Result<std::string> guard_version(const catalog::CatalogPlace& place,
                                  const lance::Snapshot& version, const lance::Snapshot& pinned,
                                  std::string_view prefix);

}  // namespace weft::txn

// Tables as a version of the catalog pins them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/catalog/catalog.h"
#include "weft/lance/table/stage.h"

namespace weft::catalog {

// Where a table lies, for the version that its pin names.
lance::TableLocation location_of(const CatalogPlace& place, const TableEntry& table);

// The pinned version as the head that it is or will be, its bytes checked against the pin: one
// read of what stands under its number, or none if the place knows it; where another content stands
// there, or nothing (yet, or any more), one more of its detached copy. Errors: kCorrupt names the
// table if neither is what was published; those of the store.
Result<lance::Snapshot> open_pinned(const CatalogPlace& place, const TableEntry& table);

// What the pinned version was staged upon; nothing if the table was new, or if that version is gone
// or no longer what it was: a cleanup may have had it once the head was there. Errors: those of the
// store.
Result<std::optional<lance::Snapshot>> open_pin_base(const CatalogPlace& place,
                                                     const TableEntry& table);

// A version under its detached name. 0: there is none.
struct DetachedVersion {
  uint64_t version = 0;
  std::string hash;
};
// The pin of a version that was staged upon `base`.
Result<TablePin> pin_of(const lance::StagedTransaction& staged, const DetachedVersion& base);

// A copy of any version under a detached name of its own, to be put with what is staged upon it.
struct DetachedCopy {
  DetachedVersion as;
  lance::StagedObject object;
};
Result<DetachedCopy> detached_copy(const lance::Snapshot& version, base::Random& random);

}  // namespace weft::catalog

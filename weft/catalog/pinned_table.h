// Tables as a version of the catalog pins them.
#pragma once

#include "weft/base/result.h"
#include "weft/catalog/catalog.h"
#include "weft/lance/table/stage.h"

namespace weft::catalog {

// Where a table lies, for the version that its pin names.
lance::TableLocation location_of(const CatalogPlace& place, const TableEntry& table);

// The pinned version as the head that it is or will be, its bytes checked against the pin: one
// read. Whether the head's name is there does not matter. Errors: kCorrupt names the table if the
// version is missing, replaced or damaged; those of the store.
Result<lance::Snapshot> open_pinned(const CatalogPlace& place, const TableEntry& table);

// The pin of a version that was staged.
Result<TablePin> pin_of(const lance::StagedTransaction& staged);

}  // namespace weft::catalog

// How a version follows from the one before it and an operation: a pure function, the same for a
// first try and for a rebase. Format: docs/formats/lance.md, "The next manifest".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/lance/table/snapshot.h"
#include "weft/lance/table/transaction.h"

namespace weft::lance {

struct NextManifest {
  Manifest manifest;                         // without transaction pointers
  std::optional<std::string> index_section;  // what of it is carried
};

// New fragments (id 0 in the operation, behind all others) get ids above all ever given, and, where
// row ids are stable, row ids and versions for the rows that bring none. For Restore, `restored` is
// the version that comes back. `operation` gets the assigned fragment ids filled in where the
// format wants them (Rewrite's new fragments).
// Errors: kInvalid names what does not fit the base; kUnsupported for operations that only engines
// commit, and for tables that must not be written.
Result<NextManifest> next_manifest(const Snapshot& base, Operation& operation, base::WallTime now,
                                   const Snapshot* restored = nullptr);

// `content` as if it stood under the number of `newest`, which it does not descend from or which
// has other rows: what is staged upon it comes above `newest`, with fragment and row ids that
// neither has given. Not to be stored. Errors: kUnsupported: `newest` must not be written.
Result<Snapshot> restored_under(const Snapshot& newest, const Snapshot& content);

// The parts that every new manifest gets, first versions too.
void stamp(Manifest& manifest, base::WallTime now);
// Fills in ids, row ids and versions of a new fragment.
Status place_fragment(Manifest& manifest, Fragment& fragment, uint64_t& next_fragment_id);

// Compares the fields of `files` with the schema they were staged upon and the one they come to
// stand under: id, name and type must be equal, else a dropped id that came again would turn old
// values into those of another column. Errors: kConflict names the field.
Status check_same_fields(const std::vector<Fragment>& fragments, const Manifest& staged,
                         const Manifest& now);

}  // namespace weft::lance

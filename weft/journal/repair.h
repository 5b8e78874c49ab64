// Brings a damaged journal back into a form that opens, without throwing anything away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/journal/journal.h"
#include "weft/storage/object_store.h"

namespace weft::journal {

struct RepairRequest {
  // Keeps whole commits behind damaged ones. Else everything from the first damage on goes, so that
  // what is left is a state that once was.
  bool keep_later = false;
  bool dry_run = false;
  std::optional<JournalPosition> sealed;  // commits that the log has already are left out
};

struct RepairReport {
  // Bytes [offset, offset + size) that do not count any more, and why.
  struct Lost {
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t line = 0;
    std::string reason;
  };
  std::vector<Lost> lost;
  uint64_t kept_changes = 0;
  uint64_t kept_commits = 0;
  // The journal as it was, beside the new one; empty if nothing was to be repaired.
  std::string kept_as;
};

// The caller holds the right to write. Errors: kNotFound; kConflict if somebody changes the journal
// meanwhile; those of the store. What was damaged is kept under the name "NAME.damaged-HASH".
Result<RepairReport> repair_journal(storage::ObjectStore& store, const std::string& name,
                                    const RepairRequest& request, base::Random& random);

}  // namespace weft::journal

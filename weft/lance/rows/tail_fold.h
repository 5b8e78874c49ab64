// Which small fragments at the end of a table the next commit folds into its own.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/table/row_sequence.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

// How many of the last fragments go into a new one of `new_rows` rows. Tiers are powers of
// kFoldFanOut in rows: when the last fragments of one tier or below (the new one among them) have
// the rows of the next tier, they become one of it.
size_t fragments_to_fold(const std::vector<Fragment>& fragments, uint64_t new_rows);

// Rows that move into a new fragment, with what goes with them.
struct MovedRows {
  std::vector<columns::Batch> batches;
  std::vector<uint64_t> row_ids;  // if the table has stable ones
  std::vector<VersionRun> created;
  std::vector<VersionRun> updated;
};
// Appends the live rows of a fragment but for those at the offsets `without`, which ascend.
Status move_fragment(const Snapshot& base, const Fragment& fragment,
                     const std::vector<uint32_t>& without, const read::ReadOptions& options,
                     MovedRows& moved);
// The sequences of live rows only. For tables with stable row ids.
Status move_sequences(const Fragment& fragment, const std::vector<uint32_t>& offsets,
                      MovedRows& moved);
// Sets what a new fragment carries.
void carry(const MovedRows& moved, bool with_updated, Fragment& fragment);

}  // namespace weft::lance

#include "weft/lance/rows/carry_over.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/lance/rows/row_removal.h"
#include "weft/lance/table/live_rows.h"
#include "weft/lance/table/row_sequence.h"

namespace weft::lance {

namespace {

// Rows that `version` made or changed are made or changed by `next` now.
Status move_version(std::optional<std::string>& sequence, uint64_t rows, uint64_t version,
                    uint64_t next) {
  WEFT_TRY(const std::vector<VersionRun> runs, expand_versions(sequence.value_or(""), rows));
  std::vector<VersionRun> moved;
  for (const VersionRun& run : runs) {
    append_run(moved, run.count, run.version == version ? next : run.version);
  }
  sequence = serialize_versions(moved);
  return {};
}

Result<std::optional<std::string>> inserted_keys_of(const Snapshot& version) {
  WEFT_TRY(std::optional<Transaction> transaction, version.transaction());
  UpdateOperation* const update =
      transaction ? std::get_if<UpdateOperation>(&transaction->operation) : nullptr;
  return update == nullptr ? std::optional<std::string>() : std::move(update->inserted_keys);
}

}  // namespace

Result<StagedTransaction> stage_carried_over(const Snapshot& onto, const Snapshot& from,
                                             const Snapshot& to, const StageOptions& options) {
  WEFT_TRY(RowChange change, row_change(from, to));
  WEFT_TRY(std::vector<uint64_t> addresses, addresses_of(onto, change.gone));
  Stage stage(onto, options);
  WEFT_TRY(Removal removal, remove_rows(stage, group_by_fragment(std::move(addresses))));
  for (Fragment& fragment : change.added) {
    fragment.id = 0;
    for (auto* versions : {&fragment.created_at_versions, &fragment.last_updated_at_versions}) {
      WEFT_TRY_STATUS(
          move_version(*versions, fragment.physical_rows, to.version(), onto.version() + 1));
    }
  }
  WEFT_TRY(std::optional<std::string> inserted_keys, inserted_keys_of(to));
  if (removal.gone.empty() && removal.updated.empty() && !inserted_keys) {
    return std::move(stage).finish(AppendOperation{std::move(change.added)});
  }
  UpdateOperation update;
  update.removed_fragment_ids = std::move(removal.gone);
  update.updated_fragments = std::move(removal.updated);
  update.new_fragments = std::move(change.added);
  update.inserted_keys = std::move(inserted_keys);
  return std::move(stage).finish(std::move(update));
}

}  // namespace weft::lance

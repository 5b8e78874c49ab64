#include "weft/lance/rows/row_operations.h"

#include <algorithm>
#include <map>

#include "weft/lance/rows/row_removal.h"
#include "weft/lance/rows/tail_fold.h"

namespace weft::lance {

namespace {

uint64_t rows_of(const std::vector<columns::Batch>& batches) {
  uint64_t rows = 0;
  for (const columns::Batch& batch : batches) {
    rows += batch.row_count();
  }
  return rows;
}

// Rows that come from the tail of the table, and the ids of the fragments they leave.
struct Fold {
  MovedRows moved;
  std::vector<uint64_t> fragment_ids;
};

// Rows of `replaced` do not move. What of it lies in folded fragments is taken out of it.
Result<Fold> fold_tail(const Snapshot& base, uint64_t new_rows, GroupedRows& replaced,
                       const RowOptions& options) {
  Fold fold;
  if (!options.fold || new_rows == 0 || new_rows >= kFoldRowsMax) {
    return fold;
  }
  const std::vector<Fragment>& fragments = base.manifest().fragments;
  const size_t count = fragments_to_fold(fragments, new_rows);
  for (size_t i = fragments.size() - count; i < fragments.size(); ++i) {
    const auto without = replaced.extract(fragments[i].id);
    WEFT_TRY_STATUS(move_fragment(base, fragments[i],
                                  without ? without.mapped() : std::vector<uint32_t>(),
                                  options.read, fold.moved));
    fold.fragment_ids.push_back(fragments[i].id);
  }
  return fold;
}

Status write_all(RowWriter& writer, const std::vector<columns::Batch>& batches) {
  for (const columns::Batch& batch : batches) {
    WEFT_TRY_STATUS(writer.append(batch));
  }
  return {};
}

}  // namespace

Result<StagedTransaction> stage_create(TableLocation location,
                                       std::vector<layout::SchemaField> fields,
                                       const std::vector<columns::Batch>& batches,
                                       bool stable_row_ids, const RowOptions& options) {
  NewTable table;
  std::vector<StagedObject> held;
  RowWriter writer(location, table.file_version, options.stage, fields, options.write, &held);
  WEFT_TRY_STATUS(write_all(writer, batches));
  WEFT_TRY(table.fragments, writer.finish());
  table.location = std::move(location);
  table.schema = std::move(fields);
  table.stable_row_ids = stable_row_ids;
  return stage_new_table(std::move(table), options.stage, std::move(held));
}

Result<StagedTransaction> stage_append(const Snapshot& base,
                                       const std::vector<columns::Batch>& batches,
                                       const RowOptions& options) {
  Stage stage(base, options.stage);
  GroupedRows replaced;
  WEFT_TRY(Fold fold, fold_tail(base, rows_of(batches), replaced, options));
  RowWriteOptions one_file = options.write;
  one_file.file_rows_max =
      std::max<uint64_t>(options.write.file_rows_max, rows_of(fold.moved.batches));
  RowWriter writer(stage, base.manifest().fields, one_file);
  WEFT_TRY_STATUS(write_all(writer, fold.moved.batches));
  WEFT_TRY_STATUS(write_all(writer, batches));
  WEFT_TRY(std::vector<Fragment> fragments, writer.finish());
  if (fold.fragment_ids.empty()) {
    return std::move(stage).finish(AppendOperation{std::move(fragments)});
  }
  if (base.manifest().has_stable_row_ids()) {
    carry(fold.moved, true, fragments.front());
  }
  UpdateOperation update;
  update.removed_fragment_ids = std::move(fold.fragment_ids);
  update.new_fragments = std::move(fragments);
  return std::move(stage).finish(std::move(update));
}

Result<StagedTransaction> stage_delete(const Snapshot& base, std::vector<uint64_t> addresses,
                                       const RowOptions& options) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  Stage stage(base, options.stage);
  WEFT_TRY(Removal removal, remove_rows(stage, group_by_fragment(addresses)));
  DeleteOperation operation;
  operation.updated_fragments = std::move(removal.updated);
  operation.deleted_fragment_ids = std::move(removal.gone);
  operation.predicate = std::to_string(addresses.size()) + " rows by address";
  return std::move(stage).finish(std::move(operation));
}

Result<StagedTransaction> stage_replace(const Snapshot& base, const columns::Batch& updates,
                                        const std::vector<uint64_t>& addresses,
                                        const columns::Batch& inserts,
                                        std::optional<std::string> inserted_keys,
                                        const RowOptions& options) {
  return stage_replacement(base, {updates, addresses, {}, inserts, std::move(inserted_keys)},
                           options);
}

Result<StagedTransaction> stage_replacement(const Snapshot& base, Replacement replacement,
                                            const RowOptions& options) {
  const auto& [updates, addresses, removed, inserts, inserted_keys] = replacement;
  if (updates.row_count() != addresses.size()) {
    return Error(ErrorKind::kInvalid, "every updated row has the address of one that it replaces");
  }
  Stage stage(base, options.stage);
  std::vector<uint64_t> leaving = addresses;
  leaving.insert(leaving.end(), removed.begin(), removed.end());
  GroupedRows replaced = group_by_fragment(std::move(leaving));
  WEFT_TRY_STATUS(check_addresses(base, replaced));
  const uint64_t new_rows = updates.row_count() + inserts.row_count();
  WEFT_TRY(Fold fold, fold_tail(base, new_rows, replaced, options));
  WEFT_TRY(Removal removal, remove_rows(stage, replaced));
  RowWriteOptions one_file = options.write;
  one_file.file_rows_max = std::max<uint64_t>(options.write.file_rows_max,
                                              rows_of(fold.moved.batches) + updates.row_count());
  RowWriter writer(stage, base.manifest().fields, one_file);
  WEFT_TRY_STATUS(write_all(writer, fold.moved.batches));
  WEFT_TRY_STATUS(write_all(writer, {updates, inserts}));
  WEFT_TRY(std::vector<Fragment> fragments, writer.finish());
  if (base.manifest().has_stable_row_ids() && !fragments.empty()) {
    WEFT_TRY_STATUS(keep_identities(base, addresses, fold.moved));
    carry(fold.moved, true, fragments.front());
  }
  removal.gone.insert(removal.gone.end(), fold.fragment_ids.begin(), fold.fragment_ids.end());
  UpdateOperation update;
  update.removed_fragment_ids = std::move(removal.gone);
  update.updated_fragments = std::move(removal.updated);
  update.new_fragments = std::move(fragments);
  update.fields_for_preserving_bitmap = all_field_ids(base.manifest());
  update.inserted_keys = std::move(replacement.inserted_keys);
  return std::move(stage).finish(std::move(update));
}

namespace {

Result<CommitResult> commit_upon(
    Snapshot base, const CommitOptions& options, uint64_t attempts_max,
    const std::function<Result<StagedTransaction>(const Snapshot&)>& stage) {
  for (uint64_t attempt = 0; attempt < attempts_max; ++attempt) {
    WEFT_TRY(const StagedTransaction staged, stage(base));
    CommitOptions once = options;
    // An update stands on the keys that it read: it is never carried over others' versions.
    once.rebase =
        options.rebase && !std::holds_alternative<UpdateOperation>(staged.transaction.operation);
    WEFT_TRY(CommitResult result, commit(staged, once));
    if (result.outcome != CommitOutcome::kRetry || !result.snapshot) {
      return result;
    }
    base = std::move(*result.snapshot);
  }
  return Error(ErrorKind::kUnavailable, "table is written by others all the time")
      .with("reason", "contention")
      .with("table", base.location().to_string())
      .with("attempts", attempts_max);
}

}  // namespace

Result<CommitResult> commit_rows(
    const Snapshot& known, const CommitOptions& options, uint64_t attempts_max,
    const std::function<Result<StagedTransaction>(const Snapshot&)>& stage) {
  WEFT_TRY(Snapshot base, open_latest_after(known));
  return commit_upon(std::move(base), options, attempts_max, stage);
}

Result<CommitResult> commit_rows(
    const TableLocation& location, const CommitOptions& options, uint64_t attempts_max,
    const std::function<Result<StagedTransaction>(const Snapshot&)>& stage) {
  WEFT_TRY(Snapshot base, open_latest(location));
  return commit_upon(std::move(base), options, attempts_max, stage);
}

}  // namespace weft::lance

// What is done to the rows of a table, each as a staged transaction: nothing is reachable before it
// is committed or followed (stage.h).
//
//     CommitResult result = commit_rows(location, options, [&](const Snapshot& base) {
//       return stage_upsert(base, rows, {.keys = {"id"}}, row_options);
//     });
//
// P1  Appends and upserts fold small fragments at the table's end in the same transaction, so that
//     ten thousand one-row commits leave at most kTailFragmentsMax fragments; each row is rewritten
//     about once for each power of kFoldFanOut of rows that follow it.
// P2  An update keeps a row's stable id and the version it was created in; a compaction and a fold
//     keep the version it was last updated in, too.
// P3  An upsert reads the keys of the version it is staged upon. commit_rows never carries it over
//     versions of others: it stages it anew.
// P4  Where the key is the table's unenforced primary key, the transaction carries a filter of the
//     keys that were inserted, up to kFilterKeysMax of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/rows/row_writer.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/lance/table/stage.h"

namespace weft::lance {

inline constexpr uint64_t kFoldFanOut = 8;
// Larger fragments are left to compaction.
inline constexpr uint64_t kFoldRowsMax = 65'536;
inline constexpr uint64_t kFoldBytesMax = uint64_t{8} << 20U;
inline constexpr uint64_t kTailFragmentsMax = 64;
inline constexpr uint64_t kFilterKeysMax = 8192;

struct RowOptions {
  StageOptions stage;
  RowWriteOptions write;
  read::ReadOptions read;
  bool fold = true;
};

// A table with these columns and rows (there may be none). `fields` as a manifest has them.
Result<StagedTransaction> stage_create(TableLocation location,
                                       std::vector<layout::SchemaField> fields,
                                       const std::vector<columns::Batch>& batches,
                                       bool stable_row_ids, const RowOptions& options);

// Batches have the table's columns, in order. Errors: kInvalid; those of the files.
Result<StagedTransaction> stage_append(const Snapshot& base,
                                       const std::vector<columns::Batch>& batches,
                                       const RowOptions& options);

// Rows by their addresses (row_address). Errors: kConflict if one is not there (any more).
Result<StagedTransaction> stage_delete(const Snapshot& base, std::vector<uint64_t> addresses,
                                       const RowOptions& options);

struct UpsertOptions {
  std::vector<std::string> keys;  // columns, no value null
  // A key that exists: kAlreadyExists, instead of an update.
  bool insert_only = false;
};
// Rows whose key exists replace it, the others are inserted. Where others left several rows of one
// key (nothing enforces it), one of them is replaced and the rest go. Errors: kInvalid if a key is
// null or occurs twice in `batch`; kAlreadyExists.
Result<StagedTransaction> stage_upsert(const Snapshot& base, const columns::Batch& batch,
                                       const UpsertOptions& keys, const RowOptions& options);

// Updated rows replace those at `addresses` (one each, grouped by fragment), inserted ones are new:
// for who knows by an index of his own where keys stand. `inserted_keys`: KeyFilter::serialize.
// Errors: kInvalid; kConflict if a row is not there (any more).
Result<StagedTransaction> stage_replace(const Snapshot& base, const columns::Batch& updates,
                                        const std::vector<uint64_t>& addresses,
                                        const columns::Batch& inserts,
                                        std::optional<std::string> inserted_keys,
                                        const RowOptions& options);

// The same, with more rows that go.
struct Replacement {
  columns::Batch updates;
  std::vector<uint64_t> addresses;
  std::vector<uint64_t> removed;
  columns::Batch inserts;
  std::optional<std::string> inserted_keys;
};
Result<StagedTransaction> stage_replacement(const Snapshot& base, Replacement replacement,
                                            const RowOptions& options);

// Every row with a key of `batch` (its columns are the key columns); keys that no row has are
// passed over. Errors: as stage_upsert.
Result<StagedTransaction> stage_delete_keys(const Snapshot& base, const columns::Batch& batch,
                                            const std::vector<std::string>& keys,
                                            const RowOptions& options);

// Addresses of the rows with the keys of `batch` (its columns are the key columns), in its order;
// kNoAddress where there is none, the last one where there are several.
inline constexpr uint64_t kNoAddress = UINT64_MAX;
Result<std::vector<uint64_t>> find_keys(const Snapshot& base, const columns::Batch& batch,
                                        const std::vector<std::string>& keys,
                                        const read::ReadOptions& options);

struct CompactOptions {
  uint64_t rows_per_fragment = uint64_t{1} << 20U;
  // Fragments with at least this share of deleted rows are rewritten.
  uint64_t deleted_percent_min = 10;
};
// Rewrites runs of neighbours that are small or have many deletions. Nothing if there is nothing to
// do. Errors: kUnsupported if index entries forbid it.
Result<std::optional<StagedTransaction>> stage_compaction(const Snapshot& base,
                                                          const CompactOptions& compact,
                                                          const RowOptions& options);

// New columns, null in every row there is. Errors: kAlreadyExists; kInvalid: a name, or a column
// that must not be null.
Result<StagedTransaction> stage_add_columns(const Snapshot& base, const columns::Schema& added,
                                            const RowOptions& options);

// New columns with a value in every row: one more data file for each fragment, the old ones stay.
struct ColumnValues {
  columns::Schema added;
  // What `values` is given: these columns of some live rows, in order, at most kMergeRowsAtOnce of
  // them at a time. None: the batch has rows without columns.
  std::vector<std::string> inputs;
  // The new columns of these rows, as many.
  std::function<Result<columns::Batch>(const TableRows&)> values;
};
inline constexpr uint64_t kMergeRowsAtOnce = 65'536;
// Errors: kAlreadyExists; kInvalid: a name, a null where none may be, another number of rows; those
// of `values`.
Result<StagedTransaction> stage_add_values(const Snapshot& base, const ColumnValues& columns,
                                           const RowOptions& options);

// The columns of `batch` that are no keys become new columns: each row of the table gets the values
// of the row with its key, or nulls where there is none (or its own key is null). Errors: as
// stage_add_values; kInvalid also: a key in `batch` that is null or occurs twice, a key column of
// another type than the table's.
Result<StagedTransaction> stage_merge(const Snapshot& base, const columns::Batch& batch,
                                      const std::vector<std::string>& keys,
                                      const RowOptions& options);

// Errors: kNotFound; kInvalid: nothing would be left, or the key.
Result<StagedTransaction> stage_drop_columns(const Snapshot& base,
                                             const std::vector<std::string>& names,
                                             const RowOptions& options);

// Stages upon the newest version and commits, again upon what others committed meanwhile.
// Errors: kUnavailable with reason=contention after `attempts_max`; those of staging and
// committing.
Result<CommitResult> commit_rows(
    const Snapshot& known, const CommitOptions& options, uint64_t attempts_max,
    const std::function<Result<StagedTransaction>(const Snapshot&)>& stage);
// The newest version found by listing all: who commits again and again hands in the version that he
// made last, from which the newest is found by its number.
Result<CommitResult> commit_rows(
    const TableLocation& location, const CommitOptions& options, uint64_t attempts_max,
    const std::function<Result<StagedTransaction>(const Snapshot&)>& stage);

}  // namespace weft::lance

#include "weft/graph/stage_load.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/columns/select.h"
#include "weft/graph/key_index.h"
#include "weft/lance/rows/tail_fold.h"
#include "weft/lance/table/key_filter.h"

namespace weft::graph {
namespace {

using lance::RowOptions;
using lance::Snapshot;
using lance::StagedTransaction;
using Replaced = std::vector<lance::ReplacedRow>;

constexpr int32_t kIdField = 0;

// Of the ids that a commit inserts; none if there are too many.
std::optional<std::string> filter_of(const columns::Batch& inserts) {
  if (inserts.row_count() == 0 || inserts.row_count() > lance::kFilterKeysMax) {
    return std::nullopt;
  }
  lance::KeyFilter filter({kIdField});
  for (size_t row = 0; row < inserts.row_count(); ++row) {
    filter.insert(inserts.column(0)->text(row));
  }
  return filter.serialize();
}

Result<columns::Batch> join(const std::vector<columns::Batch>& batches) {
  if (batches.size() == 1) {
    return batches.front();
  }
  std::vector<columns::ArrayPtr> joined;
  size_t rows = 0;
  for (const columns::Batch& batch : batches) {
    rows += batch.row_count();
  }
  for (size_t column = 0; column < batches.front().column_count(); ++column) {
    std::vector<columns::ArrayPtr> parts;
    parts.reserve(batches.size());
    for (const columns::Batch& batch : batches) {
      parts.push_back(batch.column(column));
    }
    WEFT_TRY(columns::ArrayPtr whole, columns::concat(parts));
    joined.push_back(std::move(whole));
  }
  return columns::Batch::make(batches.front().schema(), std::move(joined), rows);
}

Result<StagedTransaction> stage_all_of_it(const Snapshot& base, const LoadedTable& loaded,
                                          const RowOptions& options) {
  lance::WrittenRows rows;
  rows.replaces_all = true;
  if (loaded.is_written()) {
    rows.fragments = loaded.fragments();
    return stage_written(base, std::move(rows), options);
  }
  lance::RowWriter writer(base.location(), base.manifest().file_version, options.stage,
                          base.manifest().fields, options.write, &rows.held);
  for (const columns::Batch& batch : loaded.waiting()) {
    WEFT_TRY_STATUS(writer.append(batch));
  }
  WEFT_TRY(rows.fragments, writer.finish());
  return stage_written(base, std::move(rows), options);
}

// What happens to stored rows: some are replaced, some leave.
struct Stored {
  const Replaced& replaced;
  const std::vector<uint64_t>& removed;
};

Result<StagedTransaction> stage_waiting(const Snapshot& base, const LoadedTable& loaded,
                                        const Stored& stored, RowOptions options) {
  WEFT_TRY(const columns::Batch rows, join(loaded.waiting()));
  Replaced by_address = stored.replaced;
  std::ranges::sort(by_address, {}, &lance::ReplacedRow::address);
  lance::Replacement replacement;
  std::vector<bool> is_update(rows.row_count(), false);
  std::vector<uint64_t> updates;
  std::vector<uint64_t> inserts;
  for (const lance::ReplacedRow& row : by_address) {
    replacement.addresses.push_back(row.address);
    updates.push_back(row.position);
    is_update[row.position] = true;
  }
  for (size_t row = 0; row < rows.row_count(); ++row) {
    if (!is_update[row]) {
      inserts.push_back(row);
    }
  }
  WEFT_TRY(replacement.updates, columns::take(rows, updates));
  WEFT_TRY(replacement.inserts, columns::take(rows, inserts));
  replacement.inserted_keys = filter_of(replacement.inserts);
  replacement.removed = stored.removed;
  const bool is_insert_only =
      updates.empty() && stored.removed.empty() && replacement.inserted_keys.has_value() &&
      lance::fragments_to_fold(base.manifest().fragments, rows.row_count()) == 0;
  if (is_insert_only) {
    options.stage.properties.emplace_back(kInsertAbsence, "v1");
  }
  return stage_replacement(base, std::move(replacement), options);
}

Result<StagedTransaction> stage_table(const Snapshot& base, LoadMode mode,
                                      const LoadedTable& loaded, const Stored& stored,
                                      const RowOptions& options) {
  if (mode == LoadMode::kOverwrite) {
    return stage_all_of_it(base, loaded, options);
  }
  if (loaded.row_count() > 0 && !loaded.is_written()) {
    return stage_waiting(base, loaded, stored, options);
  }
  // More rows than a filter holds, or none.
  lance::WrittenRows rows;
  rows.fragments = loaded.fragments();
  rows.replaced = stored.replaced;
  rows.removed = stored.removed;
  return stage_written(base, std::move(rows), options);
}

// Of the rows that the base does not have yet, in their order.
std::vector<codec::Digest16> inserted_ids(const LoadedTable& loaded, const Replaced& replaced) {
  if (replaced.empty()) {
    return loaded.ids().digests();
  }
  std::vector<codec::Digest16> inserted;
  size_t next = 0;
  for (uint64_t row = 0; row < loaded.row_count(); ++row) {
    if (next < replaced.size() && replaced[next].position == row) {
      ++next;
    } else {
      inserted.push_back(loaded.ids().digests()[row]);
    }
  }
  return inserted;
}

Result<StagedTransaction> stage_with_index(const Snapshot& base, LoadMode mode,
                                           const LoadedTable& loaded, const Stored& stored,
                                           RowOptions options) {
  WEFT_TRY(ExtendedIndex index, extend_key_index(base, inserted_ids(loaded, stored.replaced),
                                                 mode == LoadMode::kOverwrite, options.stage));
  options.stage.config.push_back(std::move(index.config));
  WEFT_TRY(StagedTransaction staged, stage_table(base, mode, loaded, stored, options));
  std::ranges::move(index.objects, std::back_inserter(staged.objects));
  return staged;
}

}  // namespace

Result<txn::Change> stage_load(const RowOptions& options, LoadMode mode, const LoadedTables& tables,
                               const GraphSnapshot::Bases& bases, const CheckedLoad& checked,
                               const LeavingTables& leaving) {
  const Replaced none_replaced;
  const std::vector<uint64_t> none_removed;
  txn::Change change;
  for (const auto& [key, base] : bases) {
    const LoadedTable& loaded = *tables.find(key)->second;
    const auto replaced = checked.replaced.find(key);
    const auto removed = leaving.find(key);
    txn::TableChange& table = change.tables.emplace_back();
    table.key = key;
    table.identity = loaded.table().entry().identity;
    const Stored stored{replaced == checked.replaced.end() ? none_replaced : replaced->second,
                        removed == leaving.end() ? none_removed : removed->second.addresses};
    WEFT_TRY(table.staged, stage_with_index(base, mode, loaded, stored, options));
  }
  return change;
}

}  // namespace weft::graph

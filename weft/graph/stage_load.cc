#include "weft/graph/stage_load.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "weft/base/check.h"
#include "weft/columns/select.h"
#include "weft/graph/key_index.h"
#include "weft/graph/value_index.h"
#include "weft/lance/rows/tail_fold.h"
#include "weft/lance/table/key_filter.h"
#include "weft/lance/table/row_sequence.h"

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

// Of the rows that are replaced, in their order.
Result<std::vector<uint64_t>> replaced_row_ids(const Snapshot& base, const Replaced& replaced) {
  std::vector<uint64_t> ids(replaced.size());
  std::vector<size_t> by_address(replaced.size());
  std::iota(by_address.begin(), by_address.end(), size_t{0});
  std::ranges::sort(by_address, {}, [&](size_t i) { return replaced[i].address; });
  const lance::Fragment* fragment = nullptr;
  std::vector<lance::RowIdRun> runs;
  for (const size_t i : by_address) {
    const uint64_t fragment_id = replaced[i].address >> 32U;
    if (fragment == nullptr || fragment->id != fragment_id) {
      fragment = base.manifest().find_fragment(fragment_id);
      WEFT_CHECK(fragment != nullptr);
      WEFT_TRY(runs, lance::row_id_runs(fragment->row_ids.value_or(""), fragment->physical_rows));
    }
    const uint64_t offset = replaced[i].address & UINT32_MAX;
    const auto past = std::ranges::upper_bound(runs, offset, {}, &lance::RowIdRun::position);
    WEFT_CHECK(past != runs.begin());
    ids[i] = (past - 1)->start + (offset - (past - 1)->position);
  }
  return ids;
}

// The row ids of all rows, in their order: of replaced rows their own, of others fresh ones.
Result<std::vector<uint64_t>> row_ids_of(const Snapshot& base, const LoadedTable& loaded,
                                         const Replaced& replaced) {
  std::vector<uint64_t> ids(loaded.row_count());
  WEFT_TRY(const std::vector<uint64_t> kept, replaced_row_ids(base, replaced));
  size_t next = 0;
  uint64_t fresh = base.manifest().next_row_id;
  for (uint64_t row = 0; row < ids.size(); ++row) {
    const bool is_kept = next < replaced.size() && replaced[next].position == row;
    ids[row] = is_kept ? kept[next++] : fresh++;
  }
  return ids;
}

// Indices over values: of each @unique, and of the sources of edges whose number is bounded.
Status extend_value_indices(const Snapshot& base, const LoadedTable& loaded,
                            const Replaced& replaced, bool replaces_all, RowOptions& options,
                            std::vector<lance::StagedObject>& objects) {
  if (loaded.uniques().empty() && loaded.row_sources().empty()) {
    return ok_status();
  }
  WEFT_TRY(const std::vector<uint64_t> ids, row_ids_of(base, loaded, replaced));
  const auto extend = [&](const std::vector<std::string>& columns,
                          std::vector<KeyEntry> entries) -> Status {
    WEFT_TRY(const std::string entry, value_index_entry(base, columns));
    WEFT_TRY(ExtendedIndex index, extend_index(base, entry,
                                               {.entries = std::move(entries),
                                                .inserted = loaded.row_count() - replaced.size(),
                                                .replaces_all = replaces_all},
                                               options.stage));
    options.stage.config.push_back(std::move(index.config));
    std::ranges::move(index.objects, std::back_inserter(objects));
    return ok_status();
  };
  for (const LoadedUnique& unique : loaded.uniques()) {
    std::vector<KeyEntry> entries;
    entries.reserve(unique.values.size());
    for (size_t i = 0; i < unique.values.size(); ++i) {
      entries.push_back({unique.values.digests()[i], ids[unique.values.row_at(i)]});
    }
    WEFT_TRY_STATUS(extend(unique.members, std::move(entries)));
  }
  if (loaded.row_sources().empty()) {
    return ok_status();
  }
  std::vector<KeyEntry> entries;
  entries.reserve(ids.size());
  for (size_t row = 0; row < ids.size(); ++row) {
    entries.push_back({loaded.row_sources()[row], ids[row]});
  }
  return extend({std::string(kSourceColumn)}, std::move(entries));
}

Result<StagedTransaction> stage_with_index(const Snapshot& base, LoadMode mode,
                                           const LoadedTable& loaded, const Stored& stored,
                                           RowOptions options) {
  const bool replaces_all = mode == LoadMode::kOverwrite;
  WEFT_TRY(ExtendedIndex index, extend_key_index(base, inserted_ids(loaded, stored.replaced),
                                                 replaces_all, options.stage));
  options.stage.config.push_back(std::move(index.config));
  WEFT_TRY_STATUS(
      extend_value_indices(base, loaded, stored.replaced, replaces_all, options, index.objects));
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

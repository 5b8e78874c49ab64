#include "weft/graph/key_lookup.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "weft/graph/key_index.h"
#include "weft/graph/value_text.h"
#include "weft/lance/rows/fragment_reader.h"
#include "weft/lance/table/row_sequence.h"

namespace weft::graph {
namespace {

using Found = std::pair<uint32_t, uint64_t>;  // wanted row, address

// Where the live rows with these row ids stand. `candidates` ascend: row id, wanted row.
Status resolve(const lance::Snapshot& snapshot,
               const std::vector<std::pair<uint64_t, uint32_t>>& candidates,
               std::vector<Found>& found) {
  const lance::read::ReadOptions options;
  for (const lance::Fragment& fragment : snapshot.manifest().fragments) {
    WEFT_TRY(const auto runs,
             lance::row_id_runs(fragment.row_ids.value_or(""), fragment.physical_rows));
    std::optional<lance::FragmentReader> reader;
    const lance::Deletions* deletions = nullptr;
    for (const lance::RowIdRun& run : runs) {
      auto at = std::ranges::lower_bound(candidates, run.start, {},
                                         &std::pair<uint64_t, uint32_t>::first);
      for (; at != candidates.end() && at->first < run.end; ++at) {
        if (!reader.has_value()) {
          reader.emplace(snapshot, fragment, options);
          WEFT_TRY(deletions, reader->deletions());
        }
        const auto offset = static_cast<uint32_t>(run.position + (at->first - run.start));
        if (deletions == nullptr || !deletions->contains(offset)) {
          found.emplace_back(at->second, lance::row_address(fragment.id, offset));
        }
      }
    }
  }
  return ok_status();
}

}  // namespace

Result<std::vector<uint64_t>> live_addresses(const lance::Snapshot& snapshot,
                                             const std::vector<uint64_t>& row_ids) {
  std::vector<std::pair<uint64_t, uint32_t>> candidates;
  candidates.reserve(row_ids.size());
  for (const uint64_t row_id : row_ids) {
    candidates.emplace_back(row_id, 0);
  }
  std::vector<Found> found;
  if (!candidates.empty()) {
    WEFT_TRY_STATUS(resolve(snapshot, candidates, found));
  }
  std::vector<uint64_t> addresses;
  addresses.reserve(found.size());
  for (const auto& [row, address] : found) {
    addresses.push_back(address);
  }
  return addresses;
}

Result<std::vector<uint64_t>> fragments_of_gaps(const lance::Snapshot& snapshot,
                                                const std::vector<KeyIndex::Gap>& gaps) {
  std::vector<uint64_t> ids;
  if (gaps.empty()) {
    return ids;
  }
  for (const lance::Fragment& fragment : snapshot.manifest().fragments) {
    WEFT_TRY(const auto runs,
             lance::row_id_runs(fragment.row_ids.value_or(""), fragment.physical_rows));
    const bool is_one = std::ranges::any_of(runs, [&](const lance::RowIdRun& run) {
      return std::ranges::any_of(
          gaps, [&](const KeyIndex::Gap& gap) { return run.start < gap.to && gap.from < run.end; });
    });
    if (is_one || !fragment.row_ids.has_value()) {
      ids.push_back(fragment.id);
    }
  }
  std::ranges::sort(ids);
  return ids;
}

namespace {

Status scan_fragments(const TypeTable& table, const std::vector<uint64_t>& fragments,
                      const RowIndex& wanted, std::vector<Found>& found,
                      const std::stop_token& stop) {
  WEFT_TRY(lance::TableReader* const reader, table.reader());
  WEFT_TRY(const auto scan, reader->scan({std::string(kIdColumn)}, fragments));
  for (;;) {
    WEFT_TRY(const std::optional<lance::TableRows> rows, scan->next(stop));
    if (!rows.has_value()) {
      return ok_status();
    }
    const columns::Array& ids = *rows->batch.column(0);
    for (size_t i = 0; i < ids.length(); ++i) {
      const uint32_t row = wanted.find(id_digest(ids.text(i)));
      if (row != RowIndex::kNone) {
        found.emplace_back(row, lance::row_address(rows->fragment_id, rows->offsets[i]));
      }
    }
  }
}

}  // namespace

Status scan_table(const TypeTable& table, const std::vector<std::string>& names,
                  const std::function<Status(const lance::TableRows&)>& use,
                  const std::stop_token& stop) {
  WEFT_TRY(lance::TableReader* const reader, table.reader());
  WEFT_TRY(const auto scan, reader->scan(names));
  for (;;) {
    WEFT_TRY(const std::optional<lance::TableRows> rows, scan->next(stop));
    if (!rows.has_value()) {
      return ok_status();
    }
    WEFT_TRY_STATUS(use(*rows));
  }
}

Status find_rows(const TypeTable& table, const RowIndex& wanted,
                 const std::function<void(uint32_t row, uint64_t address)>& use,
                 const std::stop_token& stop) {
  if (table.row_count() == 0 || wanted.empty()) {
    return ok_status();
  }
  WEFT_TRY(const lance::TableReader* const reader, table.reader());
  const lance::Snapshot& snapshot = reader->snapshot();
  std::vector<std::pair<codec::Digest16, uint32_t>> sorted;
  sorted.reserve(wanted.size());
  for (size_t entry = 0; entry < wanted.size(); ++entry) {
    sorted.emplace_back(wanted.digests()[entry], wanted.row_at(entry));
  }
  std::ranges::sort(sorted);
  std::vector<codec::Digest16> digests;
  digests.reserve(sorted.size());
  for (const auto& [digest, row] : sorted) {
    digests.push_back(digest);
  }
  std::vector<std::pair<uint64_t, uint32_t>> candidates;
  WEFT_TRY(const auto gaps, find_row_ids(snapshot, digests, [&](size_t index, uint64_t row_id) {
             candidates.emplace_back(row_id, sorted[index].second);
           }));
  std::ranges::sort(candidates);
  std::vector<Found> found;
  if (!candidates.empty()) {
    WEFT_TRY_STATUS(resolve(snapshot, candidates, found));
  }
  WEFT_TRY(const std::vector<uint64_t> fragments, fragments_of_gaps(snapshot, gaps));
  if (!fragments.empty()) {
    WEFT_TRY_STATUS(scan_fragments(table, fragments, wanted, found, stop));
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (const auto& [row, address] : found) {
    use(row, address);
  }
  return ok_status();
}

}  // namespace weft::graph

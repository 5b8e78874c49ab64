#include "weft/lance/rows/same_values.h"

#include <algorithm>
#include <span>
#include <vector>

#include "weft/lance/rows/table_reader.h"
#include "weft/lance/table/live_rows.h"

namespace weft::lance {
namespace {

constexpr size_t kRowsAtOnce = 4096;

}  // namespace

Result<bool> has_same_values(const Snapshot& left, const Snapshot& right,
                             std::optional<uint64_t> of_version) {
  if (left.manifest().fields != right.manifest().fields) {
    return false;
  }
  WEFT_TRY(std::vector<LiveRow> rows, rows_not_shared(left, right.manifest(), of_version));
  WEFT_TRY(std::vector<LiveRow> others,
           rows_not_shared(right, left.manifest(), std::optional<uint64_t>()));
  std::ranges::sort(rows, {}, &LiveRow::row_id);
  std::ranges::sort(others, {}, &LiveRow::row_id);
  std::vector<uint64_t> addresses;
  std::vector<uint64_t> other_addresses;
  auto other = others.begin();
  for (const LiveRow& row : rows) {
    while (other != others.end() && other->row_id < row.row_id) {
      ++other;
    }
    if (other == others.end() || other->row_id != row.row_id) {
      return false;
    }
    addresses.push_back(row.address);
    other_addresses.push_back(other->address);
  }
  WEFT_TRY(const auto reader, TableReader::open(left));
  WEFT_TRY(const auto other_reader, TableReader::open(right));
  for (size_t at = 0; at < addresses.size(); at += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, addresses.size() - at);
    WEFT_TRY(const columns::Batch ours,
             reader->take_addresses({}, std::span(addresses).subspan(at, count)));
    WEFT_TRY(const columns::Batch theirs,
             other_reader->take_addresses({}, std::span(other_addresses).subspan(at, count)));
    if (!columns::equal(ours, theirs)) {
      return false;
    }
  }
  return true;
}

}  // namespace weft::lance

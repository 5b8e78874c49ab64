#include "weft/graph/value_index.h"

#include <algorithm>
#include <utility>

#include "weft/graph/key_lookup.h"
#include "weft/graph/value_text.h"

namespace weft::graph {
namespace {

constexpr size_t kTakenAtOnce = 16'384;
// A row taken by its address costs about as much as so many that are read in order.
constexpr uint64_t kScannedPerTaken = 8;

class ValueFinder {
 public:
  ValueFinder(const TypeTable& table, const std::vector<std::string>& columns, ValueDigest digest,
              const RowIndex& wanted, const std::function<Status(const ValueRow&)>& use,
              const std::stop_token& stop)
      : table_(table), names_(columns), digest_(digest), wanted_(wanted), use_(use), stop_(stop) {
    for (size_t i = 0; i < columns.size(); ++i) {
      members_.push_back(i);
    }
    names_.emplace_back(kIdColumn);
  }

  Status run(const std::vector<std::string>& columns) {
    if (table_.row_count() == 0 || wanted_.empty()) {
      return ok_status();
    }
    WEFT_TRY(lance::TableReader* const reader, table_.reader());
    WEFT_TRY(const std::string entry, value_index_entry(reader->snapshot(), columns));
    std::vector<codec::Digest16> digests = wanted_.digests();
    std::ranges::sort(digests);
    digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
    std::vector<uint64_t> row_ids;
    WEFT_TRY(const auto gaps,
             find_row_ids(
                 reader->snapshot(), digests,
                 [&](size_t /*digest*/, uint64_t row_id) { row_ids.push_back(row_id); }, entry));
    WEFT_TRY(std::vector<uint64_t> uncovered, fragments_of_gaps(reader->snapshot(), gaps));
    if (row_ids.size() > table_.row_count() / kScannedPerTaken + kTakenAtOnce) {
      return scan({});
    }
    WEFT_TRY_STATUS(take(*reader, std::move(row_ids), uncovered));
    return uncovered.empty() ? ok_status() : scan(uncovered);
  }

 private:
  Status look(const columns::Batch& batch, size_t at, uint64_t address) {
    const std::optional<codec::Digest16> digest =
        digest_ == ValueDigest::kId ? std::optional(id_digest(batch.column(0)->text(at)))
                                    : tuple_digest(batch, members_, at);
    const uint32_t row = digest ? wanted_.find(*digest) : RowIndex::kNone;
    return row == RowIndex::kNone ? ok_status() : use_({row, address, batch, at});
  }

  Status scan(const std::vector<uint64_t>& fragments) {
    WEFT_TRY(lance::TableReader* const reader, table_.reader());
    WEFT_TRY(const auto scan, reader->scan(names_, fragments));
    for (;;) {
      WEFT_TRY(const std::optional<lance::TableRows> rows, scan->next(stop_));
      if (!rows.has_value()) {
        return ok_status();
      }
      for (size_t i = 0; i < rows->offsets.size(); ++i) {
        WEFT_TRY_STATUS(
            look(rows->batch, i, lance::row_address(rows->fragment_id, rows->offsets[i])));
      }
    }
  }

  // Those in the fragments `without` are read with them.
  Status take(lance::TableReader& reader, std::vector<uint64_t> row_ids,
              const std::vector<uint64_t>& without) {
    std::ranges::sort(row_ids);
    row_ids.erase(std::unique(row_ids.begin(), row_ids.end()), row_ids.end());
    WEFT_TRY(std::vector<uint64_t> addresses, live_addresses(reader.snapshot(), row_ids));
    std::erase_if(addresses, [&](uint64_t address) {
      return std::ranges::binary_search(without, address >> 32U);
    });
    std::ranges::sort(addresses);
    for (size_t from = 0; from < addresses.size(); from += kTakenAtOnce) {
      const std::span<const uint64_t> some =
          std::span(addresses).subspan(from, std::min(kTakenAtOnce, addresses.size() - from));
      WEFT_TRY(const columns::Batch rows, reader.take_addresses(names_, some, stop_));
      for (size_t i = 0; i < some.size(); ++i) {
        WEFT_TRY_STATUS(look(rows, i, some[i]));
      }
    }
    return ok_status();
  }

  const TypeTable& table_;
  std::vector<std::string> names_;
  std::vector<size_t> members_;
  const ValueDigest digest_;
  const RowIndex& wanted_;
  const std::function<Status(const ValueRow&)>& use_;
  const std::stop_token& stop_;
};

}  // namespace

Result<std::string> value_index_entry(const lance::Snapshot& snapshot,
                                      const std::vector<std::string>& columns) {
  std::string entry(kValueIndexPrefix);
  for (const std::string& column : columns) {
    const auto& fields = snapshot.manifest().fields;
    const auto field =
        std::ranges::find_if(fields, [&](const lance::layout::SchemaField& candidate) {
          return candidate.parent_id < 0 && candidate.name == column;
        });
    if (field == fields.end()) {
      return Error(ErrorKind::kInternal, "an index over a column that its table does not have")
          .with("column", column)
          .with("table", snapshot.location().to_string());
    }
    entry += (entry.size() == kValueIndexPrefix.size() ? "" : ".") + std::to_string(field->id);
  }
  return entry;
}

Status find_by_value(const TypeTable& table, const std::vector<std::string>& columns,
                     ValueDigest digest, const RowIndex& wanted,
                     const std::function<Status(const ValueRow&)>& use,
                     const std::stop_token& stop) {
  return ValueFinder(table, columns, digest, wanted, use, stop).run(columns);
}

}  // namespace weft::graph

#include <algorithm>

#include "weft/columns/select.h"
#include "weft/lance/rows/exact_keys.h"
#include "weft/lance/rows/fragment_reader.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/table/key_filter.h"

namespace weft::lance {

namespace {

constexpr uint64_t kRowsAtOnce = 65'536;

// The filter of inserted rows, if the key is the primary key and the filter can hold them.
std::optional<std::string> filter_of(const Snapshot& base, const std::vector<std::string>& names,
                                     const columns::Batch& inserts) {
  std::vector<int32_t> ids;
  for (const std::string& name : names) {
    const layout::SchemaField* field = base.manifest().find_top_field(name);
    ids.push_back(field == nullptr ? -1 : field->id);
  }
  if (ids != primary_key(base.manifest().fields) || inserts.row_count() == 0 ||
      inserts.row_count() > kFilterKeysMax) {
    return std::nullopt;
  }
  std::vector<columns::ArrayPtr> key_columns;
  key_columns.reserve(names.size());
  for (const std::string& name : names) {
    key_columns.push_back(inserts.column(inserts.schema()->index_of(name)));
  }
  KeyFilter filter(std::move(ids));
  for (size_t row = 0; row < inserts.row_count(); ++row) {
    const std::optional<std::string> key = key_bytes(key_columns, row);
    if (!key) {
      return std::nullopt;
    }
    filter.insert(*key);
  }
  return filter.serialize();
}

struct FoundRows {
  std::vector<uint64_t> addresses;  // of each key, the last row that has it, or kNoAddress
  std::vector<uint64_t> further;    // of more rows with those keys
};

Result<FoundRows> find_rows(const Snapshot& base, const columns::Batch& batch,
                            const std::vector<std::string>& names,
                            const read::ReadOptions& options) {
  WEFT_TRY(const std::vector<columns::ArrayPtr> wanted, columns_named(batch, names));
  WEFT_TRY(const auto keys, keys_of(wanted, batch.row_count()));
  FoundRows found_rows;
  std::vector<uint64_t>& addresses = found_rows.addresses;
  addresses.assign(batch.row_count(), kNoAddress);
  WEFT_TRY(const columns::SchemaPtr schema, columns_of(base, names));
  for (const Fragment& fragment : base.manifest().fragments) {
    FragmentReader reader(base, fragment, options);
    WEFT_TRY(const FragmentProjection key_columns, reader.project(schema));
    for (uint64_t from = 0; from < fragment.physical_rows; from += kRowsAtOnce) {
      const uint64_t to = std::min(from + kRowsAtOnce, fragment.physical_rows);
      WEFT_TRY(const LiveRows live, reader.read_live(key_columns, {from, to}, {}));
      const auto& [rows, offsets] = live;
      for (size_t i = 0; i < offsets.size(); ++i) {
        const std::optional<std::string> key = exact_key(rows.columns(), i);
        const auto found = key ? keys.find(*key) : keys.end();
        if (found != keys.end()) {
          if (addresses[found->second] != kNoAddress) {
            found_rows.further.push_back(addresses[found->second]);
          }
          addresses[found->second] = row_address(fragment.id, offsets[i]);
        }
      }
    }
  }
  return found_rows;
}

}  // namespace

Result<std::vector<uint64_t>> find_keys(const Snapshot& base, const columns::Batch& batch,
                                        const std::vector<std::string>& names,
                                        const read::ReadOptions& options) {
  WEFT_TRY(FoundRows found, find_rows(base, batch, names, options));
  return std::move(found.addresses);
}

Result<StagedTransaction> stage_delete_keys(const Snapshot& base, const columns::Batch& batch,
                                            const std::vector<std::string>& keys,
                                            const RowOptions& options) {
  WEFT_TRY(FoundRows found, find_rows(base, batch, keys, options.read));
  std::erase(found.addresses, kNoAddress);
  found.addresses.insert(found.addresses.end(), found.further.begin(), found.further.end());
  return stage_delete(base, std::move(found.addresses), options);
}

Result<StagedTransaction> stage_upsert(const Snapshot& base, const columns::Batch& batch,
                                       const UpsertOptions& keys, const RowOptions& options) {
  WEFT_TRY(FoundRows found_rows, find_rows(base, batch, keys.keys, options.read));
  const std::vector<uint64_t>& found = found_rows.addresses;
  std::vector<std::pair<uint64_t, uint64_t>> hits;  // address, row
  std::vector<uint64_t> inserted;
  for (size_t row = 0; row < found.size(); ++row) {
    if (found[row] == kNoAddress) {
      inserted.push_back(row);
    } else if (keys.insert_only) {
      return Error(ErrorKind::kAlreadyExists, "key exists")
          .with("table", base.location().to_string())
          .with("row", row);
    } else {
      hits.emplace_back(found[row], row);
    }
  }
  std::sort(hits.begin(), hits.end());
  std::vector<uint64_t> addresses;
  std::vector<uint64_t> updated;
  for (const auto& [address, row] : hits) {
    addresses.push_back(address);
    updated.push_back(row);
  }
  WEFT_TRY(const columns::Batch updates, columns::take(batch, updated));
  WEFT_TRY(const columns::Batch inserts, columns::take(batch, inserted));
  return stage_replacement(base,
                           {updates, std::move(addresses), std::move(found_rows.further), inserts,
                            filter_of(base, keys.keys, inserts)},
                           options);
}

}  // namespace weft::lance

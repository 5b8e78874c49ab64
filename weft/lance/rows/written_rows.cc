#include "weft/lance/rows/written_rows.h"

#include <algorithm>

#include "weft/lance/rows/row_removal.h"

namespace weft::lance {
namespace {

struct Identity {
  uint64_t row_id = 0;
  uint64_t created = 0;
};

// Of the rows that are replaced, in the order of `replaced`.
Result<std::vector<Identity>> identities_of(const Snapshot& base,
                                            const std::vector<ReplacedRow>& replaced) {
  std::vector<std::pair<uint64_t, size_t>> by_address;
  by_address.reserve(replaced.size());
  for (size_t i = 0; i < replaced.size(); ++i) {
    by_address.emplace_back(replaced[i].address, i);
  }
  std::sort(by_address.begin(), by_address.end());
  std::vector<uint64_t> addresses;
  addresses.reserve(replaced.size());
  for (const auto& [address, index] : by_address) {
    addresses.push_back(address);
  }
  MovedRows moved;
  WEFT_TRY_STATUS(keep_identities(base, addresses, moved));
  std::vector<Identity> identities(replaced.size());
  size_t row = 0;
  for (const VersionRun& run : moved.created) {
    for (uint64_t i = 0; i < run.count; ++i, ++row) {
      identities[by_address[row].second] = {moved.row_ids[row], run.version};
    }
  }
  return identities;
}

// Writes into the fragments which ids their rows have and when they were created.
void set_identities(const std::vector<ReplacedRow>& replaced,
                    const std::vector<Identity>& identities, uint64_t next_row_id, uint64_t version,
                    std::vector<Fragment>& fragments) {
  size_t next = 0;
  uint64_t position = 0;
  for (Fragment& fragment : fragments) {
    MovedRows rows;
    rows.row_ids.reserve(fragment.physical_rows);
    for (uint64_t i = 0; i < fragment.physical_rows; ++i, ++position) {
      const bool is_old = next < replaced.size() && replaced[next].position == position;
      rows.row_ids.push_back(is_old ? identities[next].row_id : next_row_id++);
      append_run(rows.created, 1, is_old ? identities[next].created : version);
      next += is_old ? 1 : 0;
    }
    carry(rows, false, fragment);
  }
}

}  // namespace

Result<StagedTransaction> stage_written(const Snapshot& base, WrittenRows rows,
                                        const RowOptions& options) {
  Stage stage(base, options.stage);
  stage.held_objects() = std::move(rows.held);
  UpdateOperation update;
  if (rows.replaces_all) {
    for (const Fragment& fragment : base.manifest().fragments) {
      update.removed_fragment_ids.push_back(fragment.id);
    }
  } else if (!rows.replaced.empty() || !rows.removed.empty()) {
    std::vector<uint64_t> addresses = std::move(rows.removed);
    addresses.reserve(addresses.size() + rows.replaced.size());
    for (const ReplacedRow& row : rows.replaced) {
      addresses.push_back(row.address);
    }
    const GroupedRows grouped = group_by_fragment(std::move(addresses));
    WEFT_TRY_STATUS(check_addresses(base, grouped));
    WEFT_TRY(Removal removal, remove_rows(stage, grouped));
    if (base.manifest().has_stable_row_ids() && !rows.replaced.empty()) {
      WEFT_TRY(const std::vector<Identity> identities, identities_of(base, rows.replaced));
      set_identities(rows.replaced, identities, base.manifest().next_row_id, base.version() + 1,
                     rows.fragments);
    }
    update.removed_fragment_ids = std::move(removal.gone);
    update.updated_fragments = std::move(removal.updated);
  }
  update.new_fragments = std::move(rows.fragments);
  update.fields_for_preserving_bitmap = all_field_ids(base.manifest());
  update.inserted_keys = std::move(rows.inserted_keys);
  return std::move(stage).finish(std::move(update));
}

}  // namespace weft::lance

#include "weft/lance/rows/row_removal.h"

#include <algorithm>

#include "weft/lance/table/live_rows.h"

namespace weft::lance {

GroupedRows group_by_fragment(std::vector<uint64_t> addresses) {
  std::sort(addresses.begin(), addresses.end());
  GroupedRows grouped;
  for (const uint64_t address : addresses) {
    grouped[address >> 32U].push_back(static_cast<uint32_t>(address));
  }
  return grouped;
}

namespace {

// Old deletions of a fragment and these offsets, as the fragment or as one that is gone.
Status delete_in_fragment(Stage& stage, const Fragment& fragment,
                          const std::vector<uint32_t>& offsets, std::vector<Fragment>& updated,
                          std::vector<uint64_t>& gone) {
  const Snapshot& base = stage.base();
  WEFT_TRY(Deletions deletions, deletions_of(base, fragment));
  for (const uint32_t offset : offsets) {
    if (offset >= fragment.physical_rows || deletions.contains(offset)) {
      return Error(ErrorKind::kConflict, "row is not there")
          .with("table", base.location().to_string())
          .with("fragment", fragment.id)
          .with("offset", offset);
    }
  }
  for (const uint32_t offset : offsets) {
    deletions.add(offset);
  }
  if (deletions.count() == fragment.physical_rows) {
    gone.push_back(fragment.id);
    return {};
  }
  Fragment& changed = updated.emplace_back(fragment);
  changed.deletion_file = stage.add_deletions(fragment.id, deletions);
  return {};
}

}  // namespace

Result<Removal> remove_rows(Stage& stage, const GroupedRows& grouped) {
  Removal removal;
  for (const auto& [id, offsets] : grouped) {
    const Fragment* fragment = stage.base().manifest().find_fragment(id);
    if (fragment == nullptr) {
      return Error(ErrorKind::kConflict, "row is not there")
          .with("table", stage.base().location().to_string())
          .with("fragment", id);
    }
    WEFT_TRY_STATUS(delete_in_fragment(stage, *fragment, offsets, removal.updated, removal.gone));
  }
  return removal;
}

Status keep_identities(const Snapshot& base, const std::vector<uint64_t>& addresses,
                       MovedRows& moved) {
  MovedRows replaced;
  for (size_t from = 0; from < addresses.size();) {
    const uint64_t id = addresses[from] >> 32U;
    std::vector<uint32_t> offsets;
    for (; from < addresses.size() && addresses[from] >> 32U == id; ++from) {
      offsets.push_back(static_cast<uint32_t>(addresses[from]));
    }
    WEFT_TRY_STATUS(move_sequences(*base.manifest().find_fragment(id), offsets, replaced));
  }
  moved.row_ids.insert(moved.row_ids.end(), replaced.row_ids.begin(), replaced.row_ids.end());
  for (const VersionRun& run : replaced.created) {
    append_run(moved.created, run.count, run.version);
  }
  return {};
}

Status check_addresses(const Snapshot& base, const GroupedRows& grouped) {
  for (const auto& [id, offsets] : grouped) {
    const Fragment* fragment = base.manifest().find_fragment(id);
    const bool twice = std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
    if (twice || fragment == nullptr || offsets.back() >= fragment->physical_rows) {
      return Error(ErrorKind::kConflict, twice ? "row is replaced twice" : "row is not there")
          .with("table", base.location().to_string())
          .with("fragment", id);
    }
  }
  return {};
}

std::vector<uint32_t> all_field_ids(const Manifest& manifest) {
  std::vector<uint32_t> ids;
  ids.reserve(manifest.fields.size());
  for (const layout::SchemaField& field : manifest.fields) {
    ids.push_back(static_cast<uint32_t>(field.id));
  }
  return ids;
}

}  // namespace weft::lance

#include "weft/lance/table/live_rows.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "weft/lance/table/row_sequence.h"

namespace weft::lance {

namespace {

// The finaliser of SplitMix64, from Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014.
uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

// A sum over rows, in whatever order they come.
struct RowSum {
  uint64_t count = 0;
  std::array<uint64_t, 2> sums = {0, 0};
  friend bool operator==(const RowSum&, const RowSum&) = default;

  void add(uint64_t row_id, uint64_t created, uint64_t updated) {
    ++count;
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] += mix(mix(mix(row_id + i) + created) + updated);
    }
  }
};

// Versions of rows in ascending order of the rows.
class VersionWalk {
 public:
  explicit VersionWalk(std::vector<VersionRun> runs) : runs_(std::move(runs)) {}
  uint64_t at(uint64_t row) {
    while (run_ < runs_.size() && row >= end_before_ + runs_[run_].count) {
      end_before_ += runs_[run_++].count;
    }
    return run_ < runs_.size() ? runs_[run_].version : 0;
  }

 private:
  std::vector<VersionRun> runs_;
  size_t run_ = 0;
  uint64_t end_before_ = 0;
};

// Calls take(offset, row id) for each live row.
template <typename Take>
Status each_live_row(const Snapshot& snapshot, const Fragment& fragment, Take take) {
  WEFT_TRY(const std::vector<uint64_t> ids,
           expand_row_ids(fragment.row_ids.value_or(""), fragment.physical_rows));
  if (ids.size() != fragment.physical_rows) {
    return Error(ErrorKind::kCorrupt, "a fragment has not as many row ids as rows")
        .with("table", snapshot.location().to_string())
        .with("fragment", fragment.id);
  }
  WEFT_TRY(const Deletions deletions, deletions_of(snapshot, fragment));
  for (size_t offset = 0; offset < ids.size(); ++offset) {
    if (!deletions.contains(static_cast<uint32_t>(offset))) {
      take(static_cast<uint32_t>(offset), ids[offset]);
    }
  }
  return {};
}

// One version for all rows if versions do not count.
Result<VersionWalk> versions_of(const std::optional<std::string>& sequence, uint64_t rows,
                                RowTraits traits) {
  if (traits == RowTraits::kIds) {
    return VersionWalk({});
  }
  WEFT_TRY(std::vector<VersionRun> runs, expand_versions(sequence.value_or(""), rows));
  return VersionWalk(std::move(runs));
}

Status add_rows(const Snapshot& snapshot, const Fragment& fragment, RowTraits traits, RowSum& sum) {
  const uint64_t rows = fragment.physical_rows;
  WEFT_TRY(VersionWalk created, versions_of(fragment.created_at_versions, rows, traits));
  WEFT_TRY(VersionWalk updated, versions_of(fragment.last_updated_at_versions, rows, traits));
  return each_live_row(snapshot, fragment, [&](uint32_t offset, uint64_t row_id) {
    sum.add(row_id, created.at(offset), updated.at(offset));
  });
}

bool is_unchanged(const Fragment& fragment, const Manifest& other) {
  const Fragment* const same = other.find_fragment(fragment.id);
  return same != nullptr && *same == fragment;
}

Status collect_live(const Snapshot& snapshot, const Fragment& fragment,
                    std::vector<uint64_t>& row_ids) {
  return each_live_row(snapshot, fragment,
                       [&](uint32_t /*offset*/, uint64_t row_id) { row_ids.push_back(row_id); });
}

}  // namespace

Result<Deletions> deletions_of(const Snapshot& snapshot, const Fragment& fragment) {
  if (!fragment.deletion_file) {
    return Deletions();
  }
  const DeletionFile& file = *fragment.deletion_file;
  WEFT_TRY(const std::string name, snapshot.deletion_name(fragment.id, file));
  WEFT_TRY(const std::string kept, snapshot.base_folder(file.base_id, kKeptFolder));
  return read_deletions(*snapshot.location().store, name,
                        join_name(kept, deletion_file_name(fragment.id, file)), fragment);
}

Result<bool> has_same_rows(const Snapshot& left, const Snapshot& right, RowTraits traits) {
  const Manifest& ours = left.manifest();
  const Manifest& theirs = right.manifest();
  if (!ours.has_stable_row_ids() || !theirs.has_stable_row_ids() || ours.fields != theirs.fields) {
    return false;
  }
  for (const Fragment& fragment : ours.fragments) {
    const Fragment* const other = theirs.find_fragment(fragment.id);
    if (other != nullptr && other->files != fragment.files) {
      return false;
    }
  }
  RowSum sum_left;
  for (const Fragment& fragment : ours.fragments) {
    if (!is_unchanged(fragment, theirs)) {
      WEFT_TRY_STATUS(add_rows(left, fragment, traits, sum_left));
    }
  }
  RowSum sum_right;
  for (const Fragment& fragment : theirs.fragments) {
    if (!is_unchanged(fragment, ours)) {
      WEFT_TRY_STATUS(add_rows(right, fragment, traits, sum_right));
    }
  }
  return sum_left == sum_right;
}

Result<std::vector<LiveRow>> rows_not_shared(const Snapshot& snapshot, const Manifest& other,
                                             std::optional<uint64_t> of_version) {
  std::vector<LiveRow> rows;
  for (const Fragment& fragment : snapshot.manifest().fragments) {
    if (is_unchanged(fragment, other)) {
      continue;
    }
    const RowTraits traits = of_version ? RowTraits::kIdsAndVersions : RowTraits::kIds;
    WEFT_TRY(VersionWalk created,
             versions_of(fragment.created_at_versions, fragment.physical_rows, traits));
    WEFT_TRY(VersionWalk updated,
             versions_of(fragment.last_updated_at_versions, fragment.physical_rows, traits));
    WEFT_TRY_STATUS(each_live_row(snapshot, fragment, [&](uint32_t offset, uint64_t row_id) {
      const uint64_t made = created.at(offset);
      const uint64_t changed = updated.at(offset);
      if (!of_version || made == *of_version || changed == *of_version) {
        rows.push_back({row_id, row_address(fragment.id, offset)});
      }
    }));
  }
  return rows;
}

Result<RowChange> row_change(const Snapshot& from, const Snapshot& to) {
  const Manifest& before = from.manifest();
  const Manifest& after = to.manifest();
  if (before.fields != after.fields) {
    return Error(ErrorKind::kUnsupported, "the change of a schema cannot be done again elsewhere")
        .with("table", to.location().to_string());
  }
  RowChange change;
  std::vector<uint64_t> had;
  std::vector<uint64_t> kept;
  for (const Fragment& fragment : before.fragments) {
    if (is_unchanged(fragment, after)) {
      continue;
    }
    WEFT_TRY_STATUS(collect_live(from, fragment, had));
    if (const Fragment* const still = after.find_fragment(fragment.id)) {
      WEFT_TRY_STATUS(collect_live(to, *still, kept));
    }
  }
  std::ranges::sort(had);
  std::ranges::sort(kept);
  std::ranges::set_difference(had, kept, std::back_inserter(change.gone));
  for (const Fragment& fragment : after.fragments) {
    if (before.find_fragment(fragment.id) == nullptr) {
      if (fragment.deletion_file) {
        return Error(ErrorKind::kUnsupported, "a new fragment has deleted rows")
            .with("table", to.location().to_string())
            .with("fragment", fragment.id);
      }
      change.added.push_back(fragment);
    }
  }
  return change;
}

Result<std::vector<uint64_t>> addresses_of(const Snapshot& snapshot,
                                           const std::vector<uint64_t>& row_ids) {
  std::vector<uint64_t> addresses;
  for (const Fragment& fragment : snapshot.manifest().fragments) {
    if (addresses.size() == row_ids.size()) {
      break;
    }
    WEFT_TRY_STATUS(each_live_row(snapshot, fragment, [&](uint32_t offset, uint64_t row_id) {
      if (std::ranges::binary_search(row_ids, row_id)) {
        addresses.push_back(row_address(fragment.id, offset));
      }
    }));
  }
  if (addresses.size() != row_ids.size()) {
    return Error(ErrorKind::kConflict, "row is not there")
        .with("table", snapshot.location().to_string())
        .with("rows", row_ids.size())
        .with("found", addresses.size());
  }
  return addresses;
}

}  // namespace weft::lance

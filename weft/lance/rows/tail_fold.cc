#include "weft/lance/rows/tail_fold.h"

#include <algorithm>

#include "weft/columns/select.h"
#include "weft/lance/rows/fragment_reader.h"
#include "weft/lance/rows/row_operations.h"

namespace weft::lance {

namespace {

// So many at the end are folded whatever their rows.
constexpr size_t kFoldFragmentsMax = 32;

unsigned tier_of(uint64_t rows) {
  unsigned tier = 0;
  for (; rows >= kFoldFanOut; rows /= kFoldFanOut) {
    ++tier;
  }
  return tier;
}

bool is_foldable(const Fragment& fragment) {
  uint64_t bytes = 0;
  for (const DataFile& file : fragment.files) {
    if (file.size_bytes == 0) {
      return false;
    }
    bytes += file.size_bytes;
  }
  return fragment.physical_rows < kFoldRowsMax && bytes <= kFoldBytesMax;
}

}  // namespace

size_t fragments_to_fold(const std::vector<Fragment>& fragments, uint64_t new_rows) {
  size_t folded = 0;
  uint64_t rows = new_rows;
  uint64_t next_tier_rows = kFoldFanOut;
  for (unsigned tier = 0; tier <= tier_of(kFoldRowsMax - 1);
       ++tier, next_tier_rows *= kFoldFanOut) {
    if (tier_of(rows) > tier) {
      continue;
    }
    size_t count = folded;
    uint64_t sum = rows;
    while (count < fragments.size()) {
      const Fragment& fragment = fragments[fragments.size() - 1 - count];
      if (!is_foldable(fragment) || tier_of(fragment.live_rows()) > tier) {
        break;
      }
      sum += fragment.live_rows();
      ++count;
    }
    // Folded when they make a fragment of the next tier, so that no row moves twice in one; or when
    // deletions have left too many small ones.
    if (count > folded && (sum >= next_tier_rows || count - folded >= kFoldFragmentsMax)) {
      folded = count;
      rows = sum;
    }
  }
  return folded;
}

Status move_sequences(const Fragment& fragment, const std::vector<uint32_t>& offsets,
                      MovedRows& moved) {
  WEFT_TRY(const std::vector<RowIdRun> ids,
           row_id_runs(fragment.row_ids.value_or(""), fragment.physical_rows));
  WEFT_TRY(const std::vector<VersionRun> created,
           expand_versions(fragment.created_at_versions.value_or(""), fragment.physical_rows));
  WEFT_TRY(const std::vector<VersionRun> updated,
           expand_versions(fragment.last_updated_at_versions.value_or(""), fragment.physical_rows));
  const uint64_t id_count =
      ids.empty() ? 0 : ids.back().position + (ids.back().end - ids.back().start);
  if (id_count != fragment.physical_rows) {
    return Error(ErrorKind::kCorrupt, "fragment has fewer row ids than rows")
        .with("fragment", fragment.id);
  }
  // Offsets ascend mostly, runs are many: a cursor each.
  const auto pick = [&](const std::vector<VersionRun>& runs, std::vector<VersionRun>& out) {
    size_t run = 0;
    uint64_t begin = 0;
    for (const uint32_t offset : offsets) {
      if (offset < begin) {
        run = 0;
        begin = 0;
      }
      while (run < runs.size() && offset >= begin + runs[run].count) {
        begin += runs[run].count;
        ++run;
      }
      // Without a record a row counts as made with the table (what engines take).
      append_run(out, 1, run < runs.size() ? runs[run].version : 1);
    }
  };
  // A large fragment has few runs, and few of its rows move: nothing here is as long as it is.
  auto run = ids.begin();
  for (const uint32_t offset : offsets) {
    if (run == ids.end() || offset < run->position ||
        offset - run->position >= run->end - run->start) {
      run = std::ranges::upper_bound(ids, uint64_t{offset}, {}, &RowIdRun::position) - 1;
    }
    moved.row_ids.push_back(run->start + (offset - run->position));
  }
  pick(created, moved.created);
  pick(updated, moved.updated);
  return {};
}

Status move_fragment(const Snapshot& base, const Fragment& fragment,
                     const std::vector<uint32_t>& without, const read::ReadOptions& options,
                     MovedRows& moved) {
  FragmentReader reader(base, fragment, options);
  WEFT_TRY(const columns::SchemaPtr schema, columns_of(base, {}));
  WEFT_TRY(const FragmentProjection all, reader.project(schema));
  WEFT_TRY(LiveRows live, reader.read_live(all, {0, fragment.physical_rows}, {}));
  auto& [rows, offsets] = live;
  if (!without.empty()) {
    std::vector<uint64_t> picked;
    std::vector<uint32_t> left;
    for (size_t i = 0; i < offsets.size(); ++i) {
      if (!std::binary_search(without.begin(), without.end(), offsets[i])) {
        picked.push_back(i);
        left.push_back(offsets[i]);
      }
    }
    WEFT_TRY(rows, columns::take(rows, picked));
    offsets = std::move(left);
  }
  moved.batches.push_back(std::move(rows));
  return base.manifest().has_stable_row_ids() ? move_sequences(fragment, offsets, moved) : Status();
}

void carry(const MovedRows& moved, bool with_updated, Fragment& fragment) {
  fragment.row_ids = serialize_row_ids(moved.row_ids);
  fragment.created_at_versions = serialize_versions(moved.created);
  if (with_updated) {
    fragment.last_updated_at_versions = serialize_versions(moved.updated);
  }
}

}  // namespace weft::lance

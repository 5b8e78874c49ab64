// The key index of a table: the digest of each id -> the stable id of its row. It answers "which
// rows have these ids?" by reading little, whatever the size of the table. Indices over other
// values (value_index.h) have the same form under another entry. Format: docs/formats/key-index.md.
//
// I1  It belongs to a version of the table, which names it in its configuration, and never says
//     what is visible: what it finds is looked for among the live rows of that version.
// I2  Other programs may compact, delete from and append to the table: row ids stay, rows that are
//     gone are not found, and those that were appended without it are known as gaps, whose rows
//     are read.
// I3  A commit adds its new ids: up to kInlineEntriesMax wait in the configuration itself, more are
//     a run; runs are merged so that each is larger than the ones behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/key_run.h"
#include "weft/lance/table/snapshot.h"
#include "weft/lance/table/stage.h"

namespace weft::graph {

inline constexpr std::string_view kKeyIndexEntry = "weft:key_index";
inline constexpr std::string_view kValueIndexPrefix = "weft:value_index:";
inline constexpr size_t kInlineEntriesMax = 64;
// A run is merged into the ones behind it once it has no more entries than so many times theirs.
inline constexpr uint64_t kRunFanOut = 4;
// Larger runs are left as they are, but for loads that are as large.
inline constexpr uint64_t kMergedEntriesMax = uint64_t{1} << 22U;

struct KeyIndex {
  struct Gap {
    uint64_t from = 0;  // row ids
    uint64_t to = 0;
    friend bool operator==(const Gap&, const Gap&) = default;
  };
  uint64_t row_id_end = 0;  // covers the row ids below but for the gaps
  std::vector<Gap> gaps;
  std::vector<KeyEntry> waiting;  // inline; ascending
  std::vector<KeyRun> runs;       // larger ones first

  friend bool operator==(const KeyIndex&, const KeyIndex&) = default;
};

// The text in the configuration, and back. Errors: kCorrupt.
std::string serialize_key_index(const KeyIndex& index);
Result<KeyIndex> parse_key_index(std::string_view text);
// Of a version, under an entry of its configuration; empty if it has none: then everything is a
// gap.
Result<KeyIndex> key_index_of(const lance::Snapshot& snapshot,
                              std::string_view entry = kKeyIndexEntry);

// The runs of all indices that a version has.
Result<std::vector<KeyRun>> runs_of(const lance::Snapshot& snapshot);

// The index after a commit that inserts rows with these digests, which get the row ids from the
// base's next_row_id on, in this order. With `replaces_all` nothing of the base stays.
struct ExtendedIndex {
  lance::StringMap::value_type config;       // for StageOptions::config
  std::vector<lance::StagedObject> objects;  // to be put with the rest of the commit
};
struct IndexAddition {
  std::vector<KeyEntry> entries;  // in any order
  uint64_t inserted = 0;          // rows that the commit inserts, with an entry or without
  bool replaces_all = false;
};
Result<ExtendedIndex> extend_index(const lance::Snapshot& base, std::string_view entry,
                                   IndexAddition addition, const lance::StageOptions& names);
Result<ExtendedIndex> extend_key_index(const lance::Snapshot& base,
                                       const std::vector<codec::Digest16>& inserted,
                                       bool replaces_all, const lance::StageOptions& names);

// Calls found(index of the digest, row id) for entries with one of `digests`, which ascend; and
// returns the row ids that the index does not cover.
Result<std::vector<KeyIndex::Gap>> find_row_ids(const lance::Snapshot& snapshot,
                                                const std::vector<codec::Digest16>& digests,
                                                const std::function<void(size_t, uint64_t)>& found,
                                                std::string_view entry = kKeyIndexEntry);

}  // namespace weft::graph

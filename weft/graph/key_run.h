// Sorted runs of a table's key index: digests of ids with the row ids of their rows, each run a
// file that never changes. Format: docs/formats/key-index.md.
//
// K1  A look-up of a few keys in any number of runs is three steps: the roots of all runs, then
//     pages, then blocks. A key that is in no run costs no block but for one in 2,000. Of a run are
//     read its root, and for each key a page that is no larger. Many keys at once read the file.
// K2  Every byte is checked before it is believed: the root against the hash by which the run is
//     named, pages against the root, blocks against their page.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/codec/blake3.h"
#include "weft/storage/object_store.h"

namespace weft::graph {

struct KeyEntry {
  codec::Digest16 digest{};
  uint64_t row_id = 0;
  friend auto operator<=>(const KeyEntry&, const KeyEntry&) = default;
};

inline constexpr size_t kKeyEntryBytes = 24;
inline constexpr size_t kEntriesPerBlock = 32;
// Of one run; more entries make several.
inline constexpr uint64_t kRunEntriesMax = uint64_t{1} << 25U;

struct KeyRun {
  std::string path;  // below the table's folder
  uint64_t entries = 0;
  codec::Digest16 root_hash{};
  friend bool operator==(const KeyRun&, const KeyRun&) = default;
};

// Where the root of a run of so many entries begins; it goes to the end of the file.
uint64_t root_offset(uint64_t entries);

// The bytes of a run of these entries, which ascend; at least one.
std::string serialize_run(const std::vector<KeyEntry>& entries, codec::Digest16& root_hash);

struct NamedRun {
  std::string name;  // of the object
  KeyRun run;
};

// Calls found(index of the digest, row id), in any order, for each entry of the runs whose digest
// is among `digests`, which ascend. Errors: kCorrupt names object and rule; those of reading.
Status find_in_runs(storage::ObjectStore& store, const std::vector<NamedRun>& runs,
                    std::span<const codec::Digest16> digests,
                    const std::function<void(size_t, uint64_t)>& found);

// All of each, ascending, in one step. Errors: as above.
Result<std::vector<std::vector<KeyEntry>>> read_runs(storage::ObjectStore& store,
                                                     const std::vector<NamedRun>& runs);

}  // namespace weft::graph

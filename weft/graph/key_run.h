// One sorted run of a table's key index: digests of ids with the row ids of their rows, in a file
// that never changes. Format: docs/formats/key-index.md.
//
// K1  A look-up of k keys reads the root, and for each key a page of fences and a block: about
//     3 KiB. Many keys at once read the whole file.
// K2  Every byte is checked before it is believed: the root against the hash by which the run is
//     named, pages against the root, blocks against their page.
#pragma once

#include <cstdint>
#include <functional>
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
inline constexpr size_t kFencesPerPage = 128;
// Of one run; more entries make several.
inline constexpr uint64_t kRunEntriesMax = uint64_t{1} << 25U;

struct KeyRun {
  std::string path;  // below the table's folder
  uint64_t entries = 0;
  codec::Digest16 root_hash{};
  friend bool operator==(const KeyRun&, const KeyRun&) = default;
};

// The bytes of a run of these entries, which ascend; at least one.
std::string serialize_run(const std::vector<KeyEntry>& entries, codec::Digest16& root_hash);

// Calls found(index of the digest, row id) for each entry whose digest is among `digests`, which
// ascend. `name` is that of the object. Errors: kCorrupt names object and rule; those of reading.
Status find_in_run(storage::ObjectStore& store, const std::string& name, const KeyRun& run,
                   const std::vector<codec::Digest16>& digests,
                   const std::function<void(size_t, uint64_t)>& found);

// All of it, ascending. Errors: as above.
Result<std::vector<KeyEntry>> read_run(storage::ObjectStore& store, const std::string& name,
                                       const KeyRun& run);

}  // namespace weft::graph

// One version of a table, opened: immutable, cheap to copy, thread-safe.
//
// O1  Opening a version by number reads one object and lists nothing (two if the table has old
//     names and that was not known).
// O2  The latest version is the greatest number that stands in the folder. If it cannot be read, it
//     is named in a kCorrupt error with the version before it (fact previous=…), and nothing older
//     is taken in its place: whoever wants the older one opens it by number.
// O3  A table with both kinds of names is refused.
// Format and protocol: docs/formats/lance.md, docs/protocols/lance-tables.md
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/lance/table/manifest.h"
#include "weft/lance/table/names.h"
#include "weft/lance/table/transaction.h"
#include "weft/storage/object_store.h"

namespace weft::lance {

// Where a table, or a branch of it, is.
struct TableLocation {
  storage::ObjectStore* store = nullptr;  // must outlive everything opened
  std::string root;                       // the table's folder in the store; "": the store itself
  std::string branch;                     // "": main

  std::string folder() const;  // `root`, or the branch's folder below it
  std::string object(std::string_view name) const { return join_name(folder(), name); }
  // "people.lance", "people.lance@feature/x"; for messages.
  std::string to_string() const;
};

class Snapshot {
 public:
  // Parses `file`, the bytes of a manifest of `location` (which need not be stored there).
  // Errors: those of parse_manifest_file, with facts table and version.
  static Result<Snapshot> from_bytes(TableLocation location, storage::Buffer file, Naming naming);

  // Whether it is known to survive a crash: made by us, or synced since. A version that was only
  // found in place may not (engines do not sync).
  bool is_durable() const { return is_durable_; }
  void set_durable() { is_durable_ = true; }

  const TableLocation& location() const { return data_->location; }
  const Manifest& manifest() const { return data_->manifest; }
  uint64_t version() const { return data_->manifest.version; }
  Naming naming() const { return data_->naming; }
  // The whole manifest file.
  const storage::Buffer& file() const { return data_->file; }
  // The message, if there is one. A view into file().
  std::optional<ByteView> index_section() const { return data_->index_section; }

  // The transaction that made this version: inline, else its file, else our kept copy of the file.
  // Nothing: it has none, or it is gone. Errors: kCorrupt; those of the store.
  Result<std::optional<Transaction>> transaction() const;
  // The message as it stands there.
  Result<std::optional<storage::Buffer>> transaction_bytes() const;

  // The name in the store of a data file, a deletion file or a folder of index files of this
  // version, base paths resolved by where the table lies now (never into another copy of it).
  // Errors: kUnsupported if it lies outside of the store.
  Result<std::string> data_file_name(const DataFile& file) const;
  Result<std::string> deletion_name(uint64_t fragment_id, const DeletionFile& file) const;
  // The folder that a base id stands for.
  Result<std::string> base_folder(std::optional<uint32_t> base_id, std::string_view kind) const;

 private:
  struct Data {
    TableLocation location;
    Naming naming = Naming::kV2;
    storage::Buffer file;
    Manifest manifest;
    std::optional<ByteView> index_section;
    std::optional<ByteView> transaction;
  };
  explicit Snapshot(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
  bool is_durable_ = false;
};

// One version by its number, detached ones too (bit 63). Errors: kNotFound names table and version.
Result<Snapshot> open_version(const TableLocation& location, uint64_t version,
                              Naming naming = Naming::kV2);
// By one listing. Errors: kNotFound: there is no table.
Result<Snapshot> open_latest(const TableLocation& location);
// By probing forward from `known`: one read that finds nothing if that is still the latest. After
// kProbesMax versions it lists.
inline constexpr uint64_t kProbesMax = 32;
Result<Snapshot> open_latest_after(const Snapshot& known);
// The last version not younger than `time`. Errors: kNotFound: there was none yet, or no more.
Result<Snapshot> open_at(const TableLocation& location, base::WallTime time);

struct VersionEntry {
  uint64_t version = 0;
  Naming naming = Naming::kV2;
  uint64_t size_bytes = 0;
  base::WallTime stored;  // by the store's clock
};
struct VersionList {
  std::vector<VersionEntry> versions;  // ascending, those that can be a head
  std::vector<VersionEntry> detached;
};
// Errors: kCorrupt if both kinds of names stand there.
Result<VersionList> list_versions(const TableLocation& location);

}  // namespace weft::lance

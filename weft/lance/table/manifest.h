// The manifest: all that one version of a table is. A value, parsed and serialised; the file around
// it is manifest_file.h. Format: docs/formats/lance.md, "Manifest".
//
// M1  serialize_manifest(parse_manifest(x)) equals x, byte for byte, for what the engines write.
// M2  Unknown fields are kept byte for byte, in order, behind the known ones.
// M3  A reader flag that weft does not know, or a manifest whose fragments lie elsewhere (field
// 22),
//     is kUnsupported and named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/table/fragment.h"

namespace weft::lance {

// More fragments in one table are kLimit.
inline constexpr size_t kTableFragmentsMax = 10'000'000;

namespace flags {
inline constexpr uint64_t kDeletionFiles = 1;
inline constexpr uint64_t kStableRowIds = 2;
inline constexpr uint64_t kObsolete = 4;
inline constexpr uint64_t kConfig = 8;  // writers only
inline constexpr uint64_t kBasePaths = 16;
inline constexpr uint64_t kNoTransactionFiles = 32;
inline constexpr uint64_t kCoveringIndices = 128;
inline constexpr uint64_t kMixedFileVersions = 256;
inline constexpr uint64_t kTaggedFragmentReuse = 1024;
inline constexpr uint64_t kFieldIdsNeverReused = 2048;
// Who reads rows and consults no index may go past the two about indices.
inline constexpr uint64_t kReadable = kDeletionFiles | kStableRowIds | kObsolete | kConfig |
                                      kBasePaths | kNoTransactionFiles | kCoveringIndices |
                                      kMixedFileVersions | kTaggedFragmentReuse;
inline constexpr uint64_t kWritable = kDeletionFiles | kStableRowIds | kObsolete | kConfig |
                                      kBasePaths | kNoTransactionFiles | kMixedFileVersions;
}  // namespace flags

// Entries in their order in the message.
using StringMap = std::vector<std::pair<std::string, std::string>>;
// The value of a key, or null.
const std::string* find_entry(const StringMap& map, std::string_view key);

struct Timestamp {
  int64_t seconds = 0;
  int32_t nanos = 0;
  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};
base::WallTime to_wall_time(const Timestamp& timestamp);
Timestamp to_timestamp(base::WallTime time);

struct BasePath {
  uint32_t id = 0;
  std::optional<std::string> name;
  bool is_dataset_root = false;
  std::string path;  // absolute
  std::string unknown;
  friend bool operator==(const BasePath&, const BasePath&) = default;
};

struct Manifest {
  std::vector<layout::SchemaField> fields;  // depth-first pre-order
  std::vector<Fragment> fragments;          // ascending by id
  uint64_t version = 0;
  uint64_t version_aux_data = 0;
  StringMap schema_metadata;
  std::optional<uint64_t> index_section;  // where its length word stands in the file
  std::optional<Timestamp> timestamp;
  std::string tag;
  uint64_t reader_flags = 0;
  uint64_t writer_flags = 0;
  std::optional<uint32_t> max_fragment_id;    // absent: no fragment yet
  std::string transaction_file;               // below _transactions/
  std::optional<std::string> writer_version;  // the message
  uint64_t next_row_id = 0;
  std::string file_format;   // "lance"
  std::string file_version;  // "2.1"; of new files
  StringMap config;
  std::vector<BasePath> base_paths;
  StringMap table_metadata;
  std::optional<std::string> branch;
  std::optional<uint64_t> transaction_section;     // field 21, the one we write
  std::optional<uint64_t> transaction_section_14;  // field 23, of engine 14
  std::optional<int64_t> max_allocated_field_id;   // field 24
  std::string unknown;

  bool has_stable_row_ids() const { return (reader_flags & flags::kStableRowIds) != 0; }
  const Fragment* find_fragment(uint64_t id) const;
  const layout::SchemaField* find_field(int32_t id) const;
  const layout::SchemaField* find_top_field(std::string_view name) const;
  uint64_t row_count() const;         // live rows
  uint64_t next_fragment_id() const;  // 1 + the greatest ever given, or 0
  int32_t next_field_id() const;      // above all in the schema, in data files, ever allocated
};

// Errors: kCorrupt; kUnsupported names flag or field; kLimit.
Result<Manifest> parse_manifest(ByteView message);
std::string serialize_manifest(const Manifest& manifest);

// Errors: kUnsupported names the flags that forbid it.
Status check_readable(const Manifest& manifest);
Status check_writable(const Manifest& manifest);
// Bits 1, 8 and 16 from the content, in the masks they belong to; 2, 32 and 256 as they are.
void recompute_flags(Manifest& manifest);

// The unenforced primary key: ids of the key fields in key order, empty if there is none.
std::vector<int32_t> primary_key(const std::vector<layout::SchemaField>& fields);

}  // namespace weft::lance

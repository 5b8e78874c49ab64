// The parts of a manifest that say where rows lie: fragments, their data files and deletion files.
// Format: docs/formats/lance.md, "Manifest".
//
// F1  serialize(parse(x)) equals x for what any engine writes; what is not understood is kept byte
//     for byte.
// F2  Fields that change the meaning of a fragment and that weft does not know (overlays, third
//     forms of row sequences) are kUnsupported and named, never skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::lance {

// Listed in a data file where a dropped column was: to be ignored.
inline constexpr int32_t kDeadFieldId = -2;
// More rows in one fragment are kLimit: offsets have 32 bits.
inline constexpr uint64_t kFragmentRowsMax = uint64_t{1} << 32U;

struct DataFile {
  std::string path;  // below data/
  std::vector<int32_t> fields;
  std::vector<int32_t> column_indices;  // of `fields`, in the file
  uint32_t major_version = 2;
  uint32_t minor_version = 1;
  uint64_t size_bytes = 0;  // 0: not known
  std::optional<uint32_t> base_id;
  std::string unknown;
  friend bool operator==(const DataFile&, const DataFile&) = default;
};

struct DeletionFile {
  enum class Kind : uint8_t { kArrow = 0, kBitmap = 1 };
  Kind kind = Kind::kBitmap;
  uint64_t read_version = 0;
  uint64_t id = 0;
  uint64_t deleted_row_count = 0;
  std::optional<uint32_t> base_id;
  std::string unknown;
  friend bool operator==(const DeletionFile&, const DeletionFile&) = default;
};

struct Fragment {
  uint64_t id = 0;
  std::vector<DataFile> files;
  std::optional<DeletionFile> deletion_file;
  uint64_t physical_rows = 0;  // deleted ones included
  // Row sequences (row_sequence.h), inline; there if the table has stable row ids. In an operation
  // they may be shorter than the fragment: the rest is filled in when the manifest is built.
  std::optional<std::string> row_ids;
  std::optional<std::string> last_updated_at_versions;
  std::optional<std::string> created_at_versions;
  // Also sequences kept outside of the manifest (6, 8, 10), which no engine writes.
  std::string unknown;
  bool has_external_sequences = false;

  uint64_t live_rows() const {
    const uint64_t deleted = deletion_file ? deletion_file->deleted_row_count : 0;
    return deleted > physical_rows ? 0 : physical_rows - deleted;
  }
  friend bool operator==(const Fragment&, const Fragment&) = default;
};

Result<DataFile> parse_data_file(ByteView message);
std::string serialize_data_file(const DataFile& file);
Result<DeletionFile> parse_deletion_file_entry(ByteView message);
std::string serialize_deletion_file_entry(const DeletionFile& file);
Result<Fragment> parse_fragment(ByteView message);
std::string serialize_fragment(const Fragment& fragment);

// "_deletions/3-7-99.bin".
std::string deletion_file_name(uint64_t fragment_id, const DeletionFile& file);

// The address of a row: fragment and offset in it.
constexpr uint64_t row_address(uint64_t fragment_id, uint32_t offset) {
  return fragment_id << 32U | offset;
}

}  // namespace weft::lance

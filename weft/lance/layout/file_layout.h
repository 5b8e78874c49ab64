// The structures of a Lance data file around its pages: footer, tables, column metadata, file
// descriptor. Parsed and serialised; no input or output. Format: docs/formats/lance.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/lance/layout/field.h"

namespace weft::lance::layout {

inline constexpr std::string_view kPageLayoutUrl = "/lance.encodings21.PageLayout";
inline constexpr std::string_view kArrayEncodingUrl = "/lance.encodings.ArrayEncoding";
inline constexpr std::string_view kColumnEncodingUrl = "/lance.encodings.ColumnEncoding";
inline constexpr std::string_view kFileMagic = "LANC";
inline constexpr size_t kFooterBytes = 40;
// Page buffers begin at multiples of this.
inline constexpr uint64_t kPageAlignmentBytes = 64;
inline constexpr size_t kTableEntryBytes = 16;
// More columns in one file, or pages in one column, are kLimit.
inline constexpr uint64_t kFileColumnsMax = 100'000;
inline constexpr uint64_t kColumnPagesMax = 10'000'000;
inline constexpr size_t kPageBuffersMax = 64;

enum class FileVersion : uint8_t { kV20, kV21, kV22 };
std::string_view file_version_name(FileVersion version);  // "2.1"
// As data_format.version in manifests. Errors: kUnsupported, also for "2.3".
Result<FileVersion> parse_file_version(std::string_view name);
// As in a manifest's DataFile (2 and 0) or a footer (2.0 is 0 and 3 there, also accepted).
Result<FileVersion> file_version(uint64_t major, uint64_t minor);
// The two numbers of a footer.
std::pair<uint16_t, uint16_t> footer_version(FileVersion version);

// A piece of the file.
struct Extent {
  uint64_t position = 0;
  uint64_t size = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

struct Footer {
  uint64_t column_metadata_position = 0;  // of the first column
  uint64_t column_table_position = 0;
  uint64_t global_table_position = 0;
  uint32_t global_buffer_count = 0;
  uint32_t column_count = 0;
  FileVersion version = FileVersion::kV21;
  friend bool operator==(const Footer&, const Footer&) = default;
};
// `bytes` are the last kFooterBytes of a file of `file_size` bytes. Errors: kCorrupt; kUnsupported
// names the version.
Result<Footer> parse_footer(ByteView bytes, uint64_t file_size);
std::string serialize_footer(const Footer& footer);

// Column metadata table and global buffer table: pairs of position and size. Errors: kCorrupt if
// the size does not match or an extent leaves the file.
Result<std::vector<Extent>> parse_extents(ByteView bytes, uint64_t count, uint64_t file_size);
std::string serialize_extents(const std::vector<Extent>& extents);

struct PageDescription {
  std::vector<Extent> buffers;
  uint64_t length = 0;     // rows; items in the item columns of lists of 2.0
  uint64_t first_row = 0;  // "priority"
  std::string layout_url;  // kPageLayoutUrl, or kArrayEncodingUrl in 2.0
  std::string layout;      // the message
  friend bool operator==(const PageDescription&, const PageDescription&) = default;
};
struct ColumnDescription {
  std::vector<PageDescription> pages;
  std::vector<Extent> buffers;
  friend bool operator==(const ColumnDescription&, const ColumnDescription&) = default;
};
// Errors: kCorrupt; kLimit.
Result<ColumnDescription> parse_column(ByteView message, uint64_t file_size);
std::string serialize_column(const ColumnDescription& column);

struct FileDescriptor {
  std::vector<SchemaField> fields;
  std::vector<std::pair<std::string, std::string>> metadata;
  uint64_t row_count = 0;
};
Result<FileDescriptor> parse_file_descriptor(ByteView message);
std::string serialize_file_descriptor(const FileDescriptor& descriptor);

}  // namespace weft::lance::layout

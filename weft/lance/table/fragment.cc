#include "weft/lance/table/fragment.h"

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/table/names.h"

namespace weft::lance {

namespace {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

Error damaged(std::string_view what) {
  return Error(ErrorKind::kCorrupt, "damaged part of a manifest").with("part", what);
}

bool take_optional(const WireField& field, std::optional<uint32_t>& value) {
  uint32_t number = 0;
  if (!field.as_u32(number)) {
    return false;
  }
  value = number;
  return true;
}

bool take_optional(const WireField& field, std::optional<std::string>& value) {
  return field.as_text(value.emplace());
}

void write_optional(WireWriter& writer, uint32_t number, const std::optional<std::string>& value) {
  if (value) {
    writer.bytes_always(number, *value);
  }
}

}  // namespace

Result<DataFile> parse_data_file(ByteView message) {
  DataFile file;
  file.major_version = 0;
  file.minor_version = 0;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 1:
        reader.expect(field.as_text(file.path));
        break;
      case 2:
        reader.expect(field.append_i32s(file.fields));
        break;
      case 3:
        reader.expect(field.append_i32s(file.column_indices));
        break;
      case 4:
        reader.expect(field.as_u32(file.major_version));
        break;
      case 5:
        reader.expect(field.as_u32(file.minor_version));
        break;
      case 6:
        reader.expect(field.as_u64(file.size_bytes));
        break;
      case 7:
        reader.expect(take_optional(field, file.base_id));
        break;
      default:
        file.unknown.append(as_text(field.raw));
    }
  }
  // A path with a slash would leave data/, and no writer makes one.
  if (!reader.ok() || file.path.empty() || file.path.find('/') != std::string::npos ||
      file.path == "." || file.path == "..") {
    return damaged("data file");
  }
  return file;
}

std::string serialize_data_file(const DataFile& file) {
  WireWriter writer;
  writer.bytes(1, file.path);
  writer.packed_i32(2, file.fields);
  writer.packed_i32(3, file.column_indices);
  writer.u64(4, file.major_version);
  writer.u64(5, file.minor_version);
  writer.u64(6, file.size_bytes);
  if (file.base_id) {
    writer.u64_always(7, *file.base_id);
  }
  writer.raw(file.unknown);
  return std::move(writer).take();
}

Result<DeletionFile> parse_deletion_file_entry(ByteView message) {
  DeletionFile file;
  uint64_t kind = 0;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 1:
        reader.expect(field.as_u64(kind));
        break;
      case 2:
        reader.expect(field.as_u64(file.read_version));
        break;
      case 3:
        reader.expect(field.as_u64(file.id));
        break;
      case 4:
        reader.expect(field.as_u64(file.deleted_row_count));
        break;
      case 7:
        reader.expect(take_optional(field, file.base_id));
        break;
      default:
        file.unknown.append(as_text(field.raw));
    }
  }
  if (!reader.ok()) {
    return damaged("deletion file");
  }
  if (kind > 1) {
    return Error(ErrorKind::kUnsupported, "unknown kind of deletion file").with("kind", kind);
  }
  file.kind = static_cast<DeletionFile::Kind>(kind);
  return file;
}

std::string serialize_deletion_file_entry(const DeletionFile& file) {
  WireWriter writer;
  writer.u64(1, static_cast<uint64_t>(file.kind));
  writer.u64(2, file.read_version);
  writer.u64(3, file.id);
  writer.u64(4, file.deleted_row_count);
  if (file.base_id) {
    writer.u64_always(7, *file.base_id);
  }
  writer.raw(file.unknown);
  return std::move(writer).take();
}

Result<Fragment> parse_fragment(ByteView message) {
  Fragment fragment;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 1:
        reader.expect(field.as_u64(fragment.id));
        break;
      case 2: {
        WEFT_TRY(DataFile file, parse_data_file(field.bytes));
        fragment.files.push_back(std::move(file));
        break;
      }
      case 3: {
        WEFT_TRY(fragment.deletion_file, parse_deletion_file_entry(field.bytes));
        break;
      }
      case 4:
        reader.expect(field.as_u64(fragment.physical_rows));
        break;
      case 5:
        reader.expect(take_optional(field, fragment.row_ids));
        break;
      case 7:
        reader.expect(take_optional(field, fragment.last_updated_at_versions));
        break;
      case 9:
        reader.expect(take_optional(field, fragment.created_at_versions));
        break;
      case 11:
      case 12:
      case 13:
      case 14:
        return Error(ErrorKind::kUnsupported, "fragment with a field that changes its meaning")
            .with("fragment", fragment.id)
            .with("field", field.number);
      default:
        fragment.has_external_sequences |= field.number >= 6 && field.number <= 10;
        fragment.unknown.append(as_text(field.raw));
    }
  }
  if (!reader.ok()) {
    return damaged("fragment");
  }
  if (fragment.physical_rows > kFragmentRowsMax) {
    return Error(ErrorKind::kLimit, "fragment with too many rows")
        .with("fragment", fragment.id)
        .with("rows", fragment.physical_rows)
        .with("rows_max", kFragmentRowsMax);
  }
  return fragment;
}

std::string serialize_fragment(const Fragment& fragment) {
  WireWriter writer;
  writer.u64(1, fragment.id);
  for (const DataFile& file : fragment.files) {
    writer.bytes_always(2, serialize_data_file(file));
  }
  if (fragment.deletion_file) {
    writer.bytes_always(3, serialize_deletion_file_entry(*fragment.deletion_file));
  }
  writer.u64(4, fragment.physical_rows);
  write_optional(writer, 5, fragment.row_ids);
  write_optional(writer, 7, fragment.last_updated_at_versions);
  write_optional(writer, 9, fragment.created_at_versions);
  writer.raw(fragment.unknown);
  return std::move(writer).take();
}

std::string deletion_file_name(uint64_t fragment_id, const DeletionFile& file) {
  std::string name(kDeletionsFolder);
  name += std::to_string(fragment_id) + "-" + std::to_string(file.read_version) + "-" +
          std::to_string(file.id);
  return name + (file.kind == DeletionFile::Kind::kArrow ? ".arrow" : ".bin");
}

}  // namespace weft::lance

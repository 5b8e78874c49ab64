#include "weft/lance/layout/file_layout.h"

#include "weft/codec/protobuf_wire.h"

namespace weft::lance::layout {
namespace {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

Error damaged(std::string_view what) {
  return Error(ErrorKind::kCorrupt, "a data file is damaged").with("part", what);
}

Error unsupported_version(std::string_view version) {
  return Error(ErrorKind::kUnsupported, "a file version is not supported")
      .with("version", version)
      .with("supported", "2.0, 2.1, 2.2");
}

bool inside(const Extent& extent, uint64_t file_size) {
  return extent.position <= file_size && extent.size <= file_size - extent.position;
}

Result<std::vector<Extent>> zip_extents(const std::vector<uint64_t>& positions,
                                        const std::vector<uint64_t>& sizes, uint64_t file_size) {
  if (positions.size() != sizes.size()) {
    return damaged("buffer offsets and sizes differ in number");
  }
  if (positions.size() > kPageBuffersMax) {
    return Error(ErrorKind::kLimit, "too many buffers in a page or column")
        .with("buffers", positions.size())
        .with("buffers_max", kPageBuffersMax);
  }
  std::vector<Extent> out;
  for (size_t i = 0; i < positions.size(); ++i) {
    const Extent extent{positions[i], sizes[i]};
    if (!inside(extent, file_size)) {
      return damaged("a buffer leaves the file");
    }
    out.push_back(extent);
  }
  return out;
}

// The Any{type_url, value} inside Encoding{direct{encoding}}.
Status parse_any(ByteView encoding, std::string& url, std::string& value) {
  ByteView inner = encoding;
  for (const uint32_t number : {2U, 1U}) {
    WireReaderView reader(inner);
    WireField field;
    bool found = false;
    ByteView next;
    while (reader.next(field)) {
      if (field.number == number) {
        found = reader.expect(field.as_bytes(next));
      }
    }
    if (!reader.ok() || !found) {
      return damaged("the encoding of a page is not in place");
    }
    inner = next;
  }
  WireReaderView reader(inner);
  WireField field;
  while (reader.next(field)) {
    if (field.number == 1) {
      reader.expect(field.as_text(url));
    } else if (field.number == 2) {
      reader.expect(field.as_text(value));
    }
  }
  return reader.ok() ? ok_status() : Status(damaged("page encoding"));
}

WireWriter any_encoding(std::string_view url, std::string_view value) {
  WireWriter any;
  any.bytes(1, url);
  any.bytes(2, value);
  WireWriter direct;
  direct.message(1, any);
  WireWriter encoding;
  encoding.message(2, direct);
  return encoding;
}

Result<PageDescription> parse_page(ByteView message, uint64_t file_size) {
  PageDescription out;
  std::vector<uint64_t> positions;
  std::vector<uint64_t> sizes;
  ByteView encoding;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 1:
        reader.expect(field.append_u64s(positions));
        break;
      case 2:
        reader.expect(field.append_u64s(sizes));
        break;
      case 3:
        reader.expect(field.as_u64(out.length));
        break;
      case 4:
        reader.expect(field.as_bytes(encoding));
        break;
      case 5:
        reader.expect(field.as_u64(out.first_row));
        break;
      default:
        break;
    }
  }
  if (!reader.ok()) {
    return damaged("page");
  }
  WEFT_TRY_STATUS(parse_any(encoding, out.layout_url, out.layout));
  WEFT_TRY(out.buffers, zip_extents(positions, sizes, file_size));
  return out;
}

void write_extents(WireWriter& out, const std::vector<Extent>& extents, uint32_t position_number,
                   uint32_t size_number) {
  std::vector<uint64_t> positions;
  std::vector<uint64_t> sizes;
  for (const Extent& extent : extents) {
    positions.push_back(extent.position);
    sizes.push_back(extent.size);
  }
  out.packed_u64(position_number, positions);
  out.packed_u64(size_number, sizes);
}

}  // namespace

std::string_view file_version_name(FileVersion version) {
  switch (version) {
    case FileVersion::kV20:
      return "2.0";
    case FileVersion::kV21:
      return "2.1";
    case FileVersion::kV22:
      return "2.2";
  }
  return "unknown";
}

Result<FileVersion> parse_file_version(std::string_view name) {
  for (const FileVersion version : {FileVersion::kV20, FileVersion::kV21, FileVersion::kV22}) {
    if (name == file_version_name(version)) {
      return version;
    }
  }
  return unsupported_version(name);
}

Result<FileVersion> file_version(uint64_t major, uint64_t minor) {
  if ((major == 0 && minor == 3) || (major == 2 && minor == 0)) {
    return FileVersion::kV20;
  }
  return parse_file_version(std::to_string(major) + "." + std::to_string(minor));
}

std::pair<uint16_t, uint16_t> footer_version(FileVersion version) {
  switch (version) {
    case FileVersion::kV20:
      return {0, 3};
    case FileVersion::kV21:
      return {2, 1};
    case FileVersion::kV22:
      return {2, 2};
  }
  return {0, 0};
}

Result<Footer> parse_footer(ByteView bytes, uint64_t file_size) {
  codec::ByteReaderView reader(bytes);
  Footer out;
  out.column_metadata_position = reader.u64();
  out.column_table_position = reader.u64();
  out.global_table_position = reader.u64();
  out.global_buffer_count = reader.u32();
  out.column_count = reader.u32();
  const uint64_t major = reader.u16();
  const uint64_t minor = reader.u16();
  const std::string_view magic = as_text(reader.bytes(kFileMagic.size()));
  if (!reader.ok() || reader.remaining() != 0 || magic != kFileMagic) {
    return Error(ErrorKind::kCorrupt, "not a Lance data file: the footer is missing");
  }
  WEFT_TRY(out.version, file_version(major, minor));
  if (out.column_count > kFileColumnsMax || out.global_buffer_count > kFileColumnsMax) {
    return Error(ErrorKind::kLimit, "too many columns or global buffers in a data file")
        .with("columns", uint64_t{out.column_count})
        .with("global_buffers", uint64_t{out.global_buffer_count})
        .with("columns_max", kFileColumnsMax);
  }
  const Extent columns{out.column_table_position, out.column_count * kTableEntryBytes};
  const Extent globals{out.global_table_position, out.global_buffer_count * kTableEntryBytes};
  if (!inside(columns, file_size) || !inside(globals, file_size)) {
    return damaged("a table leaves the file");
  }
  return out;
}

std::string serialize_footer(const Footer& footer) {
  std::string out;
  codec::append_u64(out, footer.column_metadata_position);
  codec::append_u64(out, footer.column_table_position);
  codec::append_u64(out, footer.global_table_position);
  codec::append_u32(out, footer.global_buffer_count);
  codec::append_u32(out, footer.column_count);
  const auto [major, minor] = footer_version(footer.version);
  codec::append_u16(out, major);
  codec::append_u16(out, minor);
  out.append(kFileMagic);
  return out;
}

Result<std::vector<Extent>> parse_extents(ByteView bytes, uint64_t count, uint64_t file_size) {
  if (bytes.size() != count * kTableEntryBytes) {
    return damaged("a table has another size");
  }
  codec::ByteReaderView reader(bytes);
  std::vector<Extent> out;
  out.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    Extent extent;
    extent.position = reader.u64();
    extent.size = reader.u64();
    if (!inside(extent, file_size)) {
      return damaged("a table names what is outside the file");
    }
    out.push_back(extent);
  }
  return out;
}

std::string serialize_extents(const std::vector<Extent>& extents) {
  std::string out;
  for (const Extent& extent : extents) {
    codec::append_u64(out, extent.position);
    codec::append_u64(out, extent.size);
  }
  return out;
}

Result<ColumnDescription> parse_column(ByteView message, uint64_t file_size) {
  ColumnDescription out;
  std::vector<uint64_t> positions;
  std::vector<uint64_t> sizes;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 2: {
        ByteView page;
        if (!reader.expect(field.as_bytes(page))) {
          break;
        }
        if (out.pages.size() == kColumnPagesMax) {
          return Error(ErrorKind::kLimit, "too many pages in a column")
              .with("pages_max", kColumnPagesMax);
        }
        WEFT_TRY(PageDescription parsed, parse_page(page, file_size));
        out.pages.push_back(std::move(parsed));
        break;
      }
      case 3:
        reader.expect(field.append_u64s(positions));
        break;
      case 4:
        reader.expect(field.append_u64s(sizes));
        break;
      default:
        break;
    }
  }
  if (!reader.ok()) {
    return damaged("column metadata");
  }
  WEFT_TRY(out.buffers, zip_extents(positions, sizes, file_size));
  return out;
}

std::string serialize_column(const ColumnDescription& column) {
  WireWriter out;
  WireWriter values;
  values.bytes_always(1, {});
  out.message(1, any_encoding(kColumnEncodingUrl, values.str()));
  for (const PageDescription& page : column.pages) {
    WireWriter message;
    write_extents(message, page.buffers, 1, 2);
    message.u64(3, page.length);
    message.message(4, any_encoding(page.layout_url, page.layout));
    message.u64(5, page.first_row);
    out.message(2, message);
  }
  write_extents(out, column.buffers, 3, 4);
  return std::move(out).take();
}

Result<FileDescriptor> parse_file_descriptor(ByteView message) {
  FileDescriptor out;
  WireReaderView reader(message);
  WireField field;
  ByteView schema;
  while (reader.next(field)) {
    if (field.number == 1) {
      reader.expect(field.as_bytes(schema));
    } else if (field.number == 2) {
      reader.expect(field.as_u64(out.row_count));
    }
  }
  WireReaderView inner(schema);
  while (inner.next(field)) {
    ByteView bytes;
    if (field.number == 1 && inner.expect(field.as_bytes(bytes))) {
      if (out.fields.size() == kSchemaFieldsMax) {
        return Error(ErrorKind::kLimit, "too many fields in a schema")
            .with("fields_max", kSchemaFieldsMax);
      }
      WEFT_TRY(SchemaField parsed, parse_schema_field(bytes));
      out.fields.push_back(std::move(parsed));
    } else if (field.number == 5 && inner.expect(field.as_bytes(bytes))) {
      WireReaderView entry(bytes);
      WireField part;
      std::pair<std::string, std::string> pair;
      while (entry.next(part)) {
        inner.expect(part.number > 2 || part.as_text(part.number == 1 ? pair.first : pair.second));
      }
      inner.expect(entry.ok());
      out.metadata.push_back(std::move(pair));
    }
  }
  if (!reader.ok() || !inner.ok()) {
    return damaged("file descriptor");
  }
  return out;
}

std::string serialize_file_descriptor(const FileDescriptor& descriptor) {
  WireWriter schema;
  for (const SchemaField& field : descriptor.fields) {
    schema.bytes_always(1, serialize_schema_field(field));
  }
  for (const auto& [key, value] : descriptor.metadata) {
    WireWriter entry;
    entry.bytes(1, key);
    entry.bytes(2, value);
    schema.message(5, entry);
  }
  WireWriter out;
  out.message(1, schema);
  out.u64(2, descriptor.row_count);
  return std::move(out).take();
}

}  // namespace weft::lance::layout

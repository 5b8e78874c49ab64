#include "weft/lance/table/manifest.h"

#include <algorithm>
#include <charconv>

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/table/wire_map.h"

namespace weft::lance {

namespace {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

constexpr std::string_view kKeyMetadata = "lance-schema:unenforced-primary-key";
constexpr std::string_view kKeyPositionMetadata = "lance-schema:unenforced-primary-key:position";

Error damaged(std::string_view what) {
  return Error(ErrorKind::kCorrupt, "damaged manifest").with("part", what);
}

bool take_optional(const WireField& field, std::optional<uint64_t>& value) {
  return field.as_u64(value.emplace());
}

bool take_timestamp(const WireField& field, std::optional<Timestamp>& value) {
  ByteView message;
  if (!field.as_bytes(message)) {
    return false;
  }
  Timestamp& timestamp = value.emplace();
  WireReaderView reader(message);
  WireField part;
  while (reader.next(part)) {
    if (part.number == 1) {
      reader.expect(part.as_i64(timestamp.seconds));
    } else if (part.number == 2) {
      reader.expect(part.as_i32(timestamp.nanos));
    }
  }
  return reader.ok();
}

// DataStorageFormat. Fields of it that are not known are dropped: engines drop them, too.
bool take_format(const WireField& field, Manifest& manifest) {
  ByteView message;
  if (!field.as_bytes(message)) {
    return false;
  }
  WireReaderView reader(message);
  WireField part;
  while (reader.next(part)) {
    if (part.number == 1) {
      reader.expect(part.as_text(manifest.file_format));
    } else if (part.number == 2) {
      reader.expect(part.as_text(manifest.file_version));
    }
  }
  return reader.ok();
}

bool take_base_path(const WireField& field, Manifest& manifest) {
  ByteView message;
  if (!field.as_bytes(message)) {
    return false;
  }
  BasePath& base = manifest.base_paths.emplace_back();
  WireReaderView reader(message);
  WireField part;
  while (reader.next(part)) {
    switch (part.number) {
      case 1:
        reader.expect(part.as_u32(base.id));
        break;
      case 2:
        reader.expect(part.as_text(base.name.emplace()));
        break;
      case 3:
        reader.expect(part.as_bool(base.is_dataset_root));
        break;
      case 4:
        reader.expect(part.as_text(base.path));
        break;
      default:
        base.unknown.append(as_text(part.raw));
    }
  }
  return reader.ok();
}

std::string serialize_base_path(const BasePath& base) {
  WireWriter writer;
  writer.u64(1, base.id);
  if (base.name) {
    writer.bytes_always(2, *base.name);
  }
  writer.boolean(3, base.is_dataset_root);
  writer.bytes(4, base.path);
  writer.raw(base.unknown);
  return std::move(writer).take();
}

// The fields up to 13. Returns false on another number.
Result<bool> take_low(const WireField& field, Manifest& manifest, WireReaderView& reader) {
  switch (field.number) {
    case 1: {
      WEFT_TRY(layout::SchemaField column, layout::parse_schema_field(field.bytes));
      if (manifest.fields.size() == layout::kSchemaFieldsMax) {
        return Error(ErrorKind::kLimit, "schema with too many fields")
            .with("fields_max", layout::kSchemaFieldsMax);
      }
      manifest.fields.push_back(std::move(column));
      return true;
    }
    case 2: {
      WEFT_TRY(Fragment fragment, parse_fragment(field.bytes));
      if (manifest.fragments.size() == kTableFragmentsMax) {
        return Error(ErrorKind::kLimit, "table with too many fragments")
            .with("fragments_max", kTableFragmentsMax);
      }
      manifest.fragments.push_back(std::move(fragment));
      return true;
    }
    case 3:
      reader.expect(field.as_u64(manifest.version));
      return true;
    case 4:
      reader.expect(field.as_u64(manifest.version_aux_data));
      return true;
    case 5:
      reader.expect(take_entry(field, manifest.schema_metadata));
      return true;
    case 6:
      reader.expect(take_optional(field, manifest.index_section));
      return true;
    case 7:
      reader.expect(take_timestamp(field, manifest.timestamp));
      return true;
    case 8:
      reader.expect(field.as_text(manifest.tag));
      return true;
    case 9:
      reader.expect(field.as_u64(manifest.reader_flags));
      return true;
    case 10:
      reader.expect(field.as_u64(manifest.writer_flags));
      return true;
    case 11:
      reader.expect(field.as_u32(manifest.max_fragment_id.emplace()));
      return true;
    case 12:
      reader.expect(field.as_text(manifest.transaction_file));
      return true;
    case 13:
      reader.expect(field.as_text(manifest.writer_version.emplace()));
      return true;
    default:
      return false;
  }
}

// The fields from 14 on.
Result<bool> take_high(const WireField& field, Manifest& manifest, WireReaderView& reader) {
  switch (field.number) {
    case 14:
      reader.expect(field.as_u64(manifest.next_row_id));
      return true;
    case 15:
      reader.expect(take_format(field, manifest));
      return true;
    case 16:
      reader.expect(take_entry(field, manifest.config));
      return true;
    case 18:
      reader.expect(take_base_path(field, manifest));
      return true;
    case 19:
      reader.expect(take_entry(field, manifest.table_metadata));
      return true;
    case 20:
      reader.expect(field.as_text(manifest.branch.emplace()));
      return true;
    case 21:
      reader.expect(take_optional(field, manifest.transaction_section));
      return true;
    case 22:
      return Error(ErrorKind::kUnsupported, "manifest that keeps its fragments in a tree")
          .with("field", uint64_t{22});
    case 23:
      reader.expect(take_optional(field, manifest.transaction_section_14));
      return true;
    case 24:
      reader.expect(field.as_i64(manifest.max_allocated_field_id.emplace()));
      return true;
    default:
      return false;
  }
}

Status check_parsed(const Manifest& manifest) {
  if (manifest.version == 0) {
    return damaged("version");
  }
  const auto unordered = std::adjacent_find(
      manifest.fragments.begin(), manifest.fragments.end(),
      [](const Fragment& left, const Fragment& right) { return left.id >= right.id; });
  if (unordered != manifest.fragments.end()) {
    return damaged("order of fragments");
  }
  if (manifest.has_stable_row_ids()) {
    for (const Fragment& fragment : manifest.fragments) {
      if (!fragment.row_ids && !fragment.has_external_sequences) {
        return Error(ErrorKind::kCorrupt, "fragment without row ids in a table with stable ones")
            .with("fragment", fragment.id);
      }
    }
  }
  return {};
}

std::string flag_list(uint64_t bits) {
  std::string text;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const uint64_t flag = uint64_t{1} << bit;
    if ((bits & flag) != 0) {
      text += (text.empty() ? "" : " ") + std::to_string(flag);
    }
  }
  return text;
}

void write_head(WireWriter& writer, const Manifest& manifest) {
  for (const layout::SchemaField& field : manifest.fields) {
    writer.bytes_always(1, layout::serialize_schema_field(field));
  }
  for (const Fragment& fragment : manifest.fragments) {
    writer.bytes_always(2, serialize_fragment(fragment));
  }
  writer.u64(3, manifest.version);
  writer.u64(4, manifest.version_aux_data);
  write_map(writer, 5, manifest.schema_metadata);
  if (manifest.index_section) {
    writer.u64_always(6, *manifest.index_section);
  }
  if (manifest.timestamp) {
    WireWriter timestamp;
    timestamp.i64(1, manifest.timestamp->seconds);
    timestamp.i64(2, manifest.timestamp->nanos);
    writer.message(7, timestamp);
  }
  writer.bytes(8, manifest.tag);
  writer.u64(9, manifest.reader_flags);
  writer.u64(10, manifest.writer_flags);
  if (manifest.max_fragment_id) {
    writer.u64_always(11, *manifest.max_fragment_id);
  }
  writer.bytes(12, manifest.transaction_file);
  if (manifest.writer_version) {
    writer.bytes_always(13, *manifest.writer_version);
  }
}

}  // namespace

const std::string* find_entry(const StringMap& map, std::string_view key) {
  const auto found =
      std::find_if(map.begin(), map.end(), [&](const auto& entry) { return entry.first == key; });
  return found == map.end() ? nullptr : &found->second;
}

base::WallTime to_wall_time(const Timestamp& timestamp) {
  // Far from any real time the result only has to be ordered, not exact.
  constexpr int64_t kSecondsMax = INT64_MAX / 1'000'000 - 1;
  const int64_t seconds = std::clamp(timestamp.seconds, -kSecondsMax, kSecondsMax);
  return {seconds * 1'000'000 + std::clamp(timestamp.nanos, 0, 999'999'999) / 1000};
}

Timestamp to_timestamp(base::WallTime time) {
  int64_t seconds = time.microseconds / 1'000'000;
  int64_t rest = time.microseconds % 1'000'000;
  if (rest < 0) {
    --seconds;
    rest += 1'000'000;
  }
  return {seconds, static_cast<int32_t>(rest * 1000)};
}

const Fragment* Manifest::find_fragment(uint64_t id) const {
  const auto found =
      std::lower_bound(fragments.begin(), fragments.end(), id,
                       [](const Fragment& fragment, uint64_t key) { return fragment.id < key; });
  return found == fragments.end() || found->id != id ? nullptr : &*found;
}

const layout::SchemaField* Manifest::find_field(int32_t id) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

const layout::SchemaField* Manifest::find_top_field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
    return field.parent_id < 0 && field.name == name;
  });
  return found == fields.end() ? nullptr : &*found;
}

uint64_t Manifest::row_count() const {
  uint64_t rows = 0;
  for (const Fragment& fragment : fragments) {
    rows += fragment.live_rows();
  }
  return rows;
}

uint64_t Manifest::next_fragment_id() const {
  uint64_t next = max_fragment_id ? uint64_t{*max_fragment_id} + 1 : 0;
  if (!fragments.empty()) {
    next = std::max(next, fragments.back().id + 1);
  }
  return next;
}

int32_t Manifest::next_field_id() const {
  int64_t greatest = max_allocated_field_id.value_or(-1);
  for (const layout::SchemaField& field : fields) {
    greatest = std::max<int64_t>(greatest, field.id);
  }
  for (const Fragment& fragment : fragments) {
    for (const DataFile& file : fragment.files) {
      for (const int32_t id : file.fields) {
        greatest = std::max<int64_t>(greatest, id);
      }
    }
  }
  return static_cast<int32_t>(greatest + 1);
}

Result<Manifest> parse_manifest(ByteView message) {
  Manifest manifest;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    WEFT_TRY(const bool known, field.number <= 13 ? take_low(field, manifest, reader)
                                                  : take_high(field, manifest, reader));
    if (!known) {
      manifest.unknown.append(as_text(field.raw));
    }
  }
  if (!reader.ok()) {
    return damaged("fields");
  }
  WEFT_TRY_STATUS(check_readable(manifest));
  WEFT_TRY_STATUS(check_parsed(manifest));
  return manifest;
}

std::string serialize_manifest(const Manifest& manifest) {
  WireWriter writer;
  write_head(writer, manifest);
  writer.u64(14, manifest.next_row_id);
  if (!manifest.file_format.empty() || !manifest.file_version.empty()) {
    WireWriter format;
    format.bytes(1, manifest.file_format);
    format.bytes(2, manifest.file_version);
    writer.message(15, format);
  }
  write_map(writer, 16, manifest.config);
  for (const BasePath& base : manifest.base_paths) {
    writer.bytes_always(18, serialize_base_path(base));
  }
  write_map(writer, 19, manifest.table_metadata);
  if (manifest.branch) {
    writer.bytes_always(20, *manifest.branch);
  }
  if (manifest.transaction_section) {
    writer.u64_always(21, *manifest.transaction_section);
  }
  if (manifest.transaction_section_14) {
    writer.u64_always(23, *manifest.transaction_section_14);
  }
  if (manifest.max_allocated_field_id) {
    writer.i64_always(24, *manifest.max_allocated_field_id);
  }
  writer.raw(manifest.unknown);
  return std::move(writer).take();
}

Status check_readable(const Manifest& manifest) {
  const uint64_t unknown = manifest.reader_flags & ~flags::kReadable;
  if (unknown != 0) {
    return Error(ErrorKind::kUnsupported, "table needs features that weft cannot read")
        .with("flags", flag_list(unknown));
  }
  return {};
}

Status check_writable(const Manifest& manifest) {
  const uint64_t unknown = (manifest.writer_flags | manifest.reader_flags) & ~flags::kWritable;
  if (unknown != 0) {
    return Error(ErrorKind::kUnsupported, "table needs features that weft cannot write")
        .with("flags", flag_list(unknown));
  }
  return {};
}

void recompute_flags(Manifest& manifest) {
  const uint64_t computed = flags::kDeletionFiles | flags::kConfig | flags::kBasePaths;
  uint64_t both = 0;
  const bool deletions =
      std::any_of(manifest.fragments.begin(), manifest.fragments.end(),
                  [](const Fragment& fragment) { return fragment.deletion_file.has_value(); });
  both |= deletions ? flags::kDeletionFiles : 0;
  both |= manifest.base_paths.empty() ? 0 : flags::kBasePaths;
  manifest.reader_flags = (manifest.reader_flags & ~computed) | both;
  manifest.writer_flags =
      (manifest.writer_flags & ~computed) | both | (manifest.config.empty() ? 0 : flags::kConfig);
}

std::vector<int32_t> primary_key(const std::vector<layout::SchemaField>& fields) {
  std::vector<std::pair<uint64_t, int32_t>> keys;
  for (const layout::SchemaField& field : fields) {
    bool is_key = field.unenforced_primary_key;
    uint64_t position = field.unenforced_primary_key_position;
    if (const std::string* text = find_entry(field.metadata, kKeyPositionMetadata)) {
      is_key = true;
      std::from_chars(text->data(), text->data() + text->size(), position);
    }
    const std::string* alone = find_entry(field.metadata, kKeyMetadata);
    if (is_key || (alone != nullptr && *alone == "true")) {
      keys.emplace_back(position, field.id);
    }
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<int32_t> ids;
  for (const auto& [position, id] : keys) {
    ids.push_back(id);
  }
  return ids;
}

}  // namespace weft::lance

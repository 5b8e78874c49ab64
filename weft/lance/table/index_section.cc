#include "weft/lance/table/index_section.h"

#include <algorithm>

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/table/names.h"

namespace weft::lance {

namespace {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

constexpr uint32_t kBaseIdField = 9;
constexpr size_t kUuidBytes = 16;

std::string uuid_text(ByteView message) {
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.number == 1 && field.bytes.size() == kUuidBytes) {
      std::string text;
      for (size_t i = 0; i < kUuidBytes; ++i) {
        text += hex_text(static_cast<uint64_t>(field.bytes[i]), 2);
        text += i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "";
      }
      return text;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<IndexEntry>> parse_index_section(ByteView section) {
  std::vector<IndexEntry> entries;
  WireReaderView reader(section);
  WireField field;
  while (reader.next(field)) {
    if (field.number != 1) {
      continue;
    }
    IndexEntry& entry = entries.emplace_back();
    entry.raw = field.raw;
    WireReaderView parts(field.bytes);
    WireField part;
    while (parts.next(part)) {
      if (part.number == 1) {
        entry.uuid = uuid_text(part.bytes);
      } else if (part.number == 2) {
        parts.expect(part.append_i32s(entry.fields));
      } else if (part.number == 3) {
        parts.expect(part.as_text(entry.name));
      } else if (part.number == kBaseIdField) {
        parts.expect(part.as_u32(entry.base_id.emplace()));
      }
    }
    reader.expect(parts.ok());
  }
  if (!reader.ok()) {
    return Error(ErrorKind::kCorrupt, "damaged index section of a manifest");
  }
  return entries;
}

Result<std::optional<std::string>> drop_indices(std::string_view section,
                                                const std::vector<int32_t>& fields) {
  WEFT_TRY(const std::vector<IndexEntry> entries, parse_index_section(as_bytes(section)));
  std::string kept;
  for (const IndexEntry& entry : entries) {
    const bool dropped = std::any_of(entry.fields.begin(), entry.fields.end(), [&](int32_t id) {
      return std::find(fields.begin(), fields.end(), id) != fields.end();
    });
    if (!dropped) {
      kept.append(as_text(entry.raw));
    }
  }
  return kept.empty() ? std::optional<std::string>() : std::optional(kept);
}

Result<std::string> rebase_indices(ByteView section, uint32_t base_id) {
  WireWriter out;
  WireReaderView reader(section);
  WireField field;
  while (reader.next(field)) {
    if (field.number != 1) {
      out.raw(as_text(field.raw));
      continue;
    }
    bool has_base = false;
    WireReaderView parts(field.bytes);
    WireField part;
    while (parts.next(part)) {
      has_base |= part.number == kBaseIdField;
    }
    reader.expect(parts.ok());
    WireWriter entry;
    entry.raw(as_text(field.bytes));
    if (!has_base) {
      entry.u64_always(kBaseIdField, base_id);
    }
    out.message(1, entry);
  }
  if (!reader.ok()) {
    return Error(ErrorKind::kCorrupt, "damaged index section of a manifest");
  }
  return std::move(out).take();
}

}  // namespace weft::lance

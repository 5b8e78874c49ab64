#include "weft/lance/layout/field.h"

#include "weft/codec/protobuf_wire.h"

namespace weft::lance::layout {

Result<SchemaField> parse_schema_field(ByteView message) {
  using codec::WireField;
  using codec::WireReaderView;
  SchemaField out;
  out.parent_id = 0;  // what an absent number means
  out.nullable = false;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 2:
        reader.expect(field.as_text(out.name));
        break;
      case 3:
        reader.expect(field.as_i32(out.id));
        break;
      case 4:
        reader.expect(field.as_i32(out.parent_id));
        break;
      case 5:
        reader.expect(field.as_text(out.logical_type));
        break;
      case 6:
        reader.expect(field.as_bool(out.nullable));
        break;
      case 7:
        reader.expect(field.as_u64(out.encoding));
        break;
      case 10: {
        ByteView entry;
        std::pair<std::string, std::string> pair;
        if (reader.expect(field.as_bytes(entry))) {
          WireReaderView parts(entry);
          WireField part;
          while (parts.next(part)) {
            parts.expect(part.number > 2 ||
                         part.as_text(part.number == 1 ? pair.first : pair.second));
          }
          reader.expect(parts.ok());
        }
        out.metadata.push_back(std::move(pair));
        break;
      }
      case 12:
        reader.expect(field.as_bool(out.unenforced_primary_key));
        break;
      case 13:
        reader.expect(field.as_u64(out.unenforced_primary_key_position));
        break;
      default:
        out.unknown.append(as_text(field.raw));
    }
  }
  if (!reader.ok()) {
    return Error(ErrorKind::kCorrupt, "a field of a schema is damaged").with("field", out.name);
  }
  return out;
}

std::string serialize_schema_field(const SchemaField& field) {
  codec::WireWriter out;
  out.bytes(2, field.name);
  out.i64(3, field.id);
  out.i64(4, field.parent_id);
  out.bytes(5, field.logical_type);
  out.boolean(6, field.nullable);
  out.u64(7, field.encoding);
  for (const auto& [key, value] : field.metadata) {
    codec::WireWriter entry;
    entry.bytes(1, key);
    entry.bytes(2, value);
    out.message(10, entry);
  }
  out.boolean(12, field.unenforced_primary_key);
  out.u64(13, field.unenforced_primary_key_position);
  out.raw(field.unknown);
  return std::move(out).take();
}

}  // namespace weft::lance::layout

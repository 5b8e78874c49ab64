#include "weft/lance/table/operation_wire.h"
#include "weft/lance/table/wire_map.h"

namespace weft::lance {

namespace {

using codec::WireWriter;

void write_fragments(WireWriter& writer, uint32_t number, const std::vector<Fragment>& fragments) {
  for (const Fragment& fragment : fragments) {
    writer.bytes_always(number, serialize_fragment(fragment));
  }
}

void write_schema(WireWriter& writer, uint32_t number,
                  const std::vector<layout::SchemaField>& schema) {
  for (const layout::SchemaField& field : schema) {
    writer.bytes_always(number, layout::serialize_schema_field(field));
  }
}

WireWriter map_update(const MapUpdate& update) {
  WireWriter writer;
  for (const auto& [key, value] : update.entries) {
    WireWriter entry;
    entry.bytes(1, key);
    if (value) {
      entry.bytes_always(2, *value);
    }
    writer.message(1, entry);
  }
  writer.boolean(2, update.replace);
  return writer;
}

// Writes the message of one operation and gives its number in the transaction.
struct Body {
  WireWriter& out;

  uint32_t operator()(const AppendOperation& operation) const {
    write_fragments(out, 1, operation.fragments);
    return 100;
  }
  uint32_t operator()(const DeleteOperation& operation) const {
    write_fragments(out, 1, operation.updated_fragments);
    out.packed_u64(2, operation.deleted_fragment_ids);
    out.bytes(3, operation.predicate);
    return 101;
  }
  uint32_t operator()(const OverwriteOperation& operation) const {
    write_fragments(out, 1, operation.fragments);
    write_schema(out, 2, operation.schema);
    write_map(out, 3, operation.schema_metadata);
    write_map(out, 4, operation.config_upserts);
    return 102;
  }
  uint32_t operator()(const CreateIndexOperation&) const { return 103; }
  uint32_t operator()(const RewriteOperation& operation) const {
    for (const RewriteGroup& group : operation.groups) {
      WireWriter message;
      write_fragments(message, 1, group.old_fragments);
      write_fragments(message, 2, group.new_fragments);
      out.message(3, message);
    }
    for (const std::string& index : operation.rewritten_indices) {
      out.bytes_always(4, index);
    }
    return 104;
  }
  uint32_t operator()(const MergeOperation& operation) const {
    write_fragments(out, 1, operation.fragments);
    write_schema(out, 2, operation.schema);
    write_map(out, 3, operation.schema_metadata);
    return 105;
  }
  uint32_t operator()(const RestoreOperation& operation) const {
    out.u64(1, operation.version);
    return 106;
  }
  uint32_t operator()(const ReserveOperation& operation) const {
    out.u64(1, operation.fragment_count);
    return 107;
  }
  uint32_t operator()(const UpdateOperation& operation) const {
    out.packed_u64(1, operation.removed_fragment_ids);
    write_fragments(out, 2, operation.updated_fragments);
    write_fragments(out, 3, operation.new_fragments);
    out.packed_u32(4, operation.fields_modified);
    out.packed_u32(6, operation.fields_for_preserving_bitmap);
    out.u64(7, operation.mode);
    if (operation.inserted_keys) {
      out.bytes_always(8, *operation.inserted_keys);
    }
    return 108;
  }
  uint32_t operator()(const ProjectOperation& operation) const {
    write_schema(out, 1, operation.schema);
    return 109;
  }
  uint32_t operator()(const UpdateConfigOperation& operation) const {
    if (operation.config) {
      out.message(6, map_update(*operation.config));
    }
    if (operation.table_metadata) {
      out.message(7, map_update(*operation.table_metadata));
    }
    if (operation.schema_metadata) {
      out.message(8, map_update(*operation.schema_metadata));
    }
    for (const auto& [id, update] : operation.field_metadata) {
      WireWriter entry;
      entry.i64(1, id);
      entry.message(2, map_update(update));
      out.message(9, entry);
    }
    return 110;
  }
  uint32_t operator()(const DataReplacementOperation& operation) const {
    for (const auto& [fragment, file] : operation.replacements) {
      WireWriter entry;
      entry.u64(1, fragment);
      entry.bytes_always(2, serialize_data_file(file));
      out.message(1, entry);
    }
    return 111;
  }
  uint32_t operator()(const CloneOperation& operation) const {
    out.boolean(1, operation.is_shallow);
    if (operation.ref_name) {
      out.bytes_always(2, *operation.ref_name);
    }
    out.u64(3, operation.ref_version);
    out.bytes(4, operation.ref_path);
    if (operation.branch_name) {
      out.bytes_always(5, *operation.branch_name);
    }
    return 113;
  }
  uint32_t operator()(const UpdateBasesOperation& operation) const {
    for (const std::string& base : operation.new_bases) {
      out.bytes_always(1, base);
    }
    return 114;
  }
  uint32_t operator()(const UnknownOperation& operation) const { return operation.number; }
};

}  // namespace

void write_operation(codec::WireWriter& writer, const Operation& operation) {
  WireWriter message;
  const uint32_t number = std::visit(Body{message}, operation);
  if (number != 0) {
    writer.message(number, message);
  }
}

}  // namespace weft::lance

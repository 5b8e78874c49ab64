#include "weft/lance/table/operation_wire.h"

#include "weft/lance/table/wire_map.h"

namespace weft::lance {

namespace {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

// Reads the fields of one operation: take(field, reader) says whether it knew the field.
template <typename Take>
Status each_field(ByteView message, std::string_view what, Take take) {
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    WEFT_TRY_STATUS(take(field, reader));
  }
  if (!reader.ok()) {
    return Error(ErrorKind::kCorrupt, "damaged operation in a transaction").with("operation", what);
  }
  return {};
}

Status take_fragment(const WireField& field, std::vector<Fragment>& fragments) {
  WEFT_TRY(Fragment fragment, parse_fragment(field.bytes));
  fragments.push_back(std::move(fragment));
  return {};
}

Status take_schema(const WireField& field, std::vector<layout::SchemaField>& schema) {
  WEFT_TRY(layout::SchemaField column, layout::parse_schema_field(field.bytes));
  if (schema.size() == layout::kSchemaFieldsMax) {
    return Error(ErrorKind::kLimit, "schema with too many fields")
        .with("fields_max", layout::kSchemaFieldsMax);
  }
  schema.push_back(std::move(column));
  return {};
}

Result<Operation> parse_append(ByteView message) {
  AppendOperation operation;
  WEFT_TRY_STATUS(each_field(message, "Append", [&](const WireField& field, WireReaderView&) {
    return field.number == 1 ? take_fragment(field, operation.fragments) : Status();
  }));
  return Operation(std::move(operation));
}

Result<Operation> parse_delete(ByteView message) {
  DeleteOperation operation;
  WEFT_TRY_STATUS(
      each_field(message, "Delete", [&](const WireField& field, WireReaderView& reader) {
        if (field.number == 1) {
          return take_fragment(field, operation.updated_fragments);
        }
        if (field.number == 2) {
          reader.expect(field.append_u64s(operation.deleted_fragment_ids));
        } else if (field.number == 3) {
          reader.expect(field.as_text(operation.predicate));
        }
        return Status();
      }));
  return Operation(std::move(operation));
}

Result<Operation> parse_overwrite(ByteView message) {
  OverwriteOperation operation;
  WEFT_TRY_STATUS(
      each_field(message, "Overwrite", [&](const WireField& field, WireReaderView& reader) {
        if (field.number == 1) {
          return take_fragment(field, operation.fragments);
        }
        if (field.number == 2) {
          return take_schema(field, operation.schema);
        }
        if (field.number == 3) {
          reader.expect(take_entry(field, operation.schema_metadata));
        } else if (field.number == 4) {
          reader.expect(take_entry(field, operation.config_upserts));
        }
        return Status();
      }));
  return Operation(std::move(operation));
}

Status take_group(const WireField& field, RewriteOperation& operation) {
  RewriteGroup& group = operation.groups.emplace_back();
  return each_field(field.bytes, "Rewrite", [&](const WireField& part, WireReaderView&) {
    if (part.number == 1 || part.number == 2) {
      return take_fragment(part, part.number == 1 ? group.old_fragments : group.new_fragments);
    }
    return Status();
  });
}

Result<Operation> parse_rewrite(ByteView message) {
  RewriteOperation operation;
  WEFT_TRY_STATUS(
      each_field(message, "Rewrite", [&](const WireField& field, WireReaderView& reader) {
        if (field.number == 3) {
          return take_group(field, operation);
        }
        if (field.number == 4) {
          reader.expect(field.as_text(operation.rewritten_indices.emplace_back()));
        }
        return Status();
      }));
  return Operation(std::move(operation));
}

Result<Operation> parse_merge(ByteView message) {
  MergeOperation operation;
  WEFT_TRY_STATUS(each_field(message, "Merge", [&](const WireField& field, WireReaderView& reader) {
    if (field.number == 1) {
      return take_fragment(field, operation.fragments);
    }
    if (field.number == 2) {
      return take_schema(field, operation.schema);
    }
    if (field.number == 3) {
      reader.expect(take_entry(field, operation.schema_metadata));
    }
    return Status();
  }));
  return Operation(std::move(operation));
}

Result<Operation> parse_update(ByteView message) {
  UpdateOperation operation;
  WEFT_TRY_STATUS(
      each_field(message, "Update", [&](const WireField& field, WireReaderView& reader) {
        switch (field.number) {
          case 1:
            reader.expect(field.append_u64s(operation.removed_fragment_ids));
            break;
          case 2:
            return take_fragment(field, operation.updated_fragments);
          case 3:
            return take_fragment(field, operation.new_fragments);
          case 4:
            reader.expect(field.append_u32s(operation.fields_modified));
            break;
          case 6:
            reader.expect(field.append_u32s(operation.fields_for_preserving_bitmap));
            break;
          case 7:
            reader.expect(field.as_u32(operation.mode));
            break;
          case 8:
            reader.expect(field.as_text(operation.inserted_keys.emplace()));
            break;
          default:
            break;
        }
        return Status();
      }));
  return Operation(std::move(operation));
}

Result<Operation> parse_project(ByteView message) {
  ProjectOperation operation;
  WEFT_TRY_STATUS(each_field(message, "Project", [&](const WireField& field, WireReaderView&) {
    return field.number == 1 ? take_schema(field, operation.schema) : Status();
  }));
  return Operation(std::move(operation));
}

Status take_map_entry(const WireField& field, MapUpdate& update) {
  auto& entry = update.entries.emplace_back();
  return each_field(field.bytes, "UpdateConfig",
                    [&](const WireField& part, WireReaderView& reader) {
                      if (part.number == 1) {
                        reader.expect(part.as_text(entry.first));
                      } else if (part.number == 2) {
                        reader.expect(part.as_text(entry.second.emplace()));
                      }
                      return Status();
                    });
}

Status take_map_update(ByteView message, MapUpdate& update) {
  return each_field(message, "UpdateConfig", [&](const WireField& field, WireReaderView& reader) {
    if (field.number == 1) {
      return take_map_entry(field, update);
    }
    if (field.number == 2) {
      reader.expect(field.as_bool(update.replace));
    }
    return Status();
  });
}

Status take_field_metadata(const WireField& field, UpdateConfigOperation& operation) {
  auto& entry = operation.field_metadata.emplace_back();
  return each_field(field.bytes, "UpdateConfig",
                    [&](const WireField& part, WireReaderView& reader) {
                      if (part.number == 2) {
                        return take_map_update(part.bytes, entry.second);
                      }
                      if (part.number == 1) {
                        reader.expect(part.as_i32(entry.first));
                      }
                      return Status();
                    });
}

Result<Operation> parse_update_config(ByteView message) {
  UpdateConfigOperation operation;
  WEFT_TRY_STATUS(each_field(message, "UpdateConfig", [&](const WireField& field, WireReaderView&) {
    switch (field.number) {
      case 6:
        return take_map_update(field.bytes, operation.config.emplace());
      case 7:
        return take_map_update(field.bytes, operation.table_metadata.emplace());
      case 8:
        return take_map_update(field.bytes, operation.schema_metadata.emplace());
      case 9:
        return take_field_metadata(field, operation);
      default:
        // The older forms (1 to 5): what they change is not known, so they count as unknown.
        return Status(Error(ErrorKind::kUnsupported, "old form of UpdateConfig"));
    }
  }));
  return Operation(std::move(operation));
}

Result<Operation> parse_replacement(ByteView message) {
  DataReplacementOperation operation;
  WEFT_TRY_STATUS(each_field(
      message, "DataReplacement", [&](const WireField& field, WireReaderView&) -> Status {
        if (field.number != 1) {
          return {};
        }
        uint64_t fragment = 0;
        ByteView file;
        WEFT_TRY_STATUS(each_field(field.bytes, "DataReplacement",
                                   [&](const WireField& part, WireReaderView& reader) -> Status {
                                     if (part.number == 1) {
                                       reader.expect(part.as_u64(fragment));
                                     } else if (part.number == 2) {
                                       reader.expect(part.as_bytes(file));
                                     }
                                     return {};
                                   }));
        // A replacement without a file is damage, too: an empty message is no data file.
        WEFT_TRY(DataFile parsed, parse_data_file(file));
        operation.replacements.emplace_back(fragment, std::move(parsed));
        return {};
      }));
  return Operation(std::move(operation));
}

Result<Operation> parse_clone(ByteView message) {
  CloneOperation operation;
  operation.is_shallow = false;
  WEFT_TRY_STATUS(each_field(message, "Clone", [&](const WireField& field, WireReaderView& reader) {
    switch (field.number) {
      case 1:
        reader.expect(field.as_bool(operation.is_shallow));
        break;
      case 2:
        reader.expect(field.as_text(operation.ref_name.emplace()));
        break;
      case 3:
        reader.expect(field.as_u64(operation.ref_version));
        break;
      case 4:
        reader.expect(field.as_text(operation.ref_path));
        break;
      case 5:
        reader.expect(field.as_text(operation.branch_name.emplace()));
        break;
      default:
        break;
    }
    return Status();
  }));
  return Operation(std::move(operation));
}

Result<Operation> parse_number(ByteView message, uint32_t number) {
  uint64_t value = 0;
  WEFT_TRY_STATUS(
      each_field(message, "Restore", [&](const WireField& field, WireReaderView& reader) {
        if (field.number == 1) {
          reader.expect(field.as_u64(value));
        }
        return Status();
      }));
  if (number == 106) {
    return Operation(RestoreOperation{value});
  }
  return Operation(ReserveOperation{static_cast<uint32_t>(value)});
}

Result<Operation> parse_bases(ByteView message) {
  UpdateBasesOperation operation;
  WEFT_TRY_STATUS(
      each_field(message, "UpdateBases", [&](const WireField& field, WireReaderView& reader) {
        if (field.number == 1) {
          reader.expect(field.as_text(operation.new_bases.emplace_back()));
        }
        return Status();
      }));
  return Operation(std::move(operation));
}

}  // namespace

Result<Operation> parse_operation(uint32_t number, ByteView message) {
  switch (number) {
    case 100:
      return parse_append(message);
    case 101:
      return parse_delete(message);
    case 102:
      return parse_overwrite(message);
    case 103:
      return Operation(CreateIndexOperation{});
    case 104:
      return parse_rewrite(message);
    case 105:
      return parse_merge(message);
    case 106:
    case 107:
      return parse_number(message, number);
    case 108:
      return parse_update(message);
    case 109:
      return parse_project(message);
    case 110: {
      Result<Operation> operation = parse_update_config(message);
      if (!operation.ok() && operation.error().kind() == ErrorKind::kUnsupported) {
        return Operation(UnknownOperation{number});
      }
      return operation;
    }
    case 111:
      return parse_replacement(message);
    case 113:
      return parse_clone(message);
    case 114:
      return parse_bases(message);
    default:
      return Operation(UnknownOperation{number});
  }
}

}  // namespace weft::lance

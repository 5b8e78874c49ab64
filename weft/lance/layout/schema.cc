#include <unordered_map>
#include <unordered_set>

#include "weft/lance/layout/field.h"

namespace weft::lance::layout {
namespace {

using columns::TypeId;
using columns::TypePtr;

Error damaged(std::string_view rule, const SchemaField& field) {
  return Error(ErrorKind::kCorrupt, "a schema is damaged")
      .with("rule", rule)
      .with("field", field.name)
      .with("id", std::to_string(field.id));
}

bool is_list_name(std::string_view logical_type) {
  return logical_type == "list" || logical_type == "list.struct" || logical_type == "large_list" ||
         logical_type == "large_list.struct";
}

// Metadata that changes how a column is stored, in ways not read yet.
std::string_view refused_metadata(const SchemaField& field) {
  for (const auto& [key, value] : field.metadata) {
    if (key == "lance-encoding:packed" || key == "packed") {
      return value == "true" ? "a packed struct" : "";
    }
    if (key == "lance-encoding:blob" && value == "true") {
      return "a blob column";
    }
    if (key == "ARROW:extension:name" && value.starts_with("lance.blob")) {
      return "a blob column";
    }
  }
  return "";
}

Result<columns::Field> field_at(const std::vector<SchemaField>& fields, const SchemaNode& node);

Result<TypePtr> nested_type(const std::vector<SchemaField>& fields, const SchemaNode& node) {
  const SchemaField& field = fields[node.field];
  std::vector<columns::Field> members;
  for (const SchemaNode& child : node.children) {
    WEFT_TRY(columns::Field member, field_at(fields, child));
    members.push_back(std::move(member));
  }
  if (field.logical_type == "struct") {
    if (members.empty()) {
      return Error(ErrorKind::kUnsupported, "a struct without members is not supported")
          .with("field", field.name);
    }
    return columns::struct_of(std::move(members));
  }
  if (members.size() != 1) {
    return damaged("a list or map has exactly one child", field);
  }
  if (field.logical_type == "map") {
    const columns::Type& entries = *members[0].type;
    if (entries.id() != TypeId::kStruct || entries.children().size() != 2) {
      return damaged("the child of a map is a struct of key and value", field);
    }
    return columns::map_of(std::move(members[0]));
  }
  if (!is_list_name(field.logical_type)) {
    return Error(ErrorKind::kUnsupported, "a logical type with children is not supported")
        .with("logical_type", field.logical_type)
        .with("field", field.name);
  }
  return field.logical_type.starts_with("large") ? columns::large_list_of(std::move(members[0]))
                                                 : columns::list_of(std::move(members[0]));
}

Result<columns::Field> field_at(const std::vector<SchemaField>& fields, const SchemaNode& node) {
  const SchemaField& field = fields[node.field];
  columns::Field out;
  out.name = field.name;
  out.nullable = field.nullable;
  out.metadata = field.metadata;
  if (const std::string_view refused = refused_metadata(field); !refused.empty()) {
    return Error(ErrorKind::kUnsupported, std::string(refused) + " is not supported")
        .with("field", field.name);
  }
  const bool is_nested = is_list_name(field.logical_type) || field.logical_type == "struct" ||
                         field.logical_type == "map";
  if (!is_nested && !node.children.empty()) {
    return damaged("a field of this type has no children", field);
  }
  if (is_nested) {
    WEFT_TRY(out.type, nested_type(fields, node));
  } else {
    WEFT_TRY(out.type, leaf_type(field.logical_type));
  }
  return out;
}

Status append_fields(const columns::Field& field, int32_t parent_id, size_t depth, int32_t& next_id,
                     std::vector<SchemaField>& out) {
  if (depth > kSchemaDepthMax || out.size() >= kSchemaFieldsMax) {
    return Error(ErrorKind::kLimit, "a schema is too deep or has too many fields")
        .with("depth_max", kSchemaDepthMax)
        .with("fields_max", kSchemaFieldsMax);
  }
  SchemaField made;
  made.name = field.name;
  made.id = next_id++;
  made.parent_id = parent_id;
  made.nullable = field.nullable;
  made.metadata = field.metadata;
  WEFT_TRY(made.logical_type, logical_type_of(*field.type));
  if (const std::string* extension = field.find_metadata("ARROW:extension:name");
      extension != nullptr && *extension == "lance.json" &&
      field.type->id() == TypeId::kLargeBinary) {
    made.logical_type = "json";
  }
  made.encoding = columns::is_binary_like(field.type->id()) ? 2 : 1;
  const int32_t id = made.id;
  out.push_back(std::move(made));
  if (field.type->id() == TypeId::kFixedSizeList) {
    return ok_status();  // one field, whatever its items
  }
  for (const columns::Field& child : field.type->children()) {
    WEFT_TRY_STATUS(append_fields(child, id, depth + 1, next_id, out));
  }
  return ok_status();
}

// Moves the subtree of `index` into a node. Children were found to come after their parents.
SchemaNode make_node(size_t index, const std::vector<std::vector<size_t>>& children) {
  SchemaNode node;
  node.field = index;
  for (const size_t child : children[index]) {
    node.children.push_back(make_node(child, children));
  }
  return node;
}

}  // namespace

Result<std::vector<SchemaNode>> schema_tree(const std::vector<SchemaField>& fields) {
  if (fields.size() > kSchemaFieldsMax) {
    return Error(ErrorKind::kLimit, "too many fields in a schema")
        .with("fields_max", kSchemaFieldsMax);
  }
  std::unordered_map<int32_t, size_t> position;
  std::vector<std::vector<size_t>> children(fields.size());
  std::vector<size_t> depth(fields.size());
  std::vector<size_t> top;
  for (size_t i = 0; i < fields.size(); ++i) {
    const SchemaField& field = fields[i];
    if (field.parent_id < 0) {
      top.push_back(i);
    } else {
      const auto parent = position.find(field.parent_id);
      if (parent == position.end()) {
        return damaged("a field comes after its parent", field);
      }
      children[parent->second].push_back(i);
      depth[i] = depth[parent->second] + 1;
      if (depth[i] > kSchemaDepthMax) {
        return Error(ErrorKind::kLimit, "a schema is too deep").with("depth_max", kSchemaDepthMax);
      }
    }
    // What lies inside a blob has no id of its own.
    if (field.id >= 0 && !position.emplace(field.id, i).second) {
      return damaged("field ids are unique", field);
    }
  }
  std::vector<SchemaNode> out;
  out.reserve(top.size());
  for (const size_t index : top) {
    out.push_back(make_node(index, children));
  }
  return out;
}

Result<columns::Field> column_field(const std::vector<SchemaField>& fields,
                                    const SchemaNode& node) {
  return field_at(fields, node);
}

Result<columns::Schema> column_schema(const std::vector<SchemaField>& fields) {
  WEFT_TRY(const std::vector<SchemaNode> tree, schema_tree(fields));
  columns::Schema out;
  for (const SchemaNode& node : tree) {
    WEFT_TRY(columns::Field field, field_at(fields, node));
    out.fields.push_back(std::move(field));
  }
  return out;
}

Result<std::vector<SchemaField>> schema_fields(const columns::Schema& schema, int32_t first_id) {
  std::vector<SchemaField> out;
  int32_t next_id = first_id;
  for (const columns::Field& field : schema.fields) {
    WEFT_TRY_STATUS(append_fields(field, -1, 0, next_id, out));
  }
  return out;
}

}  // namespace weft::lance::layout

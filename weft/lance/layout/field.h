// A field of a Lance schema, as it stands in manifests, transactions and data files, and its
// relation to column types. Format: docs/formats/lance.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/columns/type.h"

namespace weft::lance::layout {

// More fields in one schema, or deeper nesting, are kLimit.
inline constexpr size_t kSchemaFieldsMax = 100'000;
inline constexpr size_t kSchemaDepthMax = 64;
// A fixed-size list has at most this many values in all, its nested lists multiplied.
inline constexpr uint64_t kFixedListValuesMax = uint64_t{1} << 24U;

struct SchemaField {
  std::string name;
  int32_t id = 0;
  int32_t parent_id = -1;  // -1: top level
  std::string logical_type;
  bool nullable = true;
  // 1 plain, 2 variable; no reader needs it, every writer writes it.
  uint64_t encoding = 0;
  std::vector<std::pair<std::string, std::string>> metadata;
  bool unenforced_primary_key = false;
  uint64_t unenforced_primary_key_position = 0;
  // Fields of the message that are not understood, byte for byte with their tags.
  std::string unknown;

  friend bool operator==(const SchemaField&, const SchemaField&) = default;
};

Result<SchemaField> parse_schema_field(ByteView message);
std::string serialize_schema_field(const SchemaField& field);

// A node of the schema tree: the field and where its children stand in the flat list.
struct SchemaNode {
  size_t field = 0;  // index into the flat list
  std::vector<SchemaNode> children;
};
// The top-level fields with everything below them. Errors: kCorrupt if a parent is missing or comes
// later, an id occurs twice or children are missing or too many; kLimit.
Result<std::vector<SchemaNode>> schema_tree(const std::vector<SchemaField>& fields);

// The column type of a field. Errors: kUnsupported names a logical type that is not known, and
// packed structs and blobs.
Result<columns::Field> column_field(const std::vector<SchemaField>& fields, const SchemaNode& node);
// All top-level fields.
Result<columns::Schema> column_schema(const std::vector<SchemaField>& fields);

// The fields for a schema in depth-first pre-order, ids from `first_id` on. Errors: kUnsupported.
Result<std::vector<SchemaField>> schema_fields(const columns::Schema& schema, int32_t first_id = 0);

// "int32", "fixed_size_list:float:64", "list.struct": what logical_type holds for a type.
Result<std::string> logical_type_of(const columns::Type& type);
// The type of a logical type without children (also fixed-size lists and dictionaries).
Result<columns::TypePtr> leaf_type(std::string_view logical_type);

}  // namespace weft::lance::layout

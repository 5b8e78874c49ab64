#include "weft/ndjson/table_columns.h"

#include <memory>
#include <utility>

namespace weft::ndjson {
namespace {

using columns::TypeId;
using schema::Scalar;

columns::TypePtr scalar_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::kString:
      return columns::simple_type(TypeId::kString);
    case Scalar::kBlob:
      return columns::simple_type(TypeId::kLargeBinary);
    case Scalar::kBool:
      return columns::simple_type(TypeId::kBool);
    case Scalar::kI32:
      return columns::simple_type(TypeId::kInt32);
    case Scalar::kI64:
      return columns::simple_type(TypeId::kInt64);
    case Scalar::kU32:
      return columns::simple_type(TypeId::kUint32);
    case Scalar::kU64:
      return columns::simple_type(TypeId::kUint64);
    case Scalar::kF32:
      return columns::simple_type(TypeId::kFloat);
    case Scalar::kF64:
      return columns::simple_type(TypeId::kDouble);
    case Scalar::kDate:
      return columns::simple_type(TypeId::kDate32);
    case Scalar::kDateTime:
      break;
  }
  return columns::timestamp(columns::TimeUnit::kMilli, "UTC");
}

void append_properties(columns::Schema& out, const schema::EntityType& type) {
  for (const schema::Property& property : type.properties) {
    out.fields.push_back({property.name, column_type(property.type), property.type.nullable, {}});
  }
}

columns::Field identity(std::string_view name) {
  return {std::string(name), columns::simple_type(TypeId::kString), false, {}};
}

}  // namespace

columns::TypePtr column_type(const schema::PropertyType& type) {
  columns::TypePtr scalar = scalar_type(type.scalar);
  if (type.is_vector()) {
    // Lance knows vectors by nullable items; there is never a null in one.
    return columns::fixed_size_list_of(std::move(scalar), static_cast<int32_t>(type.vector_width));
  }
  return type.is_list ? columns::list_of(std::move(scalar)) : scalar;
}

columns::SchemaPtr node_columns(const schema::NodeType& type) {
  auto out = std::make_shared<columns::Schema>();
  out->fields.push_back(identity("id"));
  append_properties(*out, type);
  return out;
}

columns::SchemaPtr edge_columns(const schema::EdgeType& type) {
  auto out = std::make_shared<columns::Schema>();
  for (const std::string_view name : {"id", "src", "dst"}) {
    out->fields.push_back(identity(name));
  }
  append_properties(*out, type);
  return out;
}

}  // namespace weft::ndjson

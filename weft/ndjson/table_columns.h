// The columns of the tables of a property graph: what a type of a schema is in typed columns.
//
//   nodes  id, then the properties as declared          edges  id, src, dst, then the properties
//
// id, src and dst are strings that are never null. String and enum: string. Bool: bool. I32 … F64:
// int32 … double. Date: date32. DateTime: timestamp[ms, tz=UTC]. Vector(n):
// fixed_size_list<float>[n]. Lists: list. (Items are nullable by their type, and never null.)
// Blob: large_binary.
#pragma once

#include "weft/columns/batch.h"
#include "weft/schema/schema.h"

namespace weft::ndjson {

columns::TypePtr column_type(const schema::PropertyType& type);
columns::SchemaPtr node_columns(const schema::NodeType& type);
columns::SchemaPtr edge_columns(const schema::EdgeType& type);

}  // namespace weft::ndjson

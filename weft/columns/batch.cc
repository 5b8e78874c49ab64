#include "weft/columns/batch.h"

namespace weft::columns {

size_t Schema::index_of(std::string_view name) const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) {
      return i;
    }
  }
  return fields.size();
}

std::string Schema::to_string() const {
  std::string out;
  for (const Field& field : fields) {
    out += (out.empty() ? "" : ", ") + field.name + ": " + field.type->to_string() +
           (field.nullable ? "" : " not null");
  }
  return out;
}

bool operator==(const Schema& left, const Schema& right) {
  return left.fields == right.fields;
}

Result<Batch> Batch::make(SchemaPtr schema, std::vector<ArrayPtr> columns, size_t row_count) {
  if (schema->fields.size() != columns.size()) {
    return Error(ErrorKind::kInvalid, "a batch has another number of columns than its schema")
        .with("columns", columns.size())
        .with("fields", schema->fields.size());
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    const Field& field = schema->fields[i];
    if (columns[i]->length() != row_count) {
      return Error(ErrorKind::kInvalid, "a column has another length than its batch")
          .with("column", field.name)
          .with("length", columns[i]->length())
          .with("rows", row_count);
    }
    if (!(*columns[i]->type() == *field.type)) {
      return Error(ErrorKind::kInvalid, "a column has another type than its field")
          .with("column", field.name)
          .with("type", columns[i]->type()->to_string())
          .with("field_type", field.type->to_string());
    }
  }
  Batch batch;
  batch.schema_ = std::move(schema);
  batch.columns_ = std::move(columns);
  batch.row_count_ = row_count;
  return batch;
}

Batch Batch::slice(size_t from, size_t count) const {
  Batch out;
  out.schema_ = schema_;
  out.row_count_ = count;
  for (const ArrayPtr& column : columns_) {
    out.columns_.push_back(column->slice(from, count));
  }
  return out;
}

bool equal(const Batch& left, const Batch& right) {
  if (left.row_count() != right.row_count() || left.column_count() != right.column_count() ||
      !(*left.schema() == *right.schema())) {
    return false;
  }
  for (size_t i = 0; i < left.column_count(); ++i) {
    if (!equal(*left.column(i), *right.column(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace weft::columns

// Some rows of some columns: what readers hand out and writers take.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/columns/type.h"

namespace weft::columns {

struct Schema {
  std::vector<Field> fields;
  Metadata metadata;

  // Position of the field with this name, or fields.size().
  size_t index_of(std::string_view name) const;
  std::string to_string() const;  // "id: int64 not null, s: string"
};
using SchemaPtr = std::shared_ptr<const Schema>;
// Fields in order; metadata is not compared.
bool operator==(const Schema& left, const Schema& right);

// A value; cheap to copy. A batch without columns has a row count all the same.
class Batch {
 public:
  Batch() = default;
  // Errors: kInvalid if the arrays do not match the schema in number, type or length.
  static Result<Batch> make(SchemaPtr schema, std::vector<ArrayPtr> columns, size_t row_count);

  const SchemaPtr& schema() const { return schema_; }
  size_t row_count() const { return row_count_; }
  size_t column_count() const { return columns_.size(); }
  const ArrayPtr& column(size_t index) const { return columns_[index]; }
  const std::vector<ArrayPtr>& columns() const { return columns_; }

  Batch slice(size_t from, size_t count) const;

 private:
  SchemaPtr schema_;
  std::vector<ArrayPtr> columns_;
  size_t row_count_ = 0;
};
bool equal(const Batch& left, const Batch& right);

}  // namespace weft::columns

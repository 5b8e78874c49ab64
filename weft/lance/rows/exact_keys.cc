#include "weft/lance/rows/exact_keys.h"

#include "weft/codec/varint.h"

namespace weft::lance {

std::optional<std::string> exact_key(const std::vector<columns::ArrayPtr>& key_columns,
                                     size_t row) {
  std::string key;
  for (const columns::ArrayPtr& column : key_columns) {
    if (column->is_null(row)) {
      return std::nullopt;
    }
    std::string value;
    if (columns::is_binary_like(column->id())) {
      value = column->text(row);
    } else if (column->id() == columns::TypeId::kBool) {
      value = column->boolean(row) ? "1" : "0";
    } else if (columns::bit_width(*column->type()) != 0) {
      value = to_text(column->fixed(row));
    } else {
      value = columns::element_text(*column, row);
    }
    codec::append_length_prefixed(key, value);
  }
  return key;
}

Result<std::vector<columns::ArrayPtr>> columns_named(const columns::Batch& batch,
                                                     const std::vector<std::string>& names) {
  std::vector<columns::ArrayPtr> found;
  for (const std::string& name : names) {
    const size_t index = batch.schema()->index_of(name);
    if (index == batch.column_count()) {
      return Error(ErrorKind::kInvalid, "key column is missing").with("column", name);
    }
    found.push_back(batch.column(index));
  }
  if (found.empty()) {
    return Error(ErrorKind::kInvalid, "no key column is named");
  }
  return found;
}

Result<KeyPlaces> keys_of(const std::vector<columns::ArrayPtr>& key_columns, size_t rows) {
  KeyPlaces keys;
  keys.reserve(rows);
  for (size_t row = 0; row < rows; ++row) {
    std::optional<std::string> key = exact_key(key_columns, row);
    if (!key) {
      return Error(ErrorKind::kInvalid, "key is null").with("row", row);
    }
    if (!keys.emplace(std::move(*key), row).second) {
      return Error(ErrorKind::kInvalid, "key occurs twice").with("row", row);
    }
  }
  return keys;
}

}  // namespace weft::lance

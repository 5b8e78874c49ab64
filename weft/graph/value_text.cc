#include "weft/graph/value_text.h"

#include "weft/ndjson/value_reader.h"

namespace weft::graph {
namespace {

using columns::TypeId;

// Each text with its length before it: no two tuples have one joined text.
void append_sized(std::string& out, const std::string& text) {
  out += std::to_string(text.size()) + ":" + text;
}

}  // namespace

std::string value_text(const columns::Array& column, size_t row) {
  switch (column.id()) {
    case TypeId::kString:
      return std::string(column.text(row));
    case TypeId::kBool:
      return column.boolean(row) ? "true" : "false";
    case TypeId::kFloat:
      return ndjson::float_text(column.value<float>(row));
    case TypeId::kDouble:
      return ndjson::float_text(column.value<double>(row));
    case TypeId::kUint64:
      return std::to_string(column.value<uint64_t>(row));
    case TypeId::kList: {
      std::string text = "[";
      const auto [from, to] = column.list_range(row);
      for (size_t item = from; item < to; ++item) {
        append_sized(text, value_text(*column.child(0), item));
      }
      return text + "]";
    }
    case TypeId::kFixedSizeList: {
      const auto size = static_cast<size_t>(column.type()->list_size());
      std::string text = "[";
      for (size_t item = 0; item < size; ++item) {
        append_sized(text,
                     value_text(*column.child(0), (column.parts().offset + row) * size + item));
      }
      return text + "]";
    }
    default:
      return std::to_string(column.integer(row));
  }
}

std::optional<codec::Digest16> tuple_digest(const columns::Batch& batch,
                                            const std::vector<size_t>& columns, size_t row) {
  std::string tuple;
  for (const size_t column : columns) {
    if (batch.column(column)->is_null(row)) {
      return std::nullopt;
    }
    append_sized(tuple, value_text(*batch.column(column), row));
  }
  return codec::blake3_16(as_bytes(tuple));
}

std::string tuple_text(const columns::Batch& batch, const std::vector<size_t>& columns,
                       size_t row) {
  std::string text;
  for (const size_t column : columns) {
    text += (text.empty() ? "" : ", ") + value_text(*batch.column(column), row);
  }
  return cut(text);
}

codec::Digest16 id_digest(std::string_view id) {
  return codec::blake3_16(as_bytes(id));
}

std::string cut(std::string_view text) {
  return ndjson::shown(text);
}

}  // namespace weft::graph

#include "weft/graph/export.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "weft/graph/loaded_table.h"
#include "weft/json/value.h"

namespace weft::graph {
namespace {

using columns::TypeId;

constexpr size_t kOutputBytes = size_t{1} << 18U;
constexpr size_t kRowsAtOnce = 8192;

void append_number(std::string& out, double value) {
  std::array<char, 32> digits{};
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  const std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
  out += text;
  if (text.find_first_of(".eE") == std::string_view::npos) {
    out += ".0";
  }
}

Status append_items(std::string& out, const columns::Array& items, size_t from, size_t to) {
  out += '[';
  for (size_t item = from; item < to; ++item) {
    out += item > from ? "," : "";
    WEFT_TRY_STATUS(append_json_value(out, items, item));
  }
  out += ']';
  return ok_status();
}

// The rows of one table as lines.
class TypeExport {
 public:
  TypeExport(const TypeTable& table, const ExportOptions& options, codec::OutputStream& out,
             const std::stop_token& stop)
      : table_(table), options_(options), out_(out), stop_(stop), lines_(table) {}

  Status run() {
    if (table_.row_count() == 0) {
      return ok_status();
    }
    WEFT_TRY(const bool fits, read_all());
    WEFT_TRY_STATUS(fits ? write_held() : write_by_id());
    return flush(0);
  }

 private:
  // Whether all rows are in memory now; else their ids and addresses are.
  Result<bool> read_all() {
    WEFT_TRY(lance::TableReader* const reader, table_.reader());
    WEFT_TRY(const auto scan, reader->scan());
    uint64_t bytes = 0;
    for (;;) {
      WEFT_TRY(std::optional<lance::TableRows> rows, scan->next(stop_));
      if (!rows.has_value()) {
        return true;
      }
      bytes += batch_bytes(rows->batch);
      if (bytes > options_.memory_bytes_max) {
        batches_.clear();
        return false;
      }
      batches_.push_back(std::move(rows->batch));
    }
  }

  Status write_held() {
    std::vector<std::pair<uint32_t, uint32_t>> order;  // batch, row
    order.reserve(table_.row_count());
    for (uint32_t batch = 0; batch < batches_.size(); ++batch) {
      for (uint32_t row = 0; row < batches_[batch].row_count(); ++row) {
        order.emplace_back(batch, row);
      }
    }
    const auto id = [this](const std::pair<uint32_t, uint32_t>& at) {
      return batches_[at.first].column(0)->text(at.second);
    };
    if (!std::ranges::is_sorted(order, {}, id)) {
      std::ranges::sort(order, {}, id);
    }
    for (const auto& [batch, row] : order) {
      WEFT_TRY_STATUS(write_row(batches_[batch], row));
    }
    batches_.clear();
    return ok_status();
  }

  Status write_by_id() {
    WEFT_TRY(lance::TableReader* const reader, table_.reader());
    WEFT_TRY(const auto scan, reader->scan({std::string(kIdColumn)}));
    std::vector<std::pair<std::string, uint64_t>> order;
    order.reserve(table_.row_count());
    for (;;) {
      WEFT_TRY(const std::optional<lance::TableRows> rows, scan->next(stop_));
      if (!rows.has_value()) {
        break;
      }
      for (size_t row = 0; row < rows->offsets.size(); ++row) {
        order.emplace_back(rows->batch.column(0)->text(row),
                           lance::row_address(rows->fragment_id, rows->offsets[row]));
      }
    }
    std::ranges::sort(order);
    for (size_t from = 0; from < order.size(); from += kRowsAtOnce) {
      std::vector<uint64_t> addresses;
      for (size_t i = from; i < std::min(order.size(), from + kRowsAtOnce); ++i) {
        addresses.push_back(order[i].second);
      }
      WEFT_TRY(const columns::Batch rows, reader->take_addresses({}, addresses, stop_));
      for (size_t row = 0; row < rows.row_count(); ++row) {
        WEFT_TRY_STATUS(write_row(rows, row));
      }
    }
    return ok_status();
  }

  Status write_row(const columns::Batch& rows, size_t row) {
    WEFT_TRY_STATUS(lines_.append(text_, rows, row));
    return flush(kOutputBytes);
  }

  Status flush(size_t bytes_min) {
    if (text_.size() < bytes_min || text_.empty()) {
      return ok_status();
    }
    if (stop_.stop_requested()) {
      return Error(ErrorKind::kCancelled, "export was stopped");
    }
    WEFT_TRY_STATUS(out_.write(as_bytes(text_)));
    text_.clear();
    return ok_status();
  }

  const TypeTable& table_;
  const ExportOptions& options_;
  codec::OutputStream& out_;
  const std::stop_token& stop_;
  const RowLines lines_;
  std::vector<columns::Batch> batches_;
  std::string text_;
};

}  // namespace

RowLines::RowLines(const TypeTable& table) : table_(table) {
  const columns::Schema& schema = *table.columns();
  for (size_t i = table.first_property_column(); i < schema.fields.size(); ++i) {
    by_name_.push_back(i);
  }
  std::ranges::sort(by_name_, {},
                    [&](size_t i) { return std::string_view(schema.fields[i].name); });
}

Status RowLines::append(std::string& out, const columns::Batch& rows, size_t row) const {
  const columns::Schema& schema = *table_.columns();
  if (table_.is_edge()) {
    out += R"({"edge":)";
    json::append_quoted(out, table_.name());
    out += R"(,"from":)";
    json::append_quoted(out, rows.column(1)->text(row));
    out += R"(,"to":)";
    json::append_quoted(out, rows.column(2)->text(row));
  } else {
    out += R"({"type":)";
    json::append_quoted(out, table_.name());
  }
  out += R"(,"data":{"id":)";
  json::append_quoted(out, rows.column(0)->text(row));
  for (const size_t column : by_name_) {
    out += ',';
    json::append_quoted(out, schema.fields[column].name);
    out += ':';
    Status appended = append_json_value(out, *rows.column(column), row);
    if (!appended.ok()) {
      Error error = std::move(appended).error();
      error.add("type", table_.name());
      error.add("property", schema.fields[column].name);
      return error;
    }
  }
  out += "}}\n";
  return ok_status();
}

Status append_json_value(std::string& out, const columns::Array& column, size_t row) {
  if (column.is_null(row)) {
    out += "null";
    return ok_status();
  }
  switch (column.id()) {
    case TypeId::kString:
      json::append_quoted(out, column.text(row));
      return ok_status();
    case TypeId::kBool:
      out += column.boolean(row) ? "true" : "false";
      return ok_status();
    case TypeId::kFloat:
      append_number(out, static_cast<double>(column.value<float>(row)));
      return ok_status();
    case TypeId::kDouble:
      append_number(out, column.value<double>(row));
      return ok_status();
    case TypeId::kUint64:
      out += std::to_string(column.value<uint64_t>(row));
      return ok_status();
    case TypeId::kList: {
      const auto [from, to] = column.list_range(row);
      return append_items(out, *column.child(0), from, to);
    }
    case TypeId::kFixedSizeList: {
      const auto size = static_cast<size_t>(column.type()->list_size());
      const size_t from = (column.parts().offset + row) * size;
      return append_items(out, *column.child(0), from, from + size);
    }
    case TypeId::kLargeBinary:
      return Error(ErrorKind::kUnsupported, "a Blob has no text");
    default:
      out += std::to_string(column.integer(row));
      return ok_status();
  }
}

Status export_graph(const GraphSnapshot& graph, const ExportOptions& options,
                    codec::OutputStream& out, const std::stop_token& stop) {
  for (const std::string& name : options.types) {
    if (graph.find_node(name) == nullptr && graph.find_edge(name) == nullptr) {
      return Error(ErrorKind::kNotFound, "export of a type that the graph does not have")
          .with("type", name);
    }
  }
  for (const auto* const tables : {&graph.edges(), &graph.nodes()}) {
    for (const auto& table : *tables) {
      if (options.types.empty() ||
          std::ranges::find(options.types, table->name()) != options.types.end()) {
        WEFT_TRY_STATUS(TypeExport(*table, options, out, stop).run());
      }
    }
  }
  return ok_status();
}

}  // namespace weft::graph

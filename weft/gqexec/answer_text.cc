#include "weft/gqexec/answer_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "weft/gqexec/run.h"
#include "weft/json/value.h"
#include "weft/schema/moment.h"

namespace weft::gqexec {
namespace {

using columns::Array;
using columns::TypeId;

void append_float(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";  // JSON has no such number; none is ever stored
    return;
  }
  constexpr double kPositionalMin = 1e-5;
  constexpr double kPositionalMax = 1e16;
  const double size = std::abs(value);
  const bool positional = size == 0 || (size >= kPositionalMin && size < kPositionalMax);
  char text[64];
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), value,
                    positional ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view digits(text, static_cast<size_t>(end - text));
  out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) {
    out += ".0";
  }
}

void append_integer(const Array& array, size_t index, std::string& out) {
  if (array.id() == TypeId::kUint64) {
    out += std::to_string(array.value<uint64_t>(index));
  } else if (array.id() == TypeId::kDecimal128) {
    out += columns::element_text(array, index);
  } else {
    out += std::to_string(array.integer(index));
  }
}

void append_items(const Array& array, size_t index, std::string& out) {
  const auto [from, to] = array.list_range(index);
  out += '[';
  for (size_t i = from; i < to; ++i) {
    if (i > from) {
      out += ',';
    }
    append_json_value(*array.child(0), i, out);
  }
  out += ']';
}

// As table, csv and kv show it: strings without quotes.
std::string plain_text(const Array& array, size_t index) {
  if (array.is_valid(index) && columns::is_binary_like(array.id())) {
    return std::string(array.text(index));
  }
  std::string out;
  append_json_value(array, index, out);
  if (out.starts_with('"')) {
    out = out.substr(1, out.size() - 2);  // dates and times
  }
  return out;
}

// On one line: control characters other than tabs as escapes.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20U || c == '\x7f') {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += "\\x";
      out += kDigits[static_cast<unsigned char>(c) >> 4U];
      out += kDigits[static_cast<unsigned char>(c) & 0xFU];
    } else {
      out += c;
    }
  }
  return out;
}

size_t characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string head_line(const Answer& answer, const AnswerOrigin& origin) {
  return std::to_string(answer.row_count) + " rows" +
         (origin.branch.empty() ? "" : " from branch " + origin.branch) +
         (origin.at.empty() ? "" : " at " + origin.at) + " via " + origin.query_name + "\n";
}

std::string table_text(const Answer& answer, const AnswerOrigin& origin) {
  const auto& fields = answer.schema->fields;
  std::vector<std::vector<std::string>> cells(fields.size());
  std::vector<size_t> widths(fields.size());
  for (size_t column = 0; column < fields.size(); ++column) {
    widths[column] = characters(fields[column].name);
    for (const columns::Batch& batch : answer.batches) {
      for (size_t row = 0; row < batch.row_count(); ++row) {
        cells[column].push_back(one_line(plain_text(*batch.column(column), row)));
        widths[column] = std::max(widths[column], characters(cells[column].back()));
      }
    }
  }
  std::string out = head_line(answer, origin);
  const auto line = [&](const auto& text_of) {
    for (size_t column = 0; column < fields.size(); ++column) {
      const std::string_view text = text_of(column);
      out += text;
      if (column + 1 < fields.size()) {
        out.append(widths[column] - characters(text), ' ');
        out += " | ";
      }
    }
    out += '\n';
  };
  line([&](size_t column) { return std::string_view(fields[column].name); });
  for (size_t column = 0; column < fields.size(); ++column) {
    out.append(widths[column], '-');
    out += column + 1 < fields.size() ? "-+-" : "\n";
  }
  for (uint64_t row = 0; row < answer.row_count; ++row) {
    line([&](size_t column) { return std::string_view(cells[column][row]); });
  }
  return out;
}

void append_csv_cell(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    out += c;
    if (c == '"') {
      out += c;
    }
  }
  out += '"';
}

std::string csv_text(const Answer& answer) {
  std::string out;
  const auto& fields = answer.schema->fields;
  for (size_t column = 0; column < fields.size(); ++column) {
    out += column > 0 ? "," : "";
    append_csv_cell(fields[column].name, out);
  }
  out += '\n';
  for (const columns::Batch& batch : answer.batches) {
    for (size_t row = 0; row < batch.row_count(); ++row) {
      for (size_t column = 0; column < fields.size(); ++column) {
        out += column > 0 ? "," : "";
        append_csv_cell(plain_text(*batch.column(column), row), out);
      }
      out += '\n';
    }
  }
  return out;
}

std::string key_value_text(const Answer& answer, const AnswerOrigin& origin) {
  std::string out = head_line(answer, origin);
  if (answer.row_count == 0) {
    return out + "(no rows)\n";
  }
  uint64_t number = 0;
  for (const columns::Batch& batch : answer.batches) {
    for (size_t row = 0; row < batch.row_count(); ++row) {
      out += (number > 0 ? "\nrow " : "row ") + std::to_string(number + 1) + "\n";
      ++number;
      for (size_t column = 0; column < answer.schema->fields.size(); ++column) {
        out += answer.schema->fields[column].name + ": " +
               one_line(plain_text(*batch.column(column), row)) + "\n";
      }
    }
  }
  return out;
}

void append_text_or_null(const std::string& text, std::string& out) {
  if (text.empty()) {
    out += "null";
  } else {
    json::append_quoted(out, text);
  }
}

void append_target(const AnswerOrigin& origin, std::string& out) {
  out += "{\"branch\":";
  append_text_or_null(origin.branch, out);
  out += ",\"snapshot\":";
  append_text_or_null(origin.at, out);
  out += '}';
}

// A row as an object without its braces; a column shown twice stands there once. With `indent`
// every value, and every item of a list, on a line of its own.
void append_row(const Answer& answer, const columns::Batch& batch, size_t row,
                std::string_view indent, std::string& out) {
  const auto& fields = answer.schema->fields;
  bool first = true;
  for (size_t column = 0; column < fields.size(); ++column) {
    if (answer.schema->index_of(fields[column].name) != column) {
      continue;
    }
    out += first ? "" : ",";
    first = false;
    out += indent;
    json::append_quoted(out, fields[column].name);
    out += indent.empty() ? ":" : ": ";
    const Array& array = *batch.column(column);
    const bool is_list = array.id() == TypeId::kList || array.id() == TypeId::kFixedSizeList;
    if (indent.empty() || !is_list || array.is_null(row)) {
      append_json_value(array, row, out);
      continue;
    }
    const auto [from, to] = array.list_range(row);
    out += '[';
    for (size_t i = from; i < to; ++i) {
      out += (i == from ? "" : ",") + std::string(indent) + "  ";
      append_json_value(*array.child(0), i, out);
    }
    out += from == to ? "]" : std::string(indent) + "]";
  }
}

std::string ndjson_text(const Answer& answer, const AnswerOrigin& origin) {
  std::string out = R"({"kind":"metadata","query_name":)";
  json::append_quoted(out, origin.query_name);
  out += ",\"target\":";
  append_target(origin, out);
  out += ",\"row_count\":" + std::to_string(answer.row_count) + "}\n";
  for (const columns::Batch& batch : answer.batches) {
    for (size_t row = 0; row < batch.row_count(); ++row) {
      out += '{';
      append_row(answer, batch, row, "", out);
      out += "}\n";
    }
  }
  return out;
}

std::string json_text(const Answer& answer, const AnswerOrigin& origin) {
  std::string out = "{\n  \"query_name\": ";
  json::append_quoted(out, origin.query_name);
  out += ",\n  \"target\": {\n    \"branch\": ";
  append_text_or_null(origin.branch, out);
  out += ",\n    \"snapshot\": ";
  append_text_or_null(origin.at, out);
  out += "\n  },\n  \"graph_commit_id\": ";
  append_text_or_null(origin.commit, out);
  out += ",\n  \"row_count\": " + std::to_string(answer.row_count) + ",\n  \"columns\": [";
  const auto& fields = answer.schema->fields;
  for (size_t column = 0; column < fields.size(); ++column) {
    out += column > 0 ? ",\n    " : "\n    ";
    json::append_quoted(out, fields[column].name);
  }
  out += "\n  ],\n  \"rows\": [";
  bool first = true;
  for (const columns::Batch& batch : answer.batches) {
    for (size_t row = 0; row < batch.row_count(); ++row) {
      out += first ? "\n    {" : ",\n    {";
      first = false;
      append_row(answer, batch, row, "\n      ", out);
      out += "\n    }";
    }
  }
  out += first ? "]\n}\n" : "\n  ]\n}\n";
  return out;
}

}  // namespace

std::optional<AnswerFormat> answer_format_by_name(std::string_view name) {
  if (name == "table") {
    return AnswerFormat::kTable;
  }
  if (name == "json") {
    return AnswerFormat::kJson;
  }
  if (name == "ndjson" || name == "jsonl") {
    return AnswerFormat::kNdjson;
  }
  if (name == "csv") {
    return AnswerFormat::kCsv;
  }
  if (name == "kv") {
    return AnswerFormat::kKeyValue;
  }
  return std::nullopt;
}

void append_json_value(const Array& array, size_t index, std::string& out) {
  if (array.is_null(index)) {
    out += "null";
    return;
  }
  switch (array.id()) {
    case TypeId::kBool:
      out += array.boolean(index) ? "true" : "false";
      return;
    case TypeId::kFloat:
      append_float(static_cast<double>(array.value<float>(index)), out);
      return;
    case TypeId::kDouble:
      append_float(array.value<double>(index), out);
      return;
    case TypeId::kString:
    case TypeId::kLargeString:
      json::append_quoted(out, array.text(index));
      return;
    case TypeId::kDate32:
      json::append_quoted(out, schema::date_text(array.value<int32_t>(index)));
      return;
    case TypeId::kTimestamp:
      json::append_quoted(out, schema::date_time_text(array.value<int64_t>(index)));
      return;
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kFixedSizeList:
      append_items(array, index, out);
      return;
    default:
      append_integer(array, index, out);
  }
}

std::string answer_text(const Answer& answer, const AnswerOrigin& origin, AnswerFormat format) {
  switch (format) {
    case AnswerFormat::kTable:
      return table_text(answer, origin);
    case AnswerFormat::kJson:
      return json_text(answer, origin);
    case AnswerFormat::kNdjson:
      return ndjson_text(answer, origin);
    case AnswerFormat::kCsv:
      return csv_text(answer);
    case AnswerFormat::kKeyValue:
      return key_value_text(answer, origin);
  }
  return {};
}

}  // namespace weft::gqexec

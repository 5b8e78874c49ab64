// An answer as text.
//
//   table   "N rows from branch B via Q", then columns side by side
//   json    one object: query_name, target, graph_commit_id, row_count, columns, rows
//   ndjson  a line of metadata, then a line for each row ("jsonl" is another name)
//   csv     RFC 4180 with line feeds; null is null
//   kv      as table, each value on a line of its own
//
// Integers are exact, of any size; floats have a point or an exponent and read back as they are
// (F32 as the F64 of the same value); dates and times are ISO 8601 in UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/columns/batch.h"

namespace weft::gqexec {

struct Answer;

enum class AnswerFormat : uint8_t { kTable, kJson, kNdjson, kCsv, kKeyValue };
std::optional<AnswerFormat> answer_format_by_name(std::string_view name);

// Where an answer comes from.
struct AnswerOrigin {
  std::string query_name = {};
  std::string branch = "main";  // empty: the commit alone was named
  std::string at = {};          // the commit or time asked for; empty: none
  std::string commit = {};      // the commit that was read; empty: none
};

std::string answer_text(const Answer& answer, const AnswerOrigin& origin, AnswerFormat format);

// One value as JSON.
void append_json_value(const columns::Array& array, size_t index, std::string& out);

}  // namespace weft::gqexec

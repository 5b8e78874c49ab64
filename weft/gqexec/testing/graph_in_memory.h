// Graphs in memory from a schema and lines of a load, and answers to queries as text, for tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/gq/check.h"
#include "weft/gqexec/answer_text.h"
#include "weft/gqexec/memory_tables.h"
#include "weft/gqexec/run.h"
#include "weft/ndjson/load_reader.h"

namespace weft::gqexec::testing {

inline constexpr base::WallTime kNow = {1'750'000'000'000'000};

// Null if the lines are no load of the schema.
inline std::unique_ptr<MemoryTables> make_graph(const schema::Schema& schema,
                                                const std::string& lines) {
  base::Random random(1);
  ndjson::LoadReader reader(schema, {}, random);
  if (!reader.feed(lines, {}).ok() || !reader.finish({}).ok()) {
    return nullptr;
  }
  auto tables = std::make_unique<MemoryTables>(schema);
  for (ndjson::TypedBatch& batch : reader.take_batches()) {
    const Status added = tables->add(batch.type, batch.is_edge, std::move(batch.rows));
    EXPECT_TRUE(added.ok());
  }
  return tables;
}

struct Asked {
  std::string query_name;
  Answer answer;
};

// The query of this name ("": the only one).
inline Result<Asked> ask(GraphData& graph, const std::string& text,
                         const std::string& parameters = "", const std::string& name = "",
                         const std::stop_token& stop = {}) {
  WEFT_TRY(std::vector<gq::Query> queries, gq::parse_file(text));
  WEFT_TRY(gq::Query query, gq::select_query(std::move(queries), name));
  WEFT_TRY_STATUS(gq::require_read(query));
  WEFT_TRY(const gq::CheckedQuery checked, gq::check_query(std::move(query), graph.schema()));
  WEFT_TRY(const ParameterValues values, read_parameters(checked.query, parameters));
  WEFT_TRY(const Plan plan, make_plan(checked, graph, values, kNow));
  WEFT_TRY(Answer answer, run_to_answer(plan, graph, {.stop = stop}));
  return Asked{checked.query.name.text, std::move(answer)};
}

// Rows as JSON arrays, in their order.
inline std::vector<std::string> rows_of(const Answer& answer) {
  std::vector<std::string> rows;
  for (const columns::Batch& batch : answer.batches) {
    for (size_t row = 0; row < batch.row_count(); ++row) {
      std::string text = "[";
      for (size_t column = 0; column < batch.column_count(); ++column) {
        text += column > 0 ? "," : "";
        append_json_value(*batch.column(column), row, text);
      }
      rows.push_back(text + "]");
    }
  }
  return rows;
}

// `match { … } return { … }` with rows on one line, or the error.
inline std::string answer_line(GraphData& graph, const std::string& body,
                               const std::string& declared = "",
                               const std::string& parameters = "") {
  const auto asked = ask(graph, "query q(" + declared + ") { " + body + " }", parameters);
  if (!asked.ok()) {
    return asked.error().to_string();
  }
  std::string line;
  for (const std::string& row : rows_of(asked->answer)) {
    line += (line.empty() ? "" : " ") + row;
  }
  return line;
}

}  // namespace weft::gqexec::testing

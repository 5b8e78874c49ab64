#include "cli/graph_query.h"

#include "cli/text_file.h"

#include "weft/gqexec/answer_text.h"
#include "weft/gqexec/run.h"
#include "weft/gqexec/snapshot_tables.h"
#include "weft/schema/scanner.h"

namespace weft::cli {
namespace {

constexpr uint64_t kParametersBytesMax = uint64_t{64} << 20U;

Result<gqexec::AnswerFormat> format_of(const GraphQueryArguments& arguments, bool json) {
  if (arguments.format.empty()) {
    return json ? gqexec::AnswerFormat::kJson : gqexec::AnswerFormat::kTable;
  }
  const auto format = gqexec::answer_format_by_name(arguments.format);
  if (!format.has_value()) {
    return Error(ErrorKind::kInvalid,
                 "unknown result format; take table, json, ndjson, csv or kv (possible values)")
        .with("--format", arguments.format);
  }
  return *format;
}

Result<gq::Query> read_query(const GraphQueryArguments& arguments) {
  if (arguments.text.empty() == arguments.path.empty()) {
    return Error(ErrorKind::kInvalid, "give queries with --query FILE or -e TEXT, one of the two");
  }
  std::string text = arguments.text;
  if (!arguments.path.empty()) {
    WEFT_TRY(text, read_text_file(arguments.path, schema::kTextBytesMax));
  }
  WEFT_TRY(std::vector<gq::Query> queries, gq::parse_file(text));
  WEFT_TRY(gq::Query query, gq::select_query(std::move(queries), arguments.name));
  WEFT_TRY_STATUS(gq::require_read(query));
  return query;
}

Result<gqexec::ParameterValues> read_values(const GraphQueryArguments& arguments,
                                            const gq::Query& query, Session& session) {
  std::string text = arguments.params;
  if (!arguments.params_path.empty()) {
    if (!text.empty()) {
      return Error(ErrorKind::kInvalid, "give --params or --params-file, one of the two");
    }
    WEFT_TRY(text, read_text_file(arguments.params_path, kParametersBytesMax));
  }
  WEFT_TRY(gqexec::ParameterValues values, gqexec::read_parameters(query, text));
  for (const std::string& name : values.unknown) {
    session.note("note: query " + query.name.text + " has no parameter " + name +
                 ", which is ignored");
  }
  return values;
}

}  // namespace

Status run_graph_query(const GraphQueryArguments& arguments, Session& session) {
  WEFT_TRY(const gqexec::AnswerFormat format, format_of(arguments, session.options().json));
  WEFT_TRY(gq::Query query, read_query(arguments));
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto snapshot, target->snapshot(arguments.target));
  WEFT_TRY(const gq::CheckedQuery checked, gq::check_query(std::move(query), snapshot->schema()));
  WEFT_TRY(const gqexec::ParameterValues values, read_values(arguments, checked.query, session));
  base::MemoryBudget budget("--memory", session.memory_bytes());
  gqexec::SnapshotTables tables(snapshot);
  gqexec::GraphData graph(tables, budget);
  WEFT_TRY(const gqexec::Plan plan,
           gqexec::make_plan(checked, graph, values, session.clock().now()));
  if (arguments.explain && !arguments.analyze) {
    session.print(gqexec::explain(plan));
    return ok_status();
  }
  const gqexec::RunOptions options{
      .stop = session.stop(), .clock = &session.clock(), .timeout_ms = arguments.timeout_ms};
  WEFT_TRY(const gqexec::Answer answer, gqexec::run_to_answer(plan, graph, options));
  if (arguments.analyze) {
    session.print(gqexec::explain(plan, &answer.statistics));
    return ok_status();
  }
  // A commit is found on any branch.
  const bool is_commit = base::Ulid::parse(arguments.target.at).ok();
  const gqexec::AnswerOrigin origin{.query_name = checked.query.name.text,
                                    .branch = is_commit ? "" : arguments.target.branch,
                                    .at = arguments.target.at,
                                    .commit = snapshot->commit().id.text()};
  session.print(gqexec::answer_text(answer, origin, format));
  return ok_status();
}

}  // namespace weft::cli

#include "cli/query_run.h"

#include <cmath>
#include <utility>

#include "cli/environment.h"
#include "cli/text_file.h"
#include <unistd.h>

#include "weft/rdfio/write.h"
#include "weft/sparql/parser.h"

namespace weft::cli {
namespace {

constexpr double kTimeoutMaxSeconds = 1e9;

Status write_answer(const QueryArguments& arguments, exec::PreparedQuery& query, Session& session) {
  rdfio::DescriptorOutput output(STDOUT_FILENO);
  switch (query.form()) {
    case sparql::QueryForm::kSelect: {
      WEFT_TRY(const auto format, solution_format(arguments, session));
      const auto writer = results::make_result_writer(format, output);
      WEFT_TRY(const auto solutions, query.select());
      const Result<uint64_t> rows = results::write_solutions(*solutions, *writer);
      return rows.ok() ? ok_status() : Status(rows.error());
    }
    case sparql::QueryForm::kAsk: {
      WEFT_TRY(const auto format, solution_format(arguments, session));
      WEFT_TRY(const bool answer, query.ask());
      return results::make_result_writer(format, output)->boolean(answer);
    }
    case sparql::QueryForm::kConstruct:
    case sparql::QueryForm::kDescribe: {
      WEFT_TRY(const rdfio::Format format, graph_format(arguments));
      const auto writer = rdfio::make_quad_writer(format, output);
      WEFT_TRY_STATUS(query.construct(*writer));
      return writer->finish();
    }
  }
  std::unreachable();
}

// To the end, without the answer.
Status run_unseen(exec::PreparedQuery& query) {
  class Nowhere final : public rdf::QuadSink {
    Status accept(std::span<const rdf::QuadView> /*quads*/) override { return ok_status(); }
  };
  switch (query.form()) {
    case sparql::QueryForm::kSelect: {
      WEFT_TRY(const auto solutions, query.select());
      exec::RowBatch batch;
      do {
        WEFT_TRY_STATUS(solutions->next(batch));
      } while (!batch.empty());
      return ok_status();
    }
    case sparql::QueryForm::kAsk: {
      const Result<bool> answer = query.ask();
      return answer.ok() ? ok_status() : Status(answer.error());
    }
    case sparql::QueryForm::kConstruct:
    case sparql::QueryForm::kDescribe: {
      Nowhere nowhere;
      return query.construct(nowhere);
    }
  }
  std::unreachable();
}

}  // namespace

void add_query_options(CLI::App& command, QueryArguments& arguments) {
  command.add_option("--query-file", arguments.text_path,
                     "The query in a file; - is standard input");
  command.add_option(
      "--format", arguments.format,
      "table, json, xml, csv, tsv; of graphs nt, ttl, nq, trig, rdfxml; of queries over "
      "property graphs table, json, ndjson, csv, kv");
  command.add_option("--base", arguments.base_iri, "Base of relative IRIs in the query");
  command.add_option("--timeout", arguments.timeout_seconds, "Give up after so many seconds")
      ->check(CLI::Range(0.0, kTimeoutMaxSeconds));
  command.add_option("--entail", arguments.entail,
                     "Count what follows as well: rdfs, rdf or simple");
  command.add_flag("--analyze", arguments.analyze,
                   "Run the query and print the plan with the rows and the time of each step");
  command.add_flag("--explain", arguments.explain, "Print the plan instead of answers");
}

Result<sparql::Query> read_query(const QueryArguments& arguments) {
  if (arguments.text.empty() == arguments.text_path.empty()) {
    return Error(ErrorKind::kInvalid,
                 "give the query as text or with --query-file, one of the two");
  }
  std::string text = arguments.text;
  if (!arguments.text_path.empty()) {
    WEFT_TRY(text, read_text_file(arguments.text_path, sparql::kQueryBytesMax));
  }
  sparql::ParseOptions parse;
  parse.base_iri = arguments.base_iri;
  return sparql::parse_query(text, parse);
}

Result<results::ResultFormat> solution_format(const QueryArguments& arguments,
                                              const Session& session) {
  if (arguments.format.empty()) {
    return session.options().json ? results::ResultFormat::kJson : results::ResultFormat::kTable;
  }
  const std::optional<results::ResultFormat> format =
      results::result_format_by_name(arguments.format);
  if (!format) {
    return Error(ErrorKind::kInvalid,
                 "unknown result format for SELECT and ASK; take table, json, xml, csv or tsv")
        .with("--format", arguments.format);
  }
  return *format;
}

Result<rdfio::Format> graph_format(const QueryArguments& arguments) {
  if (arguments.format.empty()) {
    return rdfio::Format::kNTriples;
  }
  const std::optional<rdfio::Format> format = rdfio::format_by_name(arguments.format);
  if (!format) {
    return Error(
               ErrorKind::kInvalid,
               "unknown result format for CONSTRUCT and DESCRIBE; take nt, ttl, nq, trig or rdfxml")
        .with("--format", arguments.format);
  }
  return *format;
}

uint64_t timeout_ms(const QueryArguments& arguments) {
  return static_cast<uint64_t>(std::ceil(arguments.timeout_seconds * 1000));
}

QueryFrame::QueryFrame(const QueryArguments& arguments, engine::Environment& environment,
                       Session& session)
    : random_(base::Random::from_system()),
      services_(make_service_client(environment, arguments.timeout_seconds)) {
  options_.budget = &environment.query_budget();
  options_.executor = &session.executor();
  options_.clock = &session.clock();
  options_.random = &random_;
  options_.services = services_.get();
  options_.stop = session.stop();
  options_.timeout_ms = timeout_ms(arguments);
  options_.measure_time = arguments.analyze;
}

Result<std::unique_ptr<EntailedQuery>> EntailedQuery::prepare(const QueryArguments& arguments,
                                                              sparql::Query query,
                                                              exec::QuadSource& source,
                                                              const exec::QueryOptions& options) {
  std::unique_ptr<EntailedQuery> prepared(new EntailedQuery());
  exec::QuadSource* asked = &source;
  if (!arguments.entail.empty()) {
    WEFT_TRY(const entail::Regime regime, entail::regime_by_name(arguments.entail));
    if (regime != entail::Regime::kSimple) {
      WEFT_TRY(prepared->entailed_,
               entail::EntailedSource::create(
                   regime, source, options.budget,
                   exec::Interrupt(options.stop, options.clock, options.timeout_ms)));
      asked = prepared->entailed_.get();
    }
  }
  WEFT_TRY(prepared->query_, exec::prepare(std::move(query), *asked, options));
  return prepared;
}

Result<bool> print_plan(const QueryArguments& arguments, exec::PreparedQuery& query,
                        Session& session) {
  if (arguments.analyze) {
    WEFT_TRY_STATUS(run_unseen(query));
  }
  if (!arguments.explain && !arguments.analyze) {
    return false;
  }
  session.print(query.explain());
  return true;
}

Status answer_query(const QueryArguments& arguments, sparql::Query query, exec::QuadSource& source,
                    engine::Environment& environment, Session& session) {
  const QueryFrame frame(arguments, environment, session);
  WEFT_TRY(const auto prepared,
           EntailedQuery::prepare(arguments, std::move(query), source, frame.options()));
  WEFT_TRY(const bool printed, print_plan(arguments, prepared->query(), session));
  return printed ? ok_status() : write_answer(arguments, prepared->query(), session);
}

}  // namespace weft::cli

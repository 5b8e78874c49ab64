// weft query, weft manifest query.

#include "weft/exec/query.h"

#include <cmath>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/text_file.h"
#include <unistd.h>

#include "weft/engine/graph.h"
#include "weft/rdfio/write.h"
#include "weft/results/result_writer.h"
#include "weft/sparql/parser.h"

namespace weft::cli {
namespace {

constexpr double kTimeoutMaxSeconds = 1e9;

struct QueryArguments {
  std::string target;
  std::string text;
  std::string text_path;
  std::string format;
  std::string base_iri;
  double timeout_seconds = 0;
  bool explain = false;
  bool analyze = false;
  std::string entail;
};

Result<results::ResultFormat> solution_format(const QueryArguments& arguments, bool json) {
  if (arguments.format.empty()) {
    return json ? results::ResultFormat::kJson : results::ResultFormat::kTable;
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

Status write_answer(const QueryArguments& arguments, exec::PreparedQuery& query, Session& session) {
  rdfio::DescriptorOutput output(STDOUT_FILENO);
  switch (query.form()) {
    case sparql::QueryForm::kSelect: {
      WEFT_TRY(const auto format, solution_format(arguments, session.options().json));
      const auto writer = results::make_result_writer(format, output);
      WEFT_TRY(const auto solutions, query.select());
      const Result<uint64_t> rows = results::write_solutions(*solutions, *writer);
      return rows.ok() ? ok_status() : Status(rows.error());
    }
    case sparql::QueryForm::kAsk: {
      WEFT_TRY(const auto format, solution_format(arguments, session.options().json));
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

Status run_query(const QueryArguments& arguments, Session& session) {
  if (!arguments.entail.empty()) {
    return Error(ErrorKind::kUnsupported,
                 "this version answers what the graph says, without entailment; add the entailed "
                 "triples to it")
        .with("--entail", arguments.entail);
  }
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
  WEFT_TRY(sparql::Query query, sparql::parse_query(text, parse));
  const auto environment = make_environment(session);
  WEFT_TRY(const auto graph, engine::Graph::open(*environment, arguments.target));
  base::Random random = base::Random::from_system();
  exec::QueryOptions options;
  options.budget = &environment->query_budget();
  options.executor = &session.executor();
  options.clock = &session.clock();
  options.random = &random;
  const auto services = make_service_client(*environment, arguments.timeout_seconds);
  options.services = services.get();
  options.stop = session.stop();
  options.timeout_ms = static_cast<uint64_t>(std::ceil(arguments.timeout_seconds * 1000));
  options.measure_time = arguments.analyze;
  WEFT_TRY(const auto prepared, exec::prepare(std::move(query), graph->source(), options));
  if (arguments.analyze) {
    WEFT_TRY_STATUS(run_unseen(*prepared));
  }
  if (arguments.explain || arguments.analyze) {
    session.print(prepared->explain());
    return ok_status();
  }
  return write_answer(arguments, *prepared, session);
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "query",
      "Answer a SPARQL query over a segment or a manifest\n\n"
      "Example: weft query base.rete \"SELECT * WHERE { ?s ?p ?o } LIMIT 10\"\n"
      "         weft query my.rete-manifest.json --query-file q.rq --format csv");
  const auto arguments = std::make_shared<QueryArguments>();
  command->add_option("target", arguments->target, "A .rete file, a manifest, or a URL of either")
      ->required();
  command->add_option("query", arguments->text, "The query");
  command->add_option("--query-file", arguments->text_path,
                      "The query in a file; - is standard input");
  command->add_option("--format", arguments->format,
                      "table, json, xml, csv, tsv; of graphs nt, ttl, nq, trig, rdfxml");
  command->add_option("--base", arguments->base_iri, "Base of relative IRIs in the query");
  command->add_option("--timeout", arguments->timeout_seconds, "Give up after so many seconds")
      ->check(CLI::Range(0.0, kTimeoutMaxSeconds));
  command->add_option("--entail", arguments->entail, "Refused: entailment is not supported");
  command->add_flag("--analyze", arguments->analyze,
                    "Run the query and print the plan with the rows and the time of each step");
  command->add_flag("--explain", arguments->explain, "Print the plan instead of answers");
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return run_query(*arguments, s); };
  });
}

}  // namespace weft::cli

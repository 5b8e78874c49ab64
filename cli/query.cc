// weft query, weft manifest query.

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/query_run.h"

#include "weft/engine/graph.h"

namespace weft::cli {
namespace {

struct OneTarget {
  std::string target;
  QueryArguments query;
};

Status run_query(const OneTarget& arguments, Session& session) {
  WEFT_TRY(sparql::Query query, read_query(arguments.query));
  const auto environment = make_environment(session);
  WEFT_TRY(const auto graph, engine::Graph::open(*environment, arguments.target));
  return answer_query(arguments.query, std::move(query), graph->source(), *environment, session);
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "query",
      "Answer a SPARQL query over a segment or a manifest\n\n"
      "Example: weft query base.rete \"SELECT * WHERE { ?s ?p ?o } LIMIT 10\"\n"
      "         weft query my.rete-manifest.json --query-file q.rq --format csv");
  const auto arguments = std::make_shared<OneTarget>();
  command->add_option("target", arguments->target, "A .rete file, a manifest, or a URL of either")
      ->required();
  command->add_option("query", arguments->query.text, "The query");
  add_query_options(*command, arguments->query);
  command->alias("sparql");
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return run_query(*arguments, s); };
  });
}

}  // namespace weft::cli

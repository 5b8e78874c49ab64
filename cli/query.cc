// weft query: SPARQL over a segment or a manifest, or `.gq` over a property graph.

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/graph_query.h"
#include "cli/query_run.h"

#include "weft/engine/graph.h"

namespace weft::cli {
namespace {

struct OneTarget {
  std::string target;
  QueryArguments query;
  GraphQueryArguments graph;

  // The options of property graphs say that the target is one.
  bool is_graph_query() const {
    return !graph.target.store.empty() || !graph.path.empty() || !graph.text.empty();
  }
};

Status run_query(const OneTarget& arguments, Session& session) {
  if (arguments.target.empty()) {
    return Error(ErrorKind::kInvalid,
                 "name a .rete file or a manifest, or a property graph with --store");
  }
  WEFT_TRY(sparql::Query query, read_query(arguments.query));
  const auto environment = make_environment(session);
  WEFT_TRY(const auto graph, engine::Graph::open(*environment, arguments.target));
  return answer_query(arguments.query, std::move(query), graph->source(), *environment, session);
}

// What only SPARQL has would change the answer if it were passed over.
Status refuse_sparql_options(const QueryArguments& query) {
  const std::pair<std::string_view, bool> given[] = {
      {"the text of a SPARQL query", !query.text.empty()},
      {"--query-file", !query.text_path.empty()},
      {"--base", !query.base_iri.empty()},
      {"--entail", !query.entail.empty()}};
  for (const auto& [option, is_given] : given) {
    if (is_given) {
      return Error(ErrorKind::kInvalid, "a query over a property graph does not take this")
          .with("option", option);
    }
  }
  return ok_status();
}

Status run_graph(const OneTarget& arguments, Session& session) {
  WEFT_TRY_STATUS(refuse_sparql_options(arguments.query));
  GraphQueryArguments graph = arguments.graph;
  graph.name = arguments.target;
  graph.format = arguments.query.format;
  graph.explain = arguments.query.explain;
  graph.analyze = arguments.query.analyze;
  graph.timeout_ms = timeout_ms(arguments.query);
  return run_graph_query(graph, session);
}

void add_graph_query_options(CLI::App& command, GraphQueryArguments& arguments) {
  command.add_option("--store", arguments.target.store, "The property graph");
  command.add_option("--branch", arguments.target.branch, "Its branch (default: main)");
  add_time_options(command, arguments.target);
  command.add_option("--query", arguments.path, "File of queries (.gq); - is standard input");
  command.add_option("-e", arguments.text, "The text of a query (.gq)");
  command.add_option("--params", arguments.params, "Values of parameters, a JSON object");
  command.add_option("--params-file", arguments.params_path, "The same in a file");
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "query",
      "Answer a SPARQL query over a segment or a manifest, or a query over a property graph\n\n"
      "Example: weft query base.rete \"SELECT * WHERE { ?s ?p ?o } LIMIT 10\"\n"
      "         weft query my.rete-manifest.json --query-file q.rq --format csv\n"
      "         weft query find_people --query people.gq --params '{\"title\":\"Engineer\"}' "
      "--store graph.weft\n"
      "         weft query -e 'query q() { match { $p: Person } return { $p.name } }' "
      "--store graph.weft");
  const auto arguments = std::make_shared<OneTarget>();
  command->add_option("target", arguments->target,
                      "A .rete file, a manifest, or a URL of either; with --store, the name of a "
                      "query in --query or -e (none: the only one)");
  command->add_option("query", arguments->query.text, "The query (SPARQL)");
  add_query_options(*command, arguments->query);
  add_graph_query_options(*command, arguments->graph);
  command->alias("sparql");
  command->callback([arguments, &action] {
    action = [arguments](Session& s) {
      return arguments->is_graph_query() ? run_graph(*arguments, s) : run_query(*arguments, s);
    };
  });
}

}  // namespace weft::cli

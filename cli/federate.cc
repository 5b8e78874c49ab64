// weft federate.

#include <utility>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/federate_apart.h"
#include "cli/query_run.h"

#include "weft/engine/federation.h"

namespace weft::cli {
namespace {

struct FederateArguments {
  std::vector<std::string> targets;
  bool per_source = false;
  QueryArguments query;
};

Status run_federate(FederateArguments arguments, Session& session) {
  if (arguments.query.text_path == "-" && arguments.per_source) {
    return Error(ErrorKind::kInvalid,
                 "with --per-source the query is read once per source: not from standard input")
        .with("--query-file", "-");
  }
  WEFT_TRY(sparql::Query query, read_query(arguments.query));
  const auto environment = make_environment(session);
  if (arguments.per_source) {
    return federate_apart(arguments.query, arguments.targets, *environment, session);
  }
  WEFT_TRY(const auto federation,
           engine::Federation::open(
               *environment, arguments.targets,
               exec::Interrupt(session.stop(), &session.clock(), timeout_ms(arguments.query))));
  return answer_query(arguments.query, std::move(query), federation->source(), *environment,
                      session);
}

}  // namespace

void add_federate(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("federate",
                         "Answer a SPARQL query over several graphs as if they were one\n\n"
                         "Example: weft federate people.rete my.rete-manifest.json "
                         "https://example.org/places.rete \\\n"
                         "           --query \"SELECT ?n WHERE { ?p <http://ex/lives> ?c . ?c "
                         "<http://ex/name> ?n }\"");
  const auto arguments = std::make_shared<FederateArguments>();
  command
      ->add_option("source", arguments->targets,
                   "Segments, manifests, URLs of either, and files of RDF text")
      ->required();
  command->add_option("--query", arguments->query.text, "The query");
  add_query_options(*command, arguments->query);
  command->add_flag("--per-source", arguments->per_source,
                    "Run the query on each source by itself and put the answers together");
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return run_federate(*arguments, s); };
  });
}

}  // namespace weft::cli

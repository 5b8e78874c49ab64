// weft mutate: inserts, updates and deletes rows of a property graph.

#include "cli/commands.h"
#include "cli/commit_json.h"
#include "cli/graph_target.h"
#include "cli/text_file.h"
#include <fmt/format.h>

#include "weft/gqexec/mutation.h"
#include "weft/schema/scanner.h"

namespace weft::cli {
namespace {

constexpr uint64_t kParametersBytesMax = uint64_t{64} << 20U;

struct MutateArguments {
  GraphArguments target;
  ChangeArguments change;
  std::string name;
  std::string text;
  std::string path;
  std::string params;
  std::string params_path;
  std::string idempotency_key;
  bool dry_run = false;
};

std::string mutation_json(const MutateArguments& arguments, const std::string& actor,
                          const gqexec::MutationResult& result) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("query_name", result.name)
      .field("branch", arguments.target.branch)
      .field("affected_nodes", result.nodes)
      .field("affected_edges", result.edges)
      .field("actor_id", actor)
      .field("dry_run", arguments.dry_run)
      .key("commit");
  if (!result.receipt.has_value()) {
    return json.null().end_object().text() + "\n";
  }
  append_commit(json, result.receipt->commit, arguments.target.branch);
  json.field("operation_id", result.receipt->commit.operation.text())
      .field("repeated", result.receipt->is_repeated);
  return json.end_object().text() + "\n";
}

std::string mutation_text(const gqexec::MutationResult& result, bool dry_run) {
  const std::string counts = fmt::format("{} nodes and {} edges", result.nodes, result.edges);
  if (result.receipt.has_value() && result.receipt->is_repeated) {
    return fmt::format("had done {} in commit {}\n", result.name, result.receipt->commit.id.text());
  }
  if (result.receipt.has_value()) {
    return fmt::format("{}: {} in commit {}\n", result.name, counts,
                       result.receipt->commit.id.text());
  }
  return result.nodes + result.edges == 0
             ? fmt::format("{}: nothing matched, no commit\n", result.name)
             : fmt::format("{}: {}{}\n", result.name, counts,
                           dry_run ? "; nothing was written" : "");
}

Status mutate(const MutateArguments& arguments, Session& session) {
  if (arguments.text.empty() == arguments.path.empty()) {
    return Error(ErrorKind::kInvalid,
                 "give mutations with --query FILE or -e TEXT, one of the two");
  }
  if (!arguments.params.empty() && !arguments.params_path.empty()) {
    return Error(ErrorKind::kInvalid, "give --params or --params-file, one of the two");
  }
  std::string text = arguments.text;
  if (!arguments.path.empty()) {
    WEFT_TRY(text, read_text_file(arguments.path, schema::kTextBytesMax));
  }
  std::string params = arguments.params;
  if (!arguments.params_path.empty()) {
    WEFT_TRY(params, read_text_file(arguments.params_path, kParametersBytesMax));
  }
  gqexec::MutationRequest request{.text = text, .name = arguments.name, .parameters = params};
  request.branch = arguments.target.branch;
  request.message = arguments.change.message;
  request.idempotency_key = arguments.idempotency_key;
  request.dry_run = arguments.dry_run;
  WEFT_TRY_STATUS(read_condition(arguments.change, request.operation, request.expected_head));
  WEFT_TRY(const std::string actor, actor_of(arguments.change));
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  const graph::AllowEverything policy;
  WEFT_TRY(const gqexec::MutationResult result,
           gqexec::mutate(target->place(), {actor, policy}, request, session.stop()));
  for (const std::string& name : result.unknown_parameters) {
    session.note("note: mutation " + result.name + " has no parameter " + name +
                 ", which is ignored");
  }
  session.print(session.options().json ? mutation_json(arguments, actor, result)
                                       : mutation_text(result, arguments.dry_run));
  return ok_status();
}

}  // namespace

void add_mutate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "mutate",
      "Insert, update or delete rows of a property graph, in one commit\n\n"
      "Example: weft mutate --store graph.weft -e 'query add($n: String) { insert Person { name: "
      "$n } }' --params '{\"n\":\"Mina\"}' --as ana -m \"new hire\"\n"
      "         weft mutate retire --query people.gq --params '{\"n\":\"Mina\"}' --store "
      "graph.weft");
  const auto arguments = std::make_shared<MutateArguments>();
  command->add_option("name", arguments->name,
                      "The name of a mutation in --query or -e (none: the only one)");
  command->add_option("--store", arguments->target.store, "The graph's folder")->required();
  command->add_option("--branch", arguments->target.branch, "The branch (default: main)");
  command->add_option("--query", arguments->path, "File of mutations (.gq); - is standard input");
  command->add_option("-e", arguments->text, "The text of a mutation (.gq)");
  command->add_option("--params", arguments->params, "Values of parameters, a JSON object");
  command->add_option("--params-file", arguments->params_path, "The same in a file");
  add_change_options(*command, arguments->change);
  add_condition_option(*command, arguments->change);
  command
      ->add_option("--idempotency-key", arguments->idempotency_key,
                   "A name of your own under which this mutation happens once (kept for a week)")
      ->check(not_empty());
  command->add_flag("--dry-run", arguments->dry_run, "Check everything, write nothing");
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return mutate(*arguments, s); }; });
}

}  // namespace weft::cli

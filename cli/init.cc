// weft init: makes a property graph.

#include "cli/commands.h"
#include "cli/commit_json.h"
#include "cli/graph_target.h"
#include "cli/text_file.h"
#include <fmt/format.h>

#include "weft/graph/create.h"
#include "weft/schema/scanner.h"

namespace weft::cli {
namespace {

struct InitArguments {
  GraphArguments target;
  ChangeArguments change;
  std::string schema;
};

Status init(const InitArguments& arguments, Session& session) {
  WEFT_TRY(const std::string text, read_text_file(arguments.schema, schema::kTextBytesMax));
  WEFT_TRY(const std::string actor, actor_of(arguments.change));
  graph::CreateRequest request{.schema_text = text, .message = arguments.change.message};
  WEFT_TRY(request.operation, parse_id(arguments.change.operation, "--operation"));
  // A bad schema leaves not even the folder.
  WEFT_TRY_STATUS(schema::compile(text).ok() ? ok_status() : Status(schema::compile(text).error()));
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session, true));
  const graph::AllowEverything policy;
  WEFT_TRY(const txn::Receipt receipt,
           graph::create_graph(target->place(), {actor, policy}, request));
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("store", target->store().location())
        .key("commit");
    append_commit(json, receipt.commit, graph::kMainBranch);
    session.print(json.end_object().text() + "\n");
    return ok_status();
  }
  session.print(
      fmt::format("made {} (commit {})\n", target->store().location(), receipt.commit.id.text()));
  return ok_status();
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("init",
                                         "Make a property graph with this schema\n\n"
                                         "Example: weft init --schema schema.pg graph.weft");
  const auto arguments = std::make_shared<InitArguments>();
  command->add_option("--schema", arguments->schema, "Schema file (.pg), - for standard input")
      ->required();
  command->add_option("graph", arguments->target.graph, "The folder, which is made")->required();
  add_change_options(*command, arguments->change);
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return init(*arguments, s); }; });
}

}  // namespace weft::cli

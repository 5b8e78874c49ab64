// weft export, weft schema show: a property graph and its schema as texts.

#include "weft/graph/export.h"

#include "cli/commands.h"
#include "cli/graph_target.h"
#include "cli/json_text.h"
#include "cli/output_file.h"

namespace weft::cli {
namespace {

struct ExportArguments {
  GraphArguments target;
  std::vector<std::string> types;
  std::string output = "-";
  bool replace = false;
};

Status export_lines(const ExportArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto graph, target->snapshot(arguments.target));
  WEFT_TRY(auto output, OutputFile::open(arguments.output, arguments.replace));
  graph::ExportOptions options;
  options.types = arguments.types;
  options.memory_bytes_max = session.memory_bytes();
  WEFT_TRY_STATUS(graph::export_graph(*graph, options, output->stream(), session.stop()));
  return output->publish();
}

Status show_schema(const GraphArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, GraphTarget::open(arguments, session));
  WEFT_TRY(const auto graph, target->snapshot(arguments));
  if (!session.options().json) {
    session.print(graph->accepted().text);
    return ok_status();
  }
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("commit", graph->commit().id.text())
      .field("hash", schema::shape_hash(graph->schema()))
      .field("schema", graph->accepted().text)
      .key("accepted")
      .raw(graph->accepted().document());
  session.print(json.end_object().text() + "\n");
  return ok_status();
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "export",
      "Write a property graph as lines of JSON that load back to an equal one\n\n"
      "Example: weft export graph.weft > all.jsonl\n"
      "         weft export --type Person --at 2026-11-30 graph.weft -o people.jsonl");
  const auto arguments = std::make_shared<ExportArguments>();
  add_graph_options(*command, arguments->target);
  add_time_options(*command, arguments->target);
  command->add_option("--type", arguments->types, "Only this type (may be repeated)")
      ->allow_extra_args(false);
  command->add_option("-o,--output", arguments->output, "Where to (default: standard output)");
  command->add_flag("--replace", arguments->replace, "Replace an existing output");
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return export_lines(*arguments, s); };
  });
}

void add_schema(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("schema", "The schema of a property graph");
  command->require_subcommand(1);
  CLI::App* show =
      command->add_subcommand("show", "Print the schema\n\nExample: weft schema show graph.weft");
  const auto arguments = std::make_shared<GraphArguments>();
  add_graph_options(*show, *arguments);
  add_time_options(*show, *arguments);
  show->callback([arguments, &action] {
    action = [arguments](Session& s) { return show_schema(*arguments, s); };
  });
}

}  // namespace weft::cli

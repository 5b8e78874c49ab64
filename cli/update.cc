// weft update.

#include "weft/sparql/update.h"

#include <cmath>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/json_text.h"
#include "cli/progress.h"
#include "cli/text_file.h"
#include <fmt/format.h>

#include "weft/engine/document_loader.h"
#include "weft/engine/live_graph.h"

namespace weft::cli {
namespace {

constexpr double kTimeoutMaxSeconds = 1e9;

struct UpdateArguments {
  std::string target;
  std::string text;
  std::string text_path;
  std::string base_iri;
  std::optional<std::string> journal_path;
  double timeout_seconds = 0;
  double wait_seconds = 0;
};

Status run_update_command(const UpdateArguments& arguments, Session& session) {
  if (arguments.text.empty() == arguments.text_path.empty()) {
    return Error(ErrorKind::kInvalid,
                 "give the update as text or with --update-file, one of the two");
  }
  std::string text = arguments.text;
  if (!arguments.text_path.empty()) {
    WEFT_TRY(text, read_text_file(arguments.text_path, sparql::kUpdateBytesMax));
  }
  const auto environment = make_environment(session);
  engine::LiveOptions options;
  options.journal_path = arguments.journal_path;
  options.holder = "weft update";
  options.writer_wait_ms = static_cast<uint64_t>(arguments.wait_seconds * 1000);
  WEFT_TRY(const auto graph, engine::LiveGraph::open(*environment, arguments.target, options));
  if (const auto repaired = graph->facts().repaired; repaired.has_value()) {
    session.note(
        fmt::format("weft: the journal had a torn tail, which was cut: {} bytes at {} ({})",
                    repaired->cut_bytes, repaired->cut_offset, repaired->cut_reason));
  }
  engine::UpdateOptions update;
  update.base_iri = arguments.base_iri;
  update.stop = session.stop();
  update.timeout_ms = static_cast<uint64_t>(std::ceil(arguments.timeout_seconds * 1000));
  update.loader = engine::any_document_loader(*environment);
  const auto services = make_service_client(*environment, arguments.timeout_seconds);
  update.services = services.get();
  WEFT_TRY(const engine::UpdateReceipt receipt, graph->update(text, update));
  WEFT_TRY_STATUS(graph->close());
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("inserted", receipt.inserted)
        .field("removed", receipt.removed)
        .field("generation", receipt.generation)
        .field("sequence", receipt.sequence)
        .field("tag", std::string_view(receipt.tag))
        .end_object();
    session.print(json.text() + "\n");
    return ok_status();
  }
  session.print(fmt::format("inserted {} quads, removed {} quads\n",
                            with_separators(receipt.inserted), with_separators(receipt.removed)));
  return ok_status();
}

}  // namespace

void add_update(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "update",
      "Run a SPARQL Update request on a manifest or a segment, in one atomic step\n\n"
      "Example: weft update my.rete-manifest.json \"INSERT DATA { <http://ex/a> a <http://ex/T> "
      "}\"");
  const auto arguments = std::make_shared<UpdateArguments>();
  command->add_option("target", arguments->target, "A manifest or a .rete file")->required();
  command->add_option("update", arguments->text, "The request");
  command->add_option("--update-file", arguments->text_path,
                      "The request in a file; - is standard input");
  command->add_option("--base", arguments->base_iri, "Base of relative IRIs in the request");
  command->add_option("--journal", arguments->journal_path,
                      "The journal (default: the target's name with .changes)");
  command->add_option("--timeout", arguments->timeout_seconds, "Give up after so many seconds")
      ->check(CLI::Range(0.0, kTimeoutMaxSeconds));
  command->add_option("--wait", arguments->wait_seconds, "Wait so many seconds for another writer")
      ->check(CLI::Range(0.0, kTimeoutMaxSeconds));
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return run_update_command(*arguments, s); };
  });
}

}  // namespace weft::cli

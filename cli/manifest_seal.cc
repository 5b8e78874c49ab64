// weft manifest seal, and the seal that goes before an add.

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/json_text.h"
#include "cli/manifest_commands.h"
#include "cli/progress.h"
#include <fmt/format.h>

#include "weft/engine/live_graph.h"
#include "weft/manifest/manifest_store.h"

namespace weft::cli {
namespace {

struct SealArguments {
  std::string manifest;
  std::optional<std::string> journal;
  std::optional<std::string> folder;
  bool dry_run = false;
};

void print_seal(const engine::SealReceipt& receipt, bool dry_run, Session& session) {
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("dry_run", dry_run)
        .field("sealed", receipt.sealed)
        .field("generation", receipt.generation)
        .field("added_quads", receipt.added_quads)
        .field("deleted_quads", receipt.deleted_quads)
        .key("files")
        .begin_array();
    for (const std::string& file : receipt.files) {
      json.value(std::string_view(file));
    }
    json.end_array().end_object();
    session.print(json.text() + "\n");
    return;
  }
  session.print(fmt::format("{}sealed journal into generation {}:\n", dry_run ? "would have: " : "",
                            receipt.generation));
  for (const std::string& file : receipt.files) {
    const bool is_dels = file.ends_with(".tomb.rete");
    const uint64_t quads = is_dels ? receipt.deleted_quads : receipt.added_quads;
    session.print(fmt::format("  {} {} ({} quad{})\n", is_dels ? "dels" : "adds", file,
                              with_separators(quads), quads == 1 ? "" : "s"));
  }
}

// The journal's size; nullopt if there is none.
Result<std::optional<uint64_t>> journal_size(engine::Environment& environment,
                                             const std::string& path) {
  const auto reader = environment.open_growing(path);
  if (reader.ok()) {
    return std::optional((*reader)->size());
  }
  return reader.error().kind() == ErrorKind::kNotFound
             ? Result<std::optional<uint64_t>>(std::optional<uint64_t>())
             : Result<std::optional<uint64_t>>(reader.error());
}

Status seal(const SealArguments& arguments, Session& session) {
  const auto environment = make_environment(session);
  const std::string path = arguments.journal.value_or(journal::journal_of(arguments.manifest));
  WEFT_TRY(const std::optional<uint64_t> size, journal_size(*environment, path));
  if (!size.has_value() || *size == 0) {
    WEFT_TRY(const auto reader, environment->open_object(arguments.manifest));
    WEFT_TRY(const manifest::Manifest manifest, manifest::read_manifest(*reader));
    if (session.options().json) {
      engine::SealReceipt nothing;
      nothing.generation = manifest.generation();
      print_seal(nothing, arguments.dry_run, session);
      return ok_status();
    }
    session.note(size.has_value() ? "nothing to seal: journal at " + path + " is empty"
                                  : "nothing to seal: no journal at " + path);
    return ok_status();
  }
  engine::LiveOptions options;
  options.journal_path = arguments.journal;
  options.holder = "weft manifest seal";
  options.access = arguments.dry_run ? engine::Access::kReadOnly : engine::Access::kReadWrite;
  WEFT_TRY(const auto graph, engine::LiveGraph::open(*environment, arguments.manifest, options));
  WEFT_TRY(const engine::SealReceipt receipt,
           graph->seal_as(engine::SealRequest{
               .dry_run = arguments.dry_run, .folder = arguments.folder, .stop = session.stop()}));
  WEFT_TRY_STATUS(graph->close());
  if (!receipt.sealed && !session.options().json) {
    session.note("nothing to seal: the changes in " + path + " come to nothing");
    return ok_status();
  }
  print_seal(receipt, arguments.dry_run, session);
  return ok_status();
}

}  // namespace

Status seal_first(const std::string& manifest, Session& session) {
  const auto environment = make_environment(session);
  WEFT_TRY(const std::optional<uint64_t> size,
           journal_size(*environment, journal::journal_of(manifest)));
  if (size.value_or(0) == 0) {
    return ok_status();
  }
  engine::LiveOptions options;
  options.holder = "weft manifest add";
  const auto graph = engine::LiveGraph::open(*environment, manifest, options);
  if (!graph.ok()) {
    if (graph.error().fact("reason") == "locked") {
      session.note("weft: the graph is being written by " +
                   std::string(graph.error().fact("holder")) +
                   "; what its journal holds stands behind this entry");
      return ok_status();
    }
    return graph.error();
  }
  WEFT_TRY(const engine::SealReceipt receipt, (*graph)->seal(session.stop()));
  if (receipt.sealed) {
    session.note(fmt::format("weft: sealed the journal first (generation {})", receipt.generation));
  }
  return (*graph)->close();
}

void add_seal(CLI::App& group, Action& action) {
  const auto arguments = std::make_shared<SealArguments>();
  CLI::App* command = group.add_subcommand("seal",
                                           "Turn the journal into a segment of the log\n\n"
                                           "Example: weft manifest seal my.rete-manifest.json");
  command->add_option("manifest", arguments->manifest, "NAME.rete-manifest.json")->required();
  command->add_option("--journal", arguments->journal,
                      "The journal (default: the manifest's name with .changes)");
  command->add_option("--dir", arguments->folder, "The new segments' folder");
  command->add_flag("--dry-run", arguments->dry_run, "Say what would be sealed, and do nothing");
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return seal(*arguments, s); }; });
}

}  // namespace weft::cli

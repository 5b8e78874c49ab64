// weft manifest init, add, compact, diff, gc; status and query stand in files of their own.

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/manifest_commands.h"
#include "cli/manifest_target.h"
#include "cli/rdf_options.h"
#include <fmt/format.h>

#include "weft/rdfio/write.h"

namespace weft::cli {
namespace {

struct ChangeArguments {
  std::string manifest;
  std::optional<std::string> base;
  std::optional<std::string> name;
  std::optional<std::string> adds;
  std::optional<std::string> dels;
  std::optional<std::string> output_file;
  std::optional<std::string> output_folder;
  std::string blank_nodes = "scope";
  std::string scratch_directory;
  bool dry_run = false;
  bool no_pyramid = false;
  ReadOptions read;
  SegmentContentOptions content;
};

Result<std::unique_ptr<ManifestTarget>> open_target(const ChangeArguments& arguments,
                                                    Session& session) {
  quads::IngestOptions ingest;
  if (!arguments.read.format.empty()) {
    WEFT_TRY(ingest.format, choose_format(arguments.read.format, "", "--format"));
  }
  ingest.blank_nodes = arguments.blank_nodes == "keep" ? quads::BlankNodeScope::kKeep
                                                       : quads::BlankNodeScope::kDocument;
  WEFT_TRY(ingest.parse, parse_options(arguments.read, "", session));
  return ManifestTarget::open(arguments.manifest, arguments.content, ingest,
                              arguments.scratch_directory, session);
}

// For commands that build no segment.
Result<std::unique_ptr<ManifestTarget>> open_unchanged(const std::string& path, Session& session) {
  ChangeArguments arguments;
  arguments.manifest = path;
  return open_target(arguments, session);
}

std::string change_json(const quads::ChangeReport& report, bool dry_run) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("dry_run", dry_run)
      .field("generation", report.generation)
      .field("entries", uint64_t{report.log_entries});
  json.key("segments").begin_array();
  for (const quads::NewSegment& segment : report.segments) {
    json.begin_object()
        .field("role", manifest::role_name(segment.role))
        .field("url", std::string_view(segment.pin.url))
        .field("size", segment.pin.size_bytes)
        .field("blake3_16", std::string_view(manifest::hash_text(segment.pin.hash)))
        .field("quads", segment.quad_count)
        .end_object();
  }
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : report.warnings) {
    json.value(std::string_view(warning));
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

// `headline` is the first line of the text form.
void print_change(const std::string& headline, const quads::ChangeReport& report, bool dry_run,
                  Session& session) {
  if (session.options().json) {
    session.print(change_json(report, dry_run));
    return;
  }
  session.print((dry_run ? "would have: " : "") + headline + "\n");
  for (const quads::NewSegment& segment : report.segments) {
    session.print(fmt::format("  {} {} ({} bytes, blake3 {}, {} quads)\n",
                              manifest::role_name(segment.role), segment.pin.url,
                              segment.pin.size_bytes, manifest::hash_text(segment.pin.hash),
                              with_separators(segment.quad_count)));
  }
  for (const std::string& warning : report.warnings) {
    session.note("weft: " + warning);
  }
}

Status init(const ChangeArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, open_target(arguments, session));
  quads::InitRequest request;
  request.base = arguments.base;
  request.name = arguments.name;
  request.dry_run = arguments.dry_run;
  WEFT_TRY(const quads::ChangeReport report, target->log().init(request));
  print_change(fmt::format("initialized {} (generation {})", arguments.manifest, report.generation),
               report, arguments.dry_run, session);
  return ok_status();
}

Status add(const ChangeArguments& arguments, Session& session) {
  if (!arguments.dry_run) {
    // What was written before this entry must stand before it.
    WEFT_TRY_STATUS(seal_first(arguments.manifest, session));
  }
  WEFT_TRY(const auto target, open_target(arguments, session));
  quads::AddRequest request;
  request.adds = arguments.adds;
  request.dels = arguments.dels;
  request.dry_run = arguments.dry_run;
  WEFT_TRY(const quads::ChangeReport report, target->log().add(request));
  print_change(fmt::format("{}: appended log entry #{} (generation {})", arguments.manifest,
                           report.log_entries, report.generation),
               report, arguments.dry_run, session);
  return ok_status();
}

Status compact(const ChangeArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, open_target(arguments, session));
  quads::CompactRequest request;
  request.output_file = arguments.output_file;
  request.output_folder = arguments.output_folder;
  request.dry_run = arguments.dry_run;
  request.stop = session.stop();
  WEFT_TRY(const quads::ChangeReport report, target->log().compact(request));
  print_change(fmt::format("compacted {} (generation {})", arguments.manifest, report.generation),
               report, arguments.dry_run, session);
  if (!arguments.dry_run) {
    session.note(
        "superseded segments were left in place; `weft manifest gc` removes them once they are "
        "old");
  }
  return ok_status();
}

struct DiffArguments {
  std::string manifest;
  uint64_t from = 0;
  uint64_t to = 0;
};

Status diff(const DiffArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, open_unchanged(arguments.manifest, session));
  std::string line;
  return target->log().diff(
      arguments.from, arguments.to,
      [&](bool added, const rdf::QuadView& quad) -> Status {
        line = added ? "+ " : "- ";
        for (const std::string_view token :
             {quad.subject, quad.predicate, quad.object, quad.graph}) {
          if (!token.empty()) {
            rdfio::append_ntriples_term(line, token);
            line.push_back(' ');
          }
        }
        line += ".\n";
        session.print(line);
        return ok_status();
      },
      session.stop());
}

struct GcArguments {
  std::string manifest;
  double grace_hours = 24;
  bool dry_run = false;
  bool yes = false;
};

Status gc(const GcArguments& arguments, Session& session) {
  if (arguments.dry_run == arguments.yes) {
    return Error(ErrorKind::kInvalid, "say --dry-run to see what would go, or --yes to remove it");
  }
  WEFT_TRY(const auto target, open_unchanged(arguments.manifest, session));
  quads::GcRequest request;
  request.dry_run = arguments.dry_run;
  request.grace_ms = static_cast<int64_t>(arguments.grace_hours * 3'600'000);
  WEFT_TRY(const quads::GcReport report, target->log().gc(request));
  if (session.options().json) {
    JsonText json;
    json.begin_object().field("schemaVersion", uint64_t{1}).key("leftovers").begin_array();
    for (const quads::GcReport::Leftover& leftover : report.leftovers) {
      json.begin_object()
          .field("name", std::string_view(leftover.name))
          .field("size", leftover.size_bytes)
          .field("removed", leftover.removed)
          .end_object();
    }
    json.end_array().field("young", report.young).end_object();
    session.print(json.text() + "\n");
    return ok_status();
  }
  for (const quads::GcReport::Leftover& leftover : report.leftovers) {
    session.print(fmt::format("{} {} ({})\n", leftover.removed ? "removed" : "would remove",
                              leftover.name, readable_bytes(leftover.size_bytes)));
  }
  session.note(fmt::format("{} leftovers, {} younger than the grace period",
                           report.leftovers.size(), report.young));
  return ok_status();
}

void add_change_options(CLI::App& command, ChangeArguments& arguments) {
  command.add_flag("--dry-run", arguments.dry_run, "Say what would be published, and do nothing");
  command.add_option("--tmp-dir", arguments.scratch_directory,
                     "Where working files go (default: the manifest's folder)");
  add_segment_content_options(command, arguments.content);
}

void add_text_options(CLI::App& command, ChangeArguments& arguments) {
  command
      .add_option("--blank-nodes", arguments.blank_nodes,
                  "Labels of added RDF files: scope (unique to the file) or keep")
      ->check(CLI::IsMember({"scope", "keep"}));
  add_read_options(command, arguments.read);
}

CLI::App* add_change(CLI::App& group, const char* name, const char* text,
                     Status (*run)(const ChangeArguments&, Session&), Action& action,
                     const std::shared_ptr<ChangeArguments>& arguments) {
  CLI::App* command = group.add_subcommand(name, text);
  command->add_option("manifest", arguments->manifest, "NAME.rete-manifest.json")->required();
  add_change_options(*command, *arguments);
  command->callback([arguments, run, &action] {
    action = [arguments, run](Session& s) { return run(*arguments, s); };
  });
  return command;
}

void add_init_and_add(CLI::App& group, Action& action) {
  auto arguments = std::make_shared<ChangeArguments>();
  CLI::App* command = add_change(
      group, "init", "Start a graph\n\nExample: weft manifest init my.rete-manifest.json base.rete",
      init, action, arguments);
  command->add_option("base", arguments->base, "Its first segment, or an RDF file; none: empty");
  command->add_option("--name", arguments->name, "Name of the graph (default: by file name)");
  add_text_options(*command, *arguments);

  arguments = std::make_shared<ChangeArguments>();
  command =
      add_change(group, "add",
                 "Append an entry to the log\n\n"
                 "Example: weft manifest add my.rete-manifest.json --adds new.nq --dels old.nq",
                 add, action, arguments);
  command->add_option("--adds", arguments->adds, "A segment or RDF file whose quads appear");
  command->add_option("--dels", arguments->dels, "A segment or RDF file whose quads disappear");
  add_text_options(*command, *arguments);
}

void add_compact(CLI::App& group, Action& action) {
  const auto arguments = std::make_shared<ChangeArguments>();
  CLI::App* command = add_change(group, "compact",
                                 "Turn the log into one segment\n\n"
                                 "Example: weft manifest compact my.rete-manifest.json",
                                 compact, action, arguments);
  CLI::Option* file =
      command->add_option("-o,--output", arguments->output_file, "The new segment's file");
  command->add_option("--dir", arguments->output_folder, "The new segment's folder")
      ->excludes(file);
  command->add_flag("--no-pyramid", arguments->no_pyramid,
                    "Accepted as rete has it; weft makes no pyramid");
}

void add_diff(CLI::App& group, Action& action) {
  const auto arguments = std::make_shared<DiffArguments>();
  CLI::App* command =
      group.add_subcommand("diff",
                           "Show the quads that differ between two generations\n\n"
                           "Example: weft manifest diff my.rete-manifest.json --from 3 --to 5");
  command->add_option("manifest", arguments->manifest, "NAME.rete-manifest.json")->required();
  command->add_option("--from", arguments->from, "The earlier generation")->required();
  command->add_option("--to", arguments->to, "The later generation")->required();
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return diff(*arguments, s); }; });
}

void add_gc(CLI::App& group, Action& action) {
  const auto arguments = std::make_shared<GcArguments>();
  CLI::App* command =
      group.add_subcommand("gc",
                           "Remove leftovers that no manifest names\n\n"
                           "Example: weft manifest gc my.rete-manifest.json --dry-run");
  command->add_option("manifest", arguments->manifest, "NAME.rete-manifest.json")->required();
  command->add_flag("--dry-run", arguments->dry_run, "Say what would be removed");
  command->add_flag("--yes", arguments->yes, "Remove it");
  command->add_option("--grace", arguments->grace_hours, "Spare what is younger, in hours")
      ->check(CLI::NonNegativeNumber);
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return gc(*arguments, s); }; });
}

}  // namespace

void add_manifest(CLI::App& app, Action& action) {
  CLI::App* group = app.add_subcommand("manifest", "A graph as a log of segments");
  group->require_subcommand(1);
  group->fallthrough();
  add_init_and_add(*group, action);
  add_status(*group, action);
  add_query(*group, action);
  add_seal(*group, action);
  add_compact(*group, action);
  add_diff(*group, action);
  add_gc(*group, action);
}

}  // namespace weft::cli

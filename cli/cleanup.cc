// weft cleanup: removes what no published commit of a property graph needs.

#include "weft/graph/cleanup.h"

#include "cli/commands.h"
#include "cli/graph_target.h"
#include "cli/json_text.h"
#include "cli/progress.h"
#include <fmt/format.h>

namespace weft::cli {
namespace {

constexpr double kHourUs = 3600.0 * 1'000'000.0;
constexpr double kDaysMax = 36'500.0;

struct CleanupArguments {
  GraphArguments target;
  ChangeArguments change;
  double keep_days = static_cast<double>(graph::kCleanupKeepUs) / kHourUs / 24.0;
  double grace_hours = static_cast<double>(graph::kCleanupGraceUs) / kHourUs;
  bool dry_run = false;
  bool yes = false;
};

std::string report_json(bool dry_run, const graph::CleanupReport& report) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("dry_run", dry_run)
      .field("commits_kept", report.commits_kept)
      .field("objects", uint64_t{report.removed.size()})
      .field("bytes", report.removed_bytes);
  const std::pair<std::string_view, const std::vector<std::string>*> lists[] = {
      {"native_branches", &report.native_branches},
      {"ended_branches", &report.ended},
      {"removed", &report.removed}};
  for (const auto& [name, list] : lists) {
    json.key(name).begin_array();
    for (const std::string& item : *list) {
      json.value(item);
    }
    json.end_array();
  }
  return json.end_object().text() + "\n";
}

std::string report_text(bool dry_run, const graph::CleanupReport& report) {
  std::string text;
  for (const std::string& name : report.removed) {
    text += fmt::format("  {}\n", name);
  }
  for (const std::string& life : report.ended) {
    text +=
        fmt::format("deleted branch {}: its rows{} gone\n", life, dry_run ? " would be" : " are");
  }
  return text + fmt::format("{}: {} objects, {}; {} commits are kept whole\n",
                            dry_run ? "would go" : "gone", with_separators(report.removed.size()),
                            readable_bytes(report.removed_bytes),
                            with_separators(report.commits_kept));
}

Status run_cleanup(const CleanupArguments& arguments, Session& session) {
  if (arguments.dry_run == arguments.yes) {
    return Error(ErrorKind::kInvalid,
                 "give --dry-run, to see what would go, or --yes, one of the two");
  }
  graph::CleanupRequest request;
  request.keep_us = static_cast<int64_t>(arguments.keep_days * 24.0 * kHourUs);
  request.grace_us = static_cast<int64_t>(arguments.grace_hours * kHourUs);
  request.dry_run = arguments.dry_run;
  WEFT_TRY(const std::string actor, actor_of(arguments.change));
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  const graph::AllowEverything policy;
  WEFT_TRY(const graph::CleanupReport report,
           graph::clean_graph(target->place(), {actor, policy}, request, session.stop()));
  session.print(session.options().json ? report_json(arguments.dry_run, report)
                                       : report_text(arguments.dry_run, report));
  return ok_status();
}

}  // namespace

void add_cleanup(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "cleanup",
      "Remove what no published commit of a property graph needs; no commit loses anything\n\n"
      "Example: weft cleanup --dry-run graph.weft\n"
      "         weft cleanup --yes --keep-days 30 graph.weft");
  const auto arguments = std::make_shared<CleanupArguments>();
  command->add_option("graph", arguments->target.graph, "The graph's folder");
  command->add_option("--store", arguments->target.store,
                      "The graph's folder, by name of the option");
  add_actor_option(*command, arguments->change);
  command->add_flag("--dry-run", arguments->dry_run, "Tell what would go; nothing is written");
  command->add_flag("--yes", arguments->yes, "Remove it");
  command
      ->add_option("--keep-days", arguments->keep_days,
                   "How long deleted branches and discarded rows of others stay (default: 7)")
      ->check(CLI::Range(0.0, kDaysMax));
  command
      ->add_option("--grace-hours", arguments->grace_hours,
                   "What was put later than this ago stays, as its writer may still be at work "
                   "(default: 48; less only while nobody writes)")
      ->check(CLI::Range(0.0, kDaysMax * 24.0));
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return run_cleanup(*arguments, s); };
  });
}

}  // namespace weft::cli

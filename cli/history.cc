// weft commit, weft snapshot: what happened to a property graph, and what it is made of.

#include "cli/changes.h"
#include "cli/commands.h"
#include "cli/commit_json.h"
#include "cli/graph_target.h"
#include "cli/progress.h"
#include <fmt/format.h>

#include "weft/graph/lance_version.h"

namespace weft::cli {
namespace {

struct CommitArguments {
  GraphArguments target;
  std::string id;
  uint64_t limit = UINT64_MAX;
  bool details = false;
};

std::string commit_text(const catalog::CommitRecord& commit) {
  std::string text = fmt::format("{}  {}  {:<8} {}", commit.id.text(), commit_time(commit),
                                 commit.kind, commit.actor);
  return text + (commit.message.empty() ? "" : "  " + commit.message) + "\n";
}

Status list_commits(const CommitArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto graph, target->snapshot(arguments.target));
  WEFT_TRY(const auto commits, graph->view().commits(arguments.limit));
  std::string text;
  JsonText json;
  json.begin_object().key("commits").begin_array();
  for (const catalog::CommitRecord& commit : commits) {
    append_commit(json, commit, branch_of(graph->place(), commit), arguments.details);
    text += commit_text(commit);
  }
  json.end_array().end_object();
  session.print(session.options().json ? json.text() + "\n" : text);
  return ok_status();
}

Status show_commit(const CommitArguments& arguments, Session& session) {
  const auto id = base::Ulid::parse(arguments.id);
  if (!id.ok()) {
    return Error(ErrorKind::kNotFound, "no such commit: not an id").with("commit", arguments.id);
  }
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto graph,
           graph::open_snapshot(target->place(), {.branch = arguments.target.branch, .at = *id}));
  const catalog::CommitRecord& commit = graph->commit();
  if (session.options().json) {
    JsonText json;
    append_commit(json, commit, branch_of(graph->place(), commit), arguments.details);
    session.print(json.text() + "\n");
    return ok_status();
  }
  session.print(fmt::format(
      "commit     {}\nbranch     {}\nparent     {}\nkind       {}\nactor      {}\ntime       "
      "{}\nversion    {}\n"
      "operation  {}\nmessage    {}\n",
      commit.id.text(), branch_of(graph->place(), commit),
      commit.parent ? commit.parent->text() : "none", commit.kind, commit.actor,
      commit_time(commit), commit.catalog_version, commit.operation.text(), commit.message));
  return ok_status();
}

struct SnapshotArguments {
  GraphArguments target;
  ChangeArguments change;
  bool locations = false;
  bool keep = false;
};

Result<graph::LanceVersion> lance_version(const SnapshotArguments& arguments, GraphTarget& target,
                                          const graph::TypeTable& table) {
  if (!arguments.keep) {
    return graph::find_lance_version(table);
  }
  WEFT_TRY(const std::string actor, actor_of(arguments.change));
  const graph::AllowEverything policy;
  return graph::keep_lance_version(target.place(), {actor, policy}, table);
}

Status append_table(const SnapshotArguments& arguments, GraphTarget& target,
                    const graph::TypeTable& table, JsonText& json, std::string& text) {
  json.begin_object()
      .field("entity_kind", std::string_view(table.is_edge() ? "edge" : "node"))
      .field("type_name", table.name())
      .field("entity_count", table.row_count());
  text += fmt::format("{:<5} {:<30} {:>14}", table.is_edge() ? "edge" : "node", table.name(),
                      with_separators(table.row_count()));
  if (arguments.locations || arguments.keep) {
    WEFT_TRY(const graph::LanceVersion found, lance_version(arguments, target, table));
    const std::string uri = target.store().location() + "/" + table.entry().path;
    json.field("uri", uri).key("native_branch");
    if (found.native_branch.empty()) {
      json.null();
    } else {
      json.value(found.native_branch);
    }
    json.field("version", found.version).field("available", found.is_there);
    text += fmt::format("  {}{} version {}{}", uri,
                        found.native_branch.empty() ? "" : " branch " + found.native_branch,
                        found.version, found.is_there ? "" : " (not there for other programs)");
  }
  json.end_object();
  text += "\n";
  return ok_status();
}

Status show_snapshot(const SnapshotArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto graph, target->snapshot(arguments.target));
  const catalog::CommitRecord& commit = graph->commit();
  JsonText json;
  json.begin_object()
      .field("graph_branch", arguments.target.branch)
      .field("graph_commit_id", commit.id.text())
      .field("graph_manifest_version", commit.catalog_version)
      .field("catalog_format", catalog::kCatalogFormat)
      .key("datasets")
      .begin_array();
  std::string text = fmt::format("commit {} of {}, version {}\n", commit.id.text(),
                                 commit_time(commit), commit.catalog_version);
  for (const auto* const tables : {&graph->nodes(), &graph->edges()}) {
    for (const auto& table : *tables) {
      WEFT_TRY_STATUS(append_table(arguments, *target, *table, json, text));
    }
  }
  json.end_array().end_object();
  session.print(session.options().json ? json.text() + "\n" : text);
  return ok_status();
}

}  // namespace

void add_commit(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("commit", "The history of a property graph");
  command->require_subcommand(1);
  const auto arguments = std::make_shared<CommitArguments>();
  CLI::App* list = command->add_subcommand(
      "list", "Commits, newest first\n\nExample: weft commit list --store graph.weft");
  add_graph_options(*list, arguments->target);
  add_time_options(*list, arguments->target);
  list->add_option("--limit", arguments->limit, "At most so many");
  list->add_flag("--details", arguments->details, "With --json also kind, message, operation");
  list->callback([arguments, &action] {
    action = [arguments](Session& s) { return list_commits(*arguments, s); };
  });
  CLI::App* show = command->add_subcommand(
      "show",
      "One commit\n\nExample: weft commit show 01ARZ3NDEKTSV4RRFFQ69G5FAV --store "
      "graph.weft");
  show->add_option("commit", arguments->id, "Its id")->required();
  add_graph_options(*show, arguments->target);
  show->add_flag("--details", arguments->details, "With --json also kind, message, operation");
  show->callback([arguments, &action] {
    action = [arguments](Session& s) { return show_commit(*arguments, s); };
  });
  add_commit_changes(*command, action);
}

void add_snapshot(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("snapshot",
                         "The tables of a property graph at one commit\n\n"
                         "Example: weft snapshot --locations graph.weft\n"
                         "         weft snapshot --at 2026-11-30T12:00:00Z --json graph.weft");
  const auto arguments = std::make_shared<SnapshotArguments>();
  add_graph_options(*command, arguments->target);
  add_time_options(*command, arguments->target);
  command->add_flag("--locations", arguments->locations,
                    "Where each table lies and which version of it other Lance readers open");
  command->add_flag("--keep", arguments->keep,
                    "The same; what they cannot open any more becomes a native branch first");
  add_actor_option(*command, arguments->change);
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return show_snapshot(*arguments, s); };
  });
}

}  // namespace weft::cli

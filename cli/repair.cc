// weft repair: what other programs did to the rows of a property graph's tables, and where its
// branches say that they lie.

#include "weft/graph/repair.h"

#include "cli/commands.h"
#include "cli/commit_json.h"
#include "cli/graph_target.h"
#include "cli/progress.h"
#include <fmt/format.h>

#include "weft/graph/repair_paths.h"

namespace weft::cli {
namespace {

struct RepairArguments {
  GraphArguments target;
  ChangeArguments change;
  std::vector<std::string> types;
  bool plan = false;
  bool adopt = false;
  bool discard = false;
  bool paths = false;
};

// `kept`: the native branch that holds what was discarded; null if nothing was.
void append_table(JsonText& json, const graph::ForeignTable& table, const std::string* kept) {
  json.begin_object()
      .field("entity_kind", std::string_view(table.is_edge ? "edge" : "node"))
      .field("type_name", table.type)
      .field("path", table.path)
      .field("native_branch", table.native_branch)
      .field("published_version", table.published_version)
      .field("head_version", table.head_version)
      .key("versions")
      .begin_array();
  for (const graph::ForeignVersion& version : table.versions) {
    json.begin_object().field("version", version.version).field("operation", version.operation);
    json.end_object();
  }
  json.end_array().field("adoptable", table.obstacle.empty());
  if (table.obstacle.empty()) {
    json.field("rows_added", table.added)
        .field("rows_changed", table.changed)
        .field("rows_removed", table.removed);
  } else {
    json.field("obstacle", table.obstacle);
  }
  if (kept != nullptr) {
    json.field("kept_as", *kept);
  }
  json.end_object();
}

std::string table_text(const graph::ForeignTable& table) {
  std::string versions;
  for (const graph::ForeignVersion& version : table.versions) {
    versions += fmt::format("{}{}{}", versions.empty() ? "" : ", ", version.version,
                            version.operation.empty() ? "" : " " + version.operation);
  }
  std::string text = fmt::format(
      "{:<5} {:<24} published {}, head {}: {}\n", table.is_edge ? "edge" : "node", table.type,
      table.published_version, table.head_version,
      table.obstacle.empty()
          ? fmt::format("{} rows added, {} changed, {} removed", with_separators(table.added),
                        with_separators(table.changed), with_separators(table.removed))
          : "cannot be adopted (" + table.obstacle + ")");
  return text + "      versions of others: " + versions + "\n";
}

std::string result_json(const RepairArguments& arguments, std::string_view action,
                        const graph::RepairResult& result) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("branch", arguments.target.branch)
      .field("action", action)
      .key("tables")
      .begin_array();
  for (size_t i = 0; i < result.tables.size(); ++i) {
    append_table(json, result.tables[i], i < result.kept.size() ? &result.kept[i] : nullptr);
  }
  json.end_array().key("commit");
  if (!result.receipt.has_value()) {
    return json.null().end_object().text() + "\n";
  }
  append_commit(json, result.receipt->commit, arguments.target.branch);
  json.field("operation_id", result.receipt->commit.operation.text())
      .field("repeated", result.receipt->is_repeated);
  return json.end_object().text() + "\n";
}

std::string result_text(std::string_view action, const graph::RepairResult& result) {
  std::string text;
  for (size_t i = 0; i < result.tables.size(); ++i) {
    text += table_text(result.tables[i]);
    if (i < result.kept.size()) {
      text += result.kept[i].empty()
                  ? "      files of others are missing: what was there is not kept\n"
                  : fmt::format("      what was there is kept in the native branch {} of {}\n",
                                result.kept[i], result.tables[i].path);
    }
  }
  if (result.receipt.has_value()) {
    return text + fmt::format("{} in commit {}\n",
                              result.receipt->is_repeated ? "had been done" : action,
                              result.receipt->commit.id.text());
  }
  return text.empty() ? "no table has rows of other programs\n" : text;
}

std::string paths_json(bool is_plan, const std::vector<graph::MovedBranch>& moved) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("action", std::string_view(is_plan ? "plan-paths" : "paths"))
      .key("branches")
      .begin_array();
  for (const graph::MovedBranch& branch : moved) {
    json.begin_object().field("branch", branch.branch).key("tables").begin_array();
    for (const graph::MovedTable& table : branch.tables) {
      json.begin_object()
          .field("entity_kind", std::string_view(table.is_edge ? "edge" : "node"))
          .field("type_name", table.type)
          .field("path", table.path)
          .key("base_paths")
          .begin_array();
      for (size_t i = 0; i < table.named.size(); ++i) {
        json.begin_object().field("named", table.named[i]).field("here", table.here[i]);
        json.end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().key("commit");
    if (branch.receipt.has_value()) {
      append_commit(json, branch.receipt->commit, branch.branch);
    } else {
      json.null();
    }
    json.end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

std::string paths_text(const std::vector<graph::MovedBranch>& moved) {
  std::string text;
  for (const graph::MovedBranch& branch : moved) {
    for (const graph::MovedTable& table : branch.tables) {
      text += fmt::format("{:<16} {:<5} {}\n", branch.branch, table.is_edge ? "edge" : "node",
                          table.type);
      for (size_t i = 0; i < table.named.size(); ++i) {
        text += fmt::format("      {} lies at {}\n", table.named[i], table.here[i]);
      }
    }
    if (branch.receipt.has_value()) {
      text += fmt::format("{} repaired in commit {}\n", branch.branch,
                          branch.receipt->commit.id.text());
    }
  }
  return text.empty() ? "all branches lie where they say\n" : text;
}

// --paths, alone or with --plan.
Status run_repair_paths(const RepairArguments& arguments, Session& session) {
  if (arguments.adopt || arguments.discard || !arguments.types.empty()) {
    return Error(ErrorKind::kInvalid, "--paths goes with --plan, or alone, for all branches");
  }
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  std::vector<graph::MovedBranch> moved;
  if (arguments.plan) {
    WEFT_TRY(moved, graph::plan_repair_paths(target->place(), session.stop()));
  } else {
    WEFT_TRY(const std::string actor, actor_of(arguments.change));
    const graph::AllowEverything policy;
    WEFT_TRY(moved, graph::repair_paths(target->place(), {actor, policy}, arguments.change.message,
                                        session.stop()));
  }
  session.print(session.options().json ? paths_json(arguments.plan, moved) : paths_text(moved));
  return ok_status();
}

Status run_repair(const RepairArguments& arguments, Session& session) {
  if (arguments.paths) {
    return run_repair_paths(arguments, session);
  }
  if (int{arguments.plan} + int{arguments.adopt} + int{arguments.discard} != 1) {
    return Error(ErrorKind::kInvalid,
                 "give --plan, --adopt or --discard, one of the three, or --paths");
  }
  WEFT_TRY(const base::Ulid operation, parse_id(arguments.change.operation, "--operation"));
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  graph::RepairResult result;
  std::string_view action = "plan";
  if (arguments.plan) {
    WEFT_TRY(result.tables, graph::plan_repair(target->place(), arguments.target.branch,
                                               arguments.types, session.stop()));
  } else {
    graph::RepairRequest request;
    request.remedy = arguments.adopt ? graph::Remedy::kAdopt : graph::Remedy::kDiscard;
    request.branch = arguments.target.branch;
    request.types = arguments.types;
    request.message = arguments.change.message;
    request.operation = operation;
    action = arguments.adopt ? "adopted" : "discarded";
    WEFT_TRY(const std::string actor, actor_of(arguments.change));
    const graph::AllowEverything policy;
    WEFT_TRY(result, graph::repair(target->place(), {actor, policy}, request, session.stop()));
  }
  session.print(session.options().json ? result_json(arguments, action, result)
                                       : result_text(action, result));
  return ok_status();
}

}  // namespace

void add_repair(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "repair",
      "Rows that other programs wrote into the tables of a property graph: look, adopt, discard\n\n"
      "Example: weft repair --plan graph.weft\n"
      "         weft repair --adopt --type Person --as ana -m \"import by LanceDB\" graph.weft\n"
      "         weft repair --paths --as ana graph.weft      (after the graph was copied or "
      "moved)");
  const auto arguments = std::make_shared<RepairArguments>();
  add_graph_options(*command, arguments->target);
  add_change_options(*command, arguments->change);
  command->add_flag("--plan", arguments->plan, "Tell which versions and rows there are");
  command->add_flag("--adopt", arguments->adopt,
                    "Check the rows as those of a load, and make them a commit");
  command->add_flag("--discard", arguments->discard,
                    "Put the published rows on top; what was there is kept as a native branch");
  command->add_flag("--paths", arguments->paths,
                    "Branches of a graph that was copied or moved: tell other programs where "
                    "their tables lie now, in all branches (with --plan: only look)");
  command->add_option("--type", arguments->types, "Only this node or edge type (repeatable)")
      ->allow_extra_args(false);
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return run_repair(*arguments, s); };
  });
}

}  // namespace weft::cli

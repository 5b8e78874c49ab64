// weft branch: branches of a property graph.

#include "weft/graph/branch.h"

#include <algorithm>

#include "cli/commands.h"
#include "cli/commit_json.h"
#include "cli/graph_target.h"
#include <fmt/format.h>

#include "weft/schema/moment.h"

namespace weft::cli {
namespace {

struct BranchArguments {
  std::string graph;
  std::string store;
  std::string name;
  std::string from = std::string(graph::kMainBranch);
  std::string at;
  bool details = false;
  ChangeArguments change;

  GraphArguments target(const std::string& branch = std::string(graph::kMainBranch)) const {
    return {.graph = graph, .store = store, .branch = branch, .at = {}};
  }
};

// A branch as `list --details` and `show` print it. `head` is its newest commit.
void append_branch(JsonText& json, const catalog::BranchLife& life,
                   const catalog::CatalogView& head) {
  json.begin_object()
      .field("branch", life.branch)
      .field("parent_branch", life.parent_branch)
      .field("parent_commit_id", life.parent_commit.text())
      .field("native_branch", life.life)
      .field("created_at", static_cast<uint64_t>(life.created_at.microseconds))
      .field("actor_id", life.actor)
      .field("head_commit_id", head.state().head.id.text())
      .field("written", !head.is_inherited())
      .end_object();
}

std::string names_json(const std::vector<catalog::BranchEntry>& branches) {
  std::vector<std::string> names = {std::string(graph::kMainBranch)};
  for (const catalog::BranchEntry& entry : branches) {
    names.push_back(entry.life.branch);
  }
  std::ranges::sort(names);
  JsonText json;
  json.begin_object().key("branches").begin_array();
  for (const std::string& name : names) {
    json.value(name);
  }
  return json.end_array().end_object().text() + "\n";
}

std::string details_json(const std::vector<catalog::BranchEntry>& branches) {
  JsonText json;
  json.begin_object().key("branches").begin_array();
  for (const catalog::BranchEntry& entry : branches) {
    append_branch(json, entry.life, entry.head);
  }
  return json.end_array().end_object().text() + "\n";
}

Status list_branches(const BranchArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target(), session));
  WEFT_TRY(const catalog::CatalogView main, catalog::open_latest(target->place()));
  WEFT_TRY(const auto branches, catalog::list_branches(target->place()));
  if (session.options().json) {
    session.print(arguments.details ? details_json(branches) : names_json(branches));
    return ok_status();
  }
  std::string text = fmt::format("{:<24} {}\n", graph::kMainBranch, main.state().head.id.text());
  for (const catalog::BranchEntry& entry : branches) {
    text += fmt::format("{:<24} {}  from {} at {}\n", entry.life.branch,
                        entry.head.state().head.id.text(), entry.life.parent_branch,
                        entry.life.parent_commit.text());
  }
  session.print(text);
  return ok_status();
}

Status show_branch(const BranchArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target(), session));
  WEFT_TRY(const catalog::BranchLife life,
           catalog::find_latest_life(target->place(), arguments.name));
  WEFT_TRY(const catalog::CatalogView head,
           catalog::open_latest(catalog::place_of(target->place(), life)));
  WEFT_TRY_STATUS(catalog::check_goes_on(head));
  if (session.options().json) {
    JsonText json;
    append_branch(json, life, head);
    session.print(json.text() + "\n");
    return ok_status();
  }
  session.print(fmt::format(
      "branch   {}\nfrom     {} at {}\nhead     {}{}\nmade     {} by {}\nnative   {}\n",
      life.branch, life.parent_branch, life.parent_commit.text(), head.state().head.id.text(),
      head.is_inherited() ? " (nothing written yet)" : "",
      schema::date_time_text(life.created_at.microseconds / 1000), life.actor, life.life));
  return ok_status();
}

Status create_branch(const BranchArguments& arguments, Session& session) {
  WEFT_TRY(const std::string actor, actor_of(arguments.change));
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target(), session));
  WEFT_TRY(const graph::GraphPoint from, graph::parse_point(arguments.at, arguments.from));
  const graph::AllowEverything policy;
  WEFT_TRY(const catalog::BranchLife life,
           graph::create_branch(target->place(), {actor, policy}, arguments.name, from));
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("name", life.branch)
        .field("from", life.parent_branch)
        .field("actor_id", life.actor);
    if (arguments.details) {
      json.field("parent_commit_id", life.parent_commit.text()).field("native_branch", life.life);
    }
    session.print(json.end_object().text() + "\n");
    return ok_status();
  }
  session.print(fmt::format("branch {} made from {} at commit {}\n", life.branch,
                            life.parent_branch, life.parent_commit.text()));
  return ok_status();
}

Status delete_branch(const BranchArguments& arguments, Session& session) {
  WEFT_TRY(const std::string actor, actor_of(arguments.change));
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target(), session));
  const graph::AllowEverything policy;
  WEFT_TRY(const txn::Receipt receipt,
           graph::delete_branch(target->place(), {actor, policy}, arguments.name,
                                arguments.change.message));
  if (session.options().json) {
    JsonText json;
    json.begin_object().field("name", arguments.name).field("actor_id", actor);
    if (arguments.details) {
      json.key("commit");
      append_commit(json, receipt.commit, arguments.name, true);
    }
    session.print(json.end_object().text() + "\n");
    return ok_status();
  }
  session.print(fmt::format("branch {} deleted; its last commit is {}\n", arguments.name,
                            receipt.commit.id.text()));
  return ok_status();
}

void add_graph(CLI::App& command, BranchArguments& arguments) {
  command.add_option("graph", arguments.graph, "The graph's folder");
  command.add_option("--store", arguments.store, "The graph's folder, by name of the option");
}

void add_details(CLI::App& command, BranchArguments& arguments) {
  command.add_flag("--details", arguments.details,
                   "With --json also native branches, where they begin, their newest commits");
}

using Run = Status (*)(const BranchArguments&, Session&);

CLI::App& add_verb(CLI::App& parent, const std::string& name, const std::string& help, Run run,
                   const std::shared_ptr<BranchArguments>& arguments, Action& action) {
  CLI::App* const verb = parent.add_subcommand(name, help);
  verb->callback([arguments, run, &action] {
    action = [arguments, run](Session& session) { return run(*arguments, session); };
  });
  return *verb;
}

}  // namespace

void add_branch(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand("branch", "Branches of a property graph");
  command->require_subcommand(1);
  const auto arguments = std::make_shared<BranchArguments>();

  CLI::App& create = add_verb(*command, "create",
                              "Make a branch; nothing is copied\n\n"
                              "Example: weft branch create review --store graph.weft\n"
                              "         weft branch create fix --from review --store graph.weft",
                              create_branch, arguments, action);
  create.add_option("name", arguments->name, "Its name")->required();
  add_graph(create, *arguments);
  create.add_option("--from", arguments->from, "The branch that it starts from (default: main)");
  create.add_option("--at", arguments->at, "The commit or time of that branch (default: newest)")
      ->check(not_empty());
  add_actor_option(create, arguments->change);
  add_details(create, *arguments);

  CLI::App& list = add_verb(*command, "list",
                            "The branches of a graph and their newest commits\n\n"
                            "Example: weft branch list --store graph.weft",
                            list_branches, arguments, action);
  add_graph(list, *arguments);
  add_details(list, *arguments);

  CLI::App& show = add_verb(*command, "show",
                            "Where a branch comes from and where it stands\n\n"
                            "Example: weft branch show review --store graph.weft",
                            show_branch, arguments, action);
  show.add_option("name", arguments->name, "Its name")->required();
  add_graph(show, *arguments);

  CLI::App& remove = add_verb(*command, "delete",
                              "End a branch; what it holds stays until a cleanup\n\n"
                              "Example: weft branch delete review --store graph.weft",
                              delete_branch, arguments, action);
  remove.add_option("name", arguments->name, "Its name")->required();
  add_graph(remove, *arguments);
  add_actor_option(remove, arguments->change);
  remove.add_option("-m,--message", arguments->change.message, "Why");
  add_details(remove, *arguments);
}

}  // namespace weft::cli

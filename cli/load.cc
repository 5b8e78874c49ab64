// weft load: rows into a property graph.

#include "weft/graph/load.h"

#include "cli/commands.h"
#include "cli/commit_json.h"
#include "cli/graph_target.h"
#include "cli/progress.h"
#include <fmt/format.h>

#include "weft/catalog/branches.h"
#include "weft/graph/branch.h"
#include "weft/rdfio/input.h"

namespace weft::cli {
namespace {

struct LoadArguments {
  GraphArguments target;
  ChangeArguments change;
  std::string data;
  std::string mode;
  std::string from;
  std::string idempotency_key;
  bool dry_run = false;
};

uint64_t append_counts(JsonText& json, std::string_view name,
                       const std::map<std::string, uint64_t>& counts) {
  uint64_t total = 0;
  json.key(name).begin_array();
  for (const auto& [type, rows] : counts) {
    json.begin_object().field("name", type).field("entities_loaded", rows).end_object();
    total += rows;
  }
  json.end_array();
  return total;
}

std::string load_json(const LoadArguments& arguments, bool made_branch,
                      const graph::LoadResult& result) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("branch", arguments.target.branch)
      .field("branch_created", made_branch)
      .field("mode", arguments.mode);
  uint64_t total = append_counts(json, "nodes", result.nodes);
  total += append_counts(json, "edges", result.edges);
  json.field("total_entities", total).field("dry_run", arguments.dry_run).key("commit");
  if (!result.receipt.has_value()) {
    return json.null().end_object().text() + "\n";
  }
  append_commit(json, result.receipt->commit, arguments.target.branch);
  json.field("operation_id", result.receipt->commit.operation.text())
      .field("repeated", result.receipt->is_repeated);
  return json.end_object().text() + "\n";
}

std::string load_text(const graph::LoadResult& result) {
  std::string text;
  uint64_t total = 0;
  for (const auto* const counts : {&result.nodes, &result.edges}) {
    for (const auto& [type, rows] : *counts) {
      text += fmt::format("  {}: {}\n", type, with_separators(rows));
      total += rows;
    }
  }
  if (!result.receipt.has_value()) {
    return fmt::format("{} rows fit; nothing was written\n", with_separators(total)) + text;
  }
  return fmt::format("{} {} rows in commit {}\n",
                     result.receipt->is_repeated ? "had loaded" : "loaded", with_separators(total),
                     result.receipt->commit.id.text()) +
         text;
}

// Whether the graph has a branch of the name that goes on.
Result<bool> has_branch(const catalog::CatalogPlace& place, const std::string& name) {
  const auto check = [&]() -> Status {
    WEFT_TRY(const catalog::CatalogPlace branch, catalog::open_branch(place, name));
    WEFT_TRY(const catalog::CatalogView head, catalog::open_latest(branch));
    return catalog::check_goes_on(head);
  };
  const Status found = check();
  if (!found.ok() && found.error().kind() != ErrorKind::kNotFound) {
    return found.error();
  }
  return found.ok();
}

// A branch that was made for a load ends if the load did not get there; nobody else writes to it
// yet, but for whoever guessed its name: their work is not ended.
void end_branch(const catalog::CatalogPlace& place, const graph::Authority& authority,
                const std::string& name, Session& session) {
  const auto branch = catalog::open_branch(place, name);
  if (branch.ok()) {
    const auto head = catalog::open_latest(*branch);
    if (head.ok() && head->is_inherited() &&
        graph::delete_branch(place, authority, name, "the load that made it failed").ok()) {
      return;
    }
  }
  session.note("note: branch " + name + ", made for this load, stays");
}

Status load_graph(const LoadArguments& arguments, Session& session) {
  graph::LoadRequest request;
  WEFT_TRY(request.mode, graph::parse_load_mode(arguments.mode));
  WEFT_TRY_STATUS(read_condition(arguments.change, request.operation, request.expected_head));
  request.branch = arguments.target.branch;
  request.message = arguments.change.message;
  request.idempotency_key = arguments.idempotency_key;
  request.dry_run = arguments.dry_run;
  WEFT_TRY(const std::string actor, actor_of(arguments.change));
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto input, rdfio::open_input(arguments.data));
  ProgressLine progress(session.clock(), !session.options().quiet);
  request.progress = [&](uint64_t, uint64_t rows) { progress.update("rows", rows, 0); };
  const graph::AllowEverything policy;
  const graph::Authority authority{actor, policy};
  bool makes_branch = false;
  if (!arguments.from.empty()) {
    WEFT_TRY(const bool is_there, has_branch(target->place(), request.branch));
    makes_branch = !is_there;
  }
  if (makes_branch && request.dry_run) {
    WEFT_TRY_STATUS(catalog::check_graph_branch_name(request.branch));
    request.branch = arguments.from;
  } else if (makes_branch) {
    WEFT_TRY(const catalog::BranchLife life,
             graph::create_branch(target->place(), authority, request.branch,
                                  {.branch = arguments.from, .at = {}}));
    static_cast<void>(life);
  }
  const auto result = graph::load(target->place(), authority, request, *input, session.stop());
  if (!result.ok()) {
    if (makes_branch && !request.dry_run && result.error().kind() != ErrorKind::kRecoveryRequired) {
      end_branch(target->place(), authority, request.branch, session);
    }
    return result.error();
  }
  session.print(session.options().json ? load_json(arguments, makes_branch, *result)
                                       : load_text(*result));
  return ok_status();
}

}  // namespace

void add_load(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "load",
      "Load rows into a property graph, in one commit\n\n"
      "Example: weft load --data people.jsonl --mode overwrite graph.weft\n"
      "         zstdcat more.jsonl.zst | weft load --data - --mode merge --as ana graph.weft");
  const auto arguments = std::make_shared<LoadArguments>();
  add_graph_options(*command, arguments->target);
  add_change_options(*command, arguments->change);
  command
      ->add_option("--data", arguments->data,
                   "Lines of JSON, also compressed (gzip, zstd); - for standard input")
      ->required();
  command
      ->add_option(
          "--mode", arguments->mode,
          "append: all ids are new; merge: replace rows by id; overwrite: replace all rows "
          "of the types in the load")
      ->required()
      ->check(CLI::IsMember({"append", "merge", "overwrite"}));
  add_condition_option(*command, arguments->change);
  command
      ->add_option("--from", arguments->from,
                   "If there is no such --branch, make it from this one; without effect if the "
                   "load fails")
      ->check(not_empty());
  command
      ->add_option("--idempotency-key", arguments->idempotency_key,
                   "A name of your own under which this load happens once (kept for a week)")
      ->check(not_empty());
  command->add_flag("--dry-run", arguments->dry_run, "Check everything, write nothing");
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return load_graph(*arguments, s); };
  });
}

}  // namespace weft::cli

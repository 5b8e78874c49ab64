// weft commit changes: what one commit did to the rows of a property graph.

#include "cli/changes.h"

#include <memory>
#include <utility>

#include "cli/commit_json.h"
#include "cli/json_text.h"
#include <fmt/format.h>

#include "weft/graph/diff.h"
#include "weft/graph/export.h"

namespace weft::cli {
namespace {

using graph::RowDifference;
using graph::RowDifferenceKind;

std::string_view operation_name(RowDifferenceKind kind) {
  switch (kind) {
    case RowDifferenceKind::kAdded:
      return "insert";
    case RowDifferenceKind::kRemoved:
      return "delete";
    case RowDifferenceKind::kChanged:
      return "update";
  }
  std::unreachable();
}

std::string_view entity_kind(const RowDifference& difference) {
  return difference.table->is_edge() ? "edge" : "node";
}

bool is_wanted(const ChangesArguments& arguments, const RowDifference& difference) {
  return (arguments.kind.empty() || arguments.kind == entity_kind(difference)) &&
         (arguments.type.empty() || arguments.type == difference.table->name()) &&
         (arguments.operation.empty() || arguments.operation == operation_name(difference.kind));
}

// {"properties":{…},"endpoints":{"from":…,"to":…}}, the latter of edges.
Status append_row(JsonText& json, const graph::TypeTable& table, const columns::Batch& rows,
                  size_t row) {
  json.begin_object().key("properties").begin_object();
  for (size_t column = table.first_property_column(); column < rows.columns().size(); ++column) {
    std::string value;
    WEFT_TRY_STATUS(graph::append_json_value(value, *rows.column(column), row));
    json.key(table.columns()->fields[column].name).raw(value);
  }
  json.end_object();
  if (table.is_edge()) {
    json.key("endpoints")
        .begin_object()
        .field("from", rows.column(1)->text(row))
        .field("to", rows.column(2)->text(row))
        .end_object();
  }
  json.end_object();
  return ok_status();
}

Result<std::string> change_json(const RowDifference& difference) {
  const graph::TypeTable& table = *difference.table;
  JsonText json;
  json.begin_object().field("kind", entity_kind(difference)).key("type").begin_object();
  json.field("id", table.entry().identity.id.text()).field("name", table.name()).end_object();
  json.field("id", difference.id).field("op", operation_name(difference.kind));
  if (difference.before != nullptr) {
    json.key("before");
    WEFT_TRY_STATUS(append_row(json, table, *difference.before, difference.before_row));
  }
  if (difference.after != nullptr) {
    json.key("after");
    WEFT_TRY_STATUS(append_row(json, table, *difference.after, difference.after_row));
  }
  return json.end_object().text();
}

std::string cause_json(const catalog::CommitRecord& commit, std::string_view branch) {
  JsonText json;
  json.begin_object()
      .field("graph_commit_id", commit.id.text())
      .field("parent_commit_id", commit.parent->text());
  if (commit.merged_parent.has_value()) {
    json.field("merged_parent_commit_id", commit.merged_parent->text());
  }
  return json.field("authored_branch", branch)
      .field("authored_at", static_cast<uint64_t>(commit.created_at.microseconds))
      .end_object()
      .text();
}

Status show_changes(const ChangesArguments& arguments, Session& session) {
  const auto id = base::Ulid::parse(arguments.id);
  if (!id.ok()) {
    return Error(ErrorKind::kNotFound, "no such commit: not an id").with("commit", arguments.id);
  }
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto after,
           graph::open_snapshot(target->place(), {.branch = arguments.target.branch, .at = *id}));
  const catalog::CommitRecord& commit = after->commit();
  if (!commit.parent.has_value()) {
    return Error(ErrorKind::kInvalid, "the first commit of a graph has no parent to differ from")
        .with("commit", commit.id.text());
  }
  WEFT_TRY(const auto before,
           graph::open_snapshot(target->place(),
                                {.branch = arguments.target.branch, .at = *commit.parent}));
  const bool json = session.options().json;
  if (json) {
    session.print(R"({"cause":)" + cause_json(commit, branch_of(after->place(), commit)) +
                  R"(,"changes":[)");
  }
  bool is_first = true;
  const auto print = [&](const RowDifference& difference) -> Status {
    if (!is_wanted(arguments, difference)) {
      return ok_status();
    }
    if (!json) {
      session.print(fmt::format("{} {} {}\n", operation_name(difference.kind),
                                difference.table->name(), difference.id));
      return ok_status();
    }
    WEFT_TRY(const std::string text, change_json(difference));
    session.print((is_first ? "" : ",") + text);
    is_first = false;
    return ok_status();
  };
  WEFT_TRY_STATUS(graph::diff_graphs(*before, *after, print, session.stop()));
  if (json) {
    session.print("]}\n");
  }
  return ok_status();
}

}  // namespace

void add_commit_changes(CLI::App& commit, Action& action) {
  CLI::App* const command = commit.add_subcommand(
      "changes",
      "The rows that a commit inserted, updated and deleted\n\n"
      "Example: weft commit changes 01ARZ3NDEKTSV4RRFFQ69G5FAV --store graph.weft\n"
      "         weft commit changes 01ARZ3NDEKTSV4RRFFQ69G5FAV --type Person --op delete --json "
      "graph.weft");
  const auto arguments = std::make_shared<ChangesArguments>();
  command->add_option("commit", arguments->id, "Its id")->required();
  add_graph_options(*command, arguments->target);
  command->add_option("--kind", arguments->kind, "Only nodes, or only edges")
      ->check(CLI::IsMember({"node", "edge"}));
  command->add_option("--type", arguments->type, "Only this type");
  command->add_option("--op", arguments->operation, "Only what was done so")
      ->check(CLI::IsMember({"insert", "update", "delete"}));
  command->callback([arguments, &action] {
    action = [arguments](Session& session) { return show_changes(*arguments, session); };
  });
}

}  // namespace weft::cli

// weft diff: how two states of a property graph differ.

#include "weft/graph/diff.h"

#include "cli/commands.h"
#include "cli/graph_target.h"
#include "cli/json_text.h"
#include <fmt/format.h>

#include "weft/base/ulid.h"
#include "weft/graph/export.h"

namespace weft::cli {
namespace {

using graph::RowDifference;
using graph::RowDifferenceKind;

struct DiffArguments {
  GraphArguments target;
  std::string from;
  std::string to;
  bool summary = false;
};

// A commit, a branch, or a time of the branch of --branch.
Result<std::shared_ptr<const graph::GraphSnapshot>> open_state(GraphTarget& target,
                                                               const GraphArguments& arguments,
                                                               const std::string& name) {
  const auto moment = graph::parse_point(name, arguments.branch);
  if (base::Ulid::parse(name).ok()) {
    return graph::open_snapshot(target.place(), *moment);
  }
  auto branch = graph::open_snapshot(target.place(), {.branch = name, .at = graph::Newest()});
  // 2026-11-30 may be the name of a branch.
  const bool is_other = !branch.ok() && moment.ok() &&
                        (branch.error().kind() == ErrorKind::kNotFound ||
                         branch.error().kind() == ErrorKind::kInvalid);
  return is_other ? graph::open_snapshot(target.place(), *moment) : std::move(branch);
}

struct Counts {
  uint64_t added = 0;
  uint64_t removed = 0;
  uint64_t changed = 0;
};

void count(Counts& counts, RowDifferenceKind kind) {
  (kind == RowDifferenceKind::kAdded     ? counts.added
   : kind == RowDifferenceKind::kRemoved ? counts.removed
                                         : counts.changed) += 1;
}

const std::string& column_name(const RowDifference& difference, size_t column) {
  return difference.table->columns()->fields[column].name;
}

// {"change":"changed","type":"Person","id":"Ada","cells":{"age":{"before":36,"after":37}}}; rows
// that were added or removed have "row" with all their values instead.
Result<std::string> json_line(const RowDifference& difference) {
  std::string text = R"({"change":)";
  append_json_string(text, graph::row_difference_name(difference.kind));
  text += difference.table->is_edge() ? R"(,"edge":)" : R"(,"type":)";
  append_json_string(text, difference.table->name());
  text += R"(,"id":)";
  append_json_string(text, difference.id);
  if (difference.kind == RowDifferenceKind::kChanged) {
    text += R"(,"cells":{)";
    for (const size_t column : difference.cells) {
      text += text.ends_with('{') ? "" : ",";
      append_json_string(text, column_name(difference, column));
      text += R"(:{"before":)";
      WEFT_TRY_STATUS(graph::append_json_value(text, *difference.before->column(column),
                                               difference.before_row));
      text += R"(,"after":)";
      WEFT_TRY_STATUS(
          graph::append_json_value(text, *difference.after->column(column), difference.after_row));
      text += '}';
    }
    return text + "}}\n";
  }
  const bool is_added = difference.kind == RowDifferenceKind::kAdded;
  const columns::Batch& rows = is_added ? *difference.after : *difference.before;
  const size_t row = is_added ? difference.after_row : difference.before_row;
  text += R"(,"row":{)";
  for (size_t column = 1; column < rows.columns().size(); ++column) {
    text += column > 1 ? "," : "";
    append_json_string(text, column_name(difference, column));
    text += ':';
    WEFT_TRY_STATUS(graph::append_json_value(text, *rows.column(column), row));
  }
  return text + "}}\n";
}

Result<std::string> text_line(const RowDifference& difference) {
  const char sign = difference.kind == RowDifferenceKind::kAdded     ? '+'
                    : difference.kind == RowDifferenceKind::kRemoved ? '-'
                                                                     : '~';
  std::string text = fmt::format("{} {} {}", sign, difference.table->name(), difference.id);
  if (difference.kind == RowDifferenceKind::kChanged) {
    for (const size_t column : difference.cells) {
      text += fmt::format("  {}: ", column_name(difference, column));
      WEFT_TRY_STATUS(graph::append_json_value(text, *difference.before->column(column),
                                               difference.before_row));
      text += " -> ";
      WEFT_TRY_STATUS(
          graph::append_json_value(text, *difference.after->column(column), difference.after_row));
    }
    return text + "\n";
  }
  if (difference.table->is_edge()) {
    const bool is_added = difference.kind == RowDifferenceKind::kAdded;
    const columns::Batch& rows = is_added ? *difference.after : *difference.before;
    const size_t row = is_added ? difference.after_row : difference.before_row;
    text += fmt::format("  {} -> {}", rows.column(1)->text(row), rows.column(2)->text(row));
  }
  return text + "\n";
}

Status diff(const DiffArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto from, open_state(*target, arguments.target, arguments.from));
  WEFT_TRY(const auto to, open_state(*target, arguments.target, arguments.to));
  Counts counts;
  const bool json = session.options().json;
  const auto print = [&](const RowDifference& difference) -> Status {
    count(counts, difference.kind);
    if (!arguments.summary) {
      WEFT_TRY(const std::string line, json ? json_line(difference) : text_line(difference));
      session.print(line);
    }
    return ok_status();
  };
  WEFT_TRY_STATUS(graph::diff_graphs(*from, *to, print, session.stop()));
  if (!json) {
    session.print(fmt::format("{} added, {} removed, {} changed\n", counts.added, counts.removed,
                              counts.changed));
  } else if (arguments.summary) {
    JsonText text;
    text.begin_object()
        .field("added", counts.added)
        .field("removed", counts.removed)
        .field("changed", counts.changed);
    session.print(text.end_object().text() + "\n");
  }
  return ok_status();
}

}  // namespace

void add_graph_diff(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "diff",
      "Rows and cells in which two states of a property graph differ\n\n"
      "Each state is a branch, the id of a commit, or a time (of --branch).\n"
      "With --json one object a line.\n\n"
      "Example: weft diff main review --store graph.weft\n"
      "         weft diff 01ARZ3NDEKTSV4RRFFQ69G5FAV main --summary --store graph.weft");
  const auto arguments = std::make_shared<DiffArguments>();
  command->add_option("from", arguments->from, "The state before")->required();
  command->add_option("to", arguments->to, "The state after")->required();
  add_graph_options(*command, arguments->target);
  command->add_flag("--summary", arguments->summary, "Only how many rows");
  command->callback([arguments, &action] {
    action = [arguments](Session& session) { return diff(*arguments, session); };
  });
}

}  // namespace weft::cli

// weft lint: checks a schema, and queries and mutations against it or against that of a graph.

#include "weft/gq/lint.h"

#include <vector>

#include "cli/commands.h"
#include "cli/graph_target.h"
#include "cli/json_text.h"
#include "cli/text_file.h"

#include "weft/schema/scanner.h"

namespace weft::cli {
namespace {

struct LintArguments {
  GraphArguments target;
  std::string schema;
  std::vector<std::string> queries;

  bool names_graph() const { return !target.graph.empty() || !target.store.empty(); }
  const std::string& schema_name() const {
    return !schema.empty() ? schema : !target.graph.empty() ? target.graph : target.store;
  }
};

struct LintedFile {
  std::string path;
  gq::LintReport report;
};

void append_problem(JsonText& json, const schema::Problem& problem) {
  json.begin_object()
      .field("line", uint64_t{problem.place.line})
      .field("column", uint64_t{problem.place.column})
      .field("code", problem.code)
      .field("message", problem.message)
      .end_object();
}

void append_problems(JsonText& json, const std::vector<schema::Problem>& problems) {
  json.key("errors").begin_array();
  for (const schema::Problem& problem : problems) {
    append_problem(json, problem);
  }
  json.end_array();
}

void append_uses(JsonText& json, std::string_view name, const std::vector<gq::TypeUse>& uses) {
  json.key(name).begin_array();
  for (const gq::TypeUse& use : uses) {
    json.begin_object()
        .field("kind", std::string_view(use.is_edge ? "edge" : "node"))
        .field("type_name", use.name)
        .end_object();
  }
  json.end_array();
}

// The name of a column in a descriptor: without the variable of a property.
std::string_view field_name(std::string_view column) {
  const size_t point = column.find('.');
  return point == std::string_view::npos ? column : column.substr(point + 1);
}

void append_operation(JsonText& json, const gq::CheckedQuery& query) {
  json.key("operation").begin_object().key("result").begin_array();
  for (const gq::Column& column : query.columns) {
    const std::string_view kind = gq::column_kind(column.type);
    json.begin_object().field("name", field_name(column.name)).field("kind", kind);
    if (kind == "list") {
      json.field("item_kind", gq::scalar_kind(column.type.type.scalar));
    }
    if (kind == "vector") {
      json.field("vector_dim", uint64_t{column.type.type.vector_width});
    }
    json.field("nullable", column.type.type.nullable).end_object();
  }
  json.end_array();
  append_uses(json, "reads", query.reads);
  append_uses(json, "writes", query.writes);
  json.end_object();
}

void append_result(JsonText& json, const gq::LintedQuery& linted) {
  const bool good = linted.outcome.query.has_value();
  json.begin_object()
      .field("name", linted.name)
      .field("kind", std::string_view(linted.is_read ? "read" : "mutation"))
      .field("status", std::string_view(good ? "ok" : "error"));
  if (good) {
    append_operation(json, *linted.outcome.query);
  } else {
    append_problems(json, linted.outcome.problems);
  }
  json.key("warnings").begin_array();
  for (const std::string& warning : linted.warnings) {
    json.value(warning);
  }
  json.end_array().end_object();
}

void append_finding(JsonText& json, const gq::Finding& finding) {
  json.begin_object()
      .field("severity", finding.severity)
      .field("code", finding.code)
      .field("message", finding.message);
  if (!finding.type_name.empty()) {
    json.field("type_name", finding.type_name).field("property", finding.property);
    json.key("query_names").begin_array();
    for (const std::string& name : finding.query_names) {
      json.value(name);
    }
    json.end_array();
  }
  json.end_object();
}

std::string lint_json(const schema::Checked& checked, const std::vector<LintedFile>& files,
                      bool failed) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("status", std::string_view(failed ? "error" : "ok"));
  json.key("schema").begin_object();
  if (checked.schema.has_value()) {
    json.field("hash", schema::shape_hash(*checked.schema))
        .field("nodes", uint64_t{checked.schema->nodes().size()})
        .field("edges", uint64_t{checked.schema->edges().size()});
  }
  append_problems(json, checked.problems);
  json.end_object().key("results").begin_array();
  for (const LintedFile& file : files) {
    for (const gq::LintedQuery& linted : file.report.queries) {
      append_result(json, linted);
    }
  }
  json.end_array().key("findings").begin_array();
  for (const LintedFile& file : files) {
    for (const gq::Finding& finding : file.report.findings) {
      append_finding(json, finding);
    }
  }
  return json.end_array().end_object().text() + "\n";
}

std::string lint_text(const LintArguments& arguments, const schema::Checked& checked,
                      const std::vector<LintedFile>& files) {
  std::string text;
  for (const schema::Problem& problem : checked.problems) {
    text += arguments.schema_name() + ":" + schema::to_string(problem) + "\n";
  }
  for (const LintedFile& file : files) {
    for (const gq::Finding& finding : file.report.findings) {
      text += file.path + ":" +
              (finding.code == "Q000" ? "" : " " + finding.severity + " " + finding.code + ": ") +
              finding.message + "\n";
    }
    for (const gq::LintedQuery& linted : file.report.queries) {
      for (const schema::Problem& problem : linted.outcome.problems) {
        text += file.path + ":" + schema::to_string(problem) + " (query " + linted.name + ")\n";
      }
      for (const std::string& warning : linted.warnings) {
        text += file.path + ": warning: query " + linted.name + ": " + warning + "\n";
      }
    }
  }
  return text.empty() ? "no errors\n" : text;
}

Result<std::string> read_schema(const LintArguments& arguments, Session& session) {
  if (arguments.schema.empty() != arguments.names_graph()) {
    return Error(ErrorKind::kInvalid, "give a schema with --schema, or name a graph that has one");
  }
  if (!arguments.schema.empty()) {
    return read_text_file(arguments.schema, schema::kTextBytesMax);
  }
  WEFT_TRY(const auto target, GraphTarget::open(arguments.target, session));
  WEFT_TRY(const auto graph, target->snapshot(arguments.target));
  return graph->accepted().text;
}

Status lint(const LintArguments& arguments, Session& session) {
  WEFT_TRY(const std::string schema_text, read_schema(arguments, session));
  const schema::Checked checked = schema::check(schema_text);
  size_t errors = checked.problems.size();
  std::vector<LintedFile> files;
  for (const std::string& path : arguments.queries) {
    WEFT_TRY(const std::string text, read_text_file(path, schema::kTextBytesMax));
    if (!checked.schema.has_value()) {
      continue;  // queries mean nothing without a schema
    }
    files.push_back({path, gq::lint(text, *checked.schema)});
    for (const gq::Finding& finding : files.back().report.findings) {
      errors += finding.severity == "error" ? 1 : 0;
    }
    for (const gq::LintedQuery& linted : files.back().report.queries) {
      errors += linted.outcome.problems.size();
    }
  }
  session.print(session.options().json ? lint_json(checked, files, errors > 0)
                                       : lint_text(arguments, checked, files));
  if (errors > 0) {
    return Error(ErrorKind::kInvalid, "lint found errors").with("errors", errors);
  }
  return ok_status();
}

}  // namespace

void add_lint(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("lint",
                         "Check a property graph schema, and queries and mutations against it\n\n"
                         "Example: weft lint --schema schema.pg\n"
                         "         weft lint --schema schema.pg --query people.gq --json\n"
                         "         weft lint --query people.gq graph.weft");
  const auto arguments = std::make_shared<LintArguments>();
  command->add_option("--schema", arguments->schema, "Schema file (.pg), - for standard input");
  command
      ->add_option("--query", arguments->queries,
                   "File of queries and mutations (.gq; may be repeated)")
      ->allow_extra_args(false);
  add_graph_options(*command, arguments->target);
  add_time_options(*command, arguments->target);
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return lint(*arguments, s); }; });
}

}  // namespace weft::cli

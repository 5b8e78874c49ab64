#include "weft/gq/lint.h"

#include <map>
#include <set>
#include <utility>

namespace weft::gq {
namespace {

struct Updates {
  std::set<std::string> properties;
  std::vector<std::string> queries;
};

// Node type -> what updates set.
std::map<std::string, Updates> collect_updates(const std::vector<LintedQuery>& queries) {
  std::map<std::string, Updates> updates;
  for (const LintedQuery& linted : queries) {
    if (!linted.outcome.query.has_value()) {
      continue;
    }
    const auto* const mutation = std::get_if<Mutation>(&linted.outcome.query->query.body);
    if (mutation == nullptr) {
      continue;
    }
    for (const Statement& statement : mutation->statements) {
      if (const auto* const update = std::get_if<Update>(&statement)) {
        Updates& of_type = updates[update->type.text];
        for (const Assignment& value : update->values) {
          of_type.properties.insert(value.property.text);
        }
        if (of_type.queries.empty() || of_type.queries.back() != linted.name) {
          of_type.queries.push_back(linted.name);
        }
      }
    }
  }
  return updates;
}

void find_never_updated(const schema::Schema& schema, LintReport& report) {
  for (const auto& [type, updates] : collect_updates(report.queries)) {
    for (const schema::Property& property : schema.find_node(type)->properties) {
      if (property.type.nullable && !updates.properties.contains(property.name)) {
        report.findings.push_back({"warning", "L201",
                                   type + "." + property.name + " is set by no update", type,
                                   property.name, updates.queries});
      }
    }
  }
}

}  // namespace

LintReport lint(std::string_view text, const schema::Schema& schema) {
  LintReport report;
  Parsed parsed = parse(text);
  for (const schema::Problem& problem : parsed.problems) {
    report.has_errors = true;
    report.findings.push_back({"error", "Q000", schema::to_string(problem), {}, {}, {}});
  }
  if (report.has_errors) {
    return report;
  }
  std::set<std::string> names;
  for (Query& query : parsed.queries) {
    LintedQuery linted;
    linted.name = query.name.text;
    linted.is_read = query.is_read();
    if (!linted.is_read && query.parameters.empty()) {
      linted.warnings.emplace_back("mutation without parameters");
    }
    const Place place = query.name.place;
    linted.outcome = check_types(std::move(query), schema);
    if (!names.insert(linted.name).second) {
      linted.outcome.query.reset();
      linted.outcome.problems.push_back({place, "type", "a query of this name stands before"});
    }
    report.has_errors = report.has_errors || !linted.outcome.query.has_value();
    report.queries.push_back(std::move(linted));
  }
  find_never_updated(schema, report);
  return report;
}

std::string_view scalar_kind(schema::Scalar scalar) {
  switch (scalar) {
    case schema::Scalar::kString:
      return "string";
    case schema::Scalar::kBlob:
      return "blob";
    case schema::Scalar::kBool:
      return "bool";
    case schema::Scalar::kI32:
    case schema::Scalar::kU32:
      return "int";
    case schema::Scalar::kI64:
    case schema::Scalar::kU64:
      return "bigint";
    case schema::Scalar::kF32:
    case schema::Scalar::kF64:
      return "float";
    case schema::Scalar::kDate:
      return "date";
    case schema::Scalar::kDateTime:
      break;
  }
  return "datetime";
}

std::string_view column_kind(const ColumnType& type) {
  if (type.kind == ColumnType::Kind::kNode) {
    return "object";
  }
  if (type.type.is_vector()) {
    return "vector";
  }
  return type.type.is_list ? "list" : scalar_kind(type.type.scalar);
}

}  // namespace weft::gq

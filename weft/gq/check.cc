#include "weft/gq/check.h"

#include <utility>

#include "weft/gq/checker.h"
#include "weft/gq/parser.h"
#include "weft/schema/scanner.h"

namespace weft::gq {

Parsed parse(std::string_view text) {
  schema::Problems problems;
  Place place;
  if (text.size() > schema::kTextBytesMax) {
    problems.add({}, "limit",
                 "a query text has at most " + std::to_string(schema::kTextBytesMax) + " bytes");
  } else if (schema::find_bad_utf8(text, place)) {
    problems.add(place, "parse", "bytes that are no UTF-8");
  }
  Parsed parsed;
  if (problems.empty()) {
    parsed.queries = Parser(text, problems).run();
  }
  parsed.problems = problems.sorted();
  return parsed;
}

Result<std::vector<Query>> parse_file(std::string_view text) {
  if (text.size() > schema::kTextBytesMax) {
    return Error(ErrorKind::kLimit, "query text is too long")
        .with("text_bytes", text.size())
        .with("text_bytes_max", schema::kTextBytesMax);
  }
  Parsed parsed = parse(text);
  if (!parsed.problems.empty()) {
    return schema::to_error("query text", parsed.problems);
  }
  return std::move(parsed.queries);
}

Result<Query> select_query(std::vector<Query> queries, std::string_view name) {
  if (name.empty()) {
    if (queries.size() != 1) {
      return Error(ErrorKind::kInvalid,
                   queries.empty() ? "text has no query" : "text has several queries; name one")
          .with("queries", queries.size());
    }
    return std::move(queries[0]);
  }
  Query* found = nullptr;
  for (Query& query : queries) {
    if (query.name.text == name) {
      if (found != nullptr) {
        return Error(ErrorKind::kInvalid, "text has two queries of one name")
            .with("query", name)
            .with("place", schema::to_string(query.name.place));
      }
      found = &query;
    }
  }
  if (found == nullptr) {
    return Error(ErrorKind::kNotFound, "query not found in text").with("query", name);
  }
  return std::move(*found);
}

Status require_read(const Query& query) {
  return query.is_read() ? ok_status()
                         : Error(ErrorKind::kInvalid, "query is a mutation; run it as one")
                               .with("query", query.name.text);
}

Status require_mutation(const Query& query) {
  return query.is_read() ? Error(ErrorKind::kInvalid, "query reads; it is no mutation")
                               .with("query", query.name.text)
                         : ok_status();
}

CheckOutcome check_types(Query query, const schema::Schema& schema) {
  return Checker(std::move(query), schema).run();
}

Result<CheckedQuery> check_query(Query query, const schema::Schema& schema) {
  const std::string subject = "query " + query.name.text;
  CheckOutcome outcome = check_types(std::move(query), schema);
  if (!outcome.query.has_value()) {
    return schema::to_error(subject, outcome.problems);
  }
  return *std::move(outcome.query);
}

std::string edge_text(const schema::EdgeType& edge) {
  return edge.name + ": " + edge.from + " -> " + edge.to;
}

std::string Checker::Type::described() const {
  switch (kind) {
    case Kind::kBroken:
      return "unknown";
    case Kind::kNode:
      return "a whole node (" + node + ")";
    case Kind::kEmptyList:
      return "an empty list";
    case Kind::kValue:
      break;
  }
  schema::PropertyType type = value;
  type.nullable = false;
  // The values of an enum are no help here.
  type.enum_values.clear();
  return type.to_string();
}

CheckOutcome Checker::run() {
  check_parameters();
  if (auto* const read = std::get_if<Read>(&out_.query.body)) {
    check_read(*read);
  } else {
    check_mutation(std::get<Mutation>(out_.query.body));
  }
  out_.reads.assign(reads_.begin(), reads_.end());
  out_.writes.assign(writes_.begin(), writes_.end());
  CheckOutcome outcome;
  outcome.problems = problems_.sorted();
  if (outcome.problems.empty()) {
    outcome.query = std::move(out_);
  }
  return outcome;
}

void Checker::check_parameters() {
  std::set<std::string_view> names;
  for (const Parameter& parameter : out_.query.parameters) {
    if (!names.insert(parameter.name.text).second) {
      report(parameter.name.place, "type",
             "parameter $" + parameter.name.text + " is declared twice");
    }
    // The origin hands the moment of a request around under this name.
    if (parameter.name.text == "__nanograph_now") {
      report(parameter.name.place, "type", "the name $__nanograph_now is reserved");
    }
    if (parameter.type.is_list && parameter.type.scalar == schema::Scalar::kBlob) {
      report(parameter.name.place, "type", "there are no lists of Blob");
    }
  }
}

}  // namespace weft::gq

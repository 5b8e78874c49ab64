#include <algorithm>
#include <map>
#include <utility>

#include "tests/conformance/sparql/answers.h"
#include "tests/conformance/sparql/test_graph.h"

#include "weft/json/value.h"
#include "weft/rdf/term.h"
#include "weft/sparql/parser.h"

namespace weft::conformance {
namespace {

std::string text_of(const json::Value* value) {
  return value != nullptr && value->as_string() != nullptr ? *value->as_string() : std::string();
}

std::string json_term(const json::Value& term) {
  const std::string type = text_of(term.find("type"));
  const std::string value = text_of(term.find("value"));
  if (type == "uri") {
    return rdf::make_iri(value);
  }
  if (type == "bnode") {
    return "_:" + value;
  }
  if (type == "triple") {
    const json::Value& parts = *term.find("value");
    return rdf::make_triple(json_term(*parts.find("subject")), json_term(*parts.find("predicate")),
                            json_term(*parts.find("object")));
  }
  return rdf::make_literal(value, text_of(term.find("xml:lang")), text_of(term.find("its:dir")),
                           text_of(term.find("datatype")));
}

// Records of fields as RFC 4180 has them, for any separator.
std::vector<std::vector<std::string>> split_records(std::string_view text, char separator,
                                                    bool quotes) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quotes && c == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"') {
        record.back().push_back('"');
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (!quoted && c == separator) {
      record.emplace_back();
    } else if (!quoted && c == '\n') {
      if (record.back().ends_with('\r')) {
        record.back().pop_back();
      }
      records.push_back(std::exchange(record, std::vector<std::string>(1)));
    } else {
      record.back().push_back(c);
    }
  }
  if (record.size() > 1 || !record.back().empty()) {
    records.push_back(std::move(record));
  }
  return records;
}

// A field of TSV is a term of SPARQL: let VALUES read it.
Result<std::string> sparql_term(const std::string& text) {
  if (text.empty() || text.starts_with("_:")) {
    return text;
  }
  WEFT_TRY(const sparql::Query query, sparql::parse_query("ASK { VALUES ?x { " + text + " } }"));
  return std::get<sparql::Values>(query.pattern->operation).rows.front().front().value_or("");
}

constexpr std::string_view kResultSet = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#";

std::string rs(std::string_view local) {
  return rdf::make_iri(std::string(kResultSet).append(local));
}

// A result set in RDF; nullopt if the graph holds none.
std::optional<Answers> result_set(const TestGraph& graph) {
  const std::string type = rdf::make_iri(std::string(rdf::kRdf) + "type");
  const std::vector<std::string> sets = graph.subjects(type, rs("ResultSet"));
  if (sets.empty()) {
    return std::nullopt;
  }
  const std::string& set = sets.front();
  Answers answers;
  if (const std::string boolean = graph.object(set, rs("boolean")); !boolean.empty()) {
    answers.kind = Answers::Kind::kBoolean;
    answers.boolean = literal_text(boolean) == "true" || literal_text(boolean) == "1";
    return answers;
  }
  for (const std::string& name : graph.objects(set, rs("resultVariable"))) {
    answers.variables.push_back(literal_text(name));
  }
  std::vector<std::pair<long, std::vector<std::string>>> rows;
  for (const std::string& solution : graph.objects(set, rs("solution"))) {
    std::vector<std::string> row(answers.variables.size());
    for (const std::string& binding : graph.objects(solution, rs("binding"))) {
      const std::string name = literal_text(graph.object(binding, rs("variable")));
      const auto found = std::find(answers.variables.begin(), answers.variables.end(), name);
      if (found != answers.variables.end()) {
        row[static_cast<size_t>(found - answers.variables.begin())] =
            graph.object(binding, rs("value"));
      }
    }
    const std::string index = literal_text(graph.object(solution, rs("index")));
    answers.ordered = answers.ordered || !index.empty();
    rows.emplace_back(index.empty() ? 0 : std::stol(index), std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [index, row] : rows) {
    answers.rows.push_back(std::move(row));
  }
  return answers;
}

}  // namespace

Result<Answers> parse_srj(std::string_view text) {
  WEFT_TRY(const json::Value document, json::parse(text));
  Answers answers;
  if (const json::Value* boolean = document.find("boolean")) {
    answers.kind = Answers::Kind::kBoolean;
    answers.boolean = boolean->as_boolean().value_or(false);
    return answers;
  }
  const json::Value* head = document.find("head");
  const json::Value* results = document.find("results");
  if (head == nullptr || results == nullptr || results->find("bindings") == nullptr) {
    return Error(ErrorKind::kInvalid, "no head or bindings in this result");
  }
  if (const json::Value* names = head->find("vars")) {
    for (const json::Value& name : names->items()) {
      answers.variables.push_back(text_of(&name));
    }
  }
  for (const json::Value& binding : results->find("bindings")->items()) {
    std::vector<std::string> row;
    for (const std::string& name : answers.variables) {
      const json::Value* term = binding.find(name);
      row.push_back(term == nullptr ? "" : json_term(*term));
    }
    answers.rows.push_back(std::move(row));
  }
  return answers;
}

Result<Answers> parse_csv(std::string_view text) {
  auto records = split_records(text, ',', true);
  if (records.empty()) {
    return Error(ErrorKind::kInvalid, "a CSV result without a head");
  }
  Answers answers;
  answers.strings_only = true;
  answers.variables = std::move(records.front());
  answers.rows.assign(std::make_move_iterator(records.begin() + 1),
                      std::make_move_iterator(records.end()));
  return answers;
}

Result<Answers> parse_tsv(std::string_view text) {
  auto records = split_records(text, '\t', false);
  if (records.empty()) {
    return Error(ErrorKind::kInvalid, "a TSV result without a head");
  }
  Answers answers;
  for (const std::string& name : records.front()) {
    answers.variables.push_back(name.starts_with('?') ? name.substr(1) : name);
  }
  for (size_t i = 1; i < records.size(); ++i) {
    std::vector<std::string> row;
    for (const std::string& field : records[i]) {
      WEFT_TRY(std::string token, sparql_term(field));
      row.push_back(std::move(token));
    }
    answers.rows.push_back(std::move(row));
  }
  return answers;
}

Result<Answers> read_answers(const std::string& path) {
  if (path.ends_with(".srx") || path.ends_with(".srj") || path.ends_with(".csv") ||
      path.ends_with(".tsv")) {
    WEFT_TRY(const std::string text, read_text(path));
    return path.ends_with(".srx")   ? parse_srx(text)
           : path.ends_with(".srj") ? parse_srj(text)
           : path.ends_with(".csv") ? parse_csv(text)
                                    : parse_tsv(text);
  }
  TestGraph graph;
  WEFT_TRY_STATUS(read_rdf(path, "file://" + path, graph));
  if (std::optional<Answers> set = result_set(graph)) {
    return std::move(*set);
  }
  Answers answers;
  answers.kind = Answers::Kind::kGraph;
  for (const TestGraph::Row& row : graph.rows()) {
    answers.rows.push_back({row[0], row[1], row[2]});
  }
  return answers;
}

}  // namespace weft::conformance

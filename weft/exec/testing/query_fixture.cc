#include "weft/exec/testing/query_fixture.h"

#include <algorithm>
#include <cctype>

#include "weft/rdf/term.h"
#include "weft/sparql/parser.h"

namespace weft::exec {
namespace {

constexpr std::string_view kNamespace = "http://e/";

std::string typed(std::string_view text, std::string_view type) {
  return rdf::make_literal(text, {}, {}, std::string(rdf::kXsd) + std::string(type));
}

}  // namespace

std::string expand(std::string_view text) {
  if (text.starts_with(':')) {
    return "<" + std::string(kNamespace) + std::string(text.substr(1)) + ">";
  }
  if (text == "true" || text == "false") {
    return typed(text, "boolean");
  }
  if (!text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-')) {
    return typed(text, text.contains('e') ? "double" : text.contains('.') ? "decimal" : "integer");
  }
  return std::string(text);
}

std::string abbreviate(std::string_view token) {
  if (token.empty()) {
    return "-";
  }
  const std::string iri_start = "<" + std::string(kNamespace);
  if (token.starts_with(iri_start)) {
    return ":" + std::string(token.substr(iri_start.size(), token.size() - iri_start.size() - 1));
  }
  for (const std::string_view type : {"integer", "decimal", "double", "boolean"}) {
    const std::string tail = "\"^^<" + std::string(rdf::kXsd) + std::string(type) + ">";
    if (token.ends_with(tail)) {
      return std::string(token.substr(1, token.size() - 1 - tail.size()));
    }
  }
  std::string result(token);
  const std::string xsd = "^^<" + std::string(rdf::kXsd);
  if (const size_t at = result.find(xsd); at != std::string::npos) {
    result = result.substr(0, at) +
             "^^xsd:" + result.substr(at + xsd.size(), result.size() - at - xsd.size() - 1);
  }
  return result;
}

void add_statements(VectorSource::Builder& builder, std::string_view text) {
  std::vector<std::string> terms;
  for (size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) == 0) {
      ++end;
    }
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (word != ".") {
      terms.push_back(expand(word));
      continue;
    }
    if (terms.size() >= 3) {
      builder.add(terms[0], terms[1], terms[2], terms.size() > 3 ? terms[3] : "");
    }
    terms.clear();
  }
}

std::unique_ptr<VectorSource> make_source(std::string_view statements,
                                          VectorSourceOptions options) {
  VectorSource::Builder builder;
  add_statements(builder, statements);
  return std::move(builder).build(options);
}

Status LineSink::accept(std::span<const rdf::QuadView> quads) {
  for (const rdf::QuadView& quad : quads) {
    lines.push_back(abbreviate(quad.subject) + " " + abbreviate(quad.predicate) + " " +
                    abbreviate(quad.object));
  }
  return ok_status();
}

QueryOptions QueryRunner::options() {
  QueryOptions options;
  options.budget = &budget_;
  options.executor = executor != nullptr ? executor : &inline_executor_;
  options.parallel = parallel;
  options.clock = &clock_;
  options.random = &random_;
  options.services = services;
  options.stop = stop;
  options.timeout_ms = timeout_ms;
  return options;
}

Result<std::unique_ptr<PreparedQuery>> QueryRunner::prepare(std::string_view query) {
  sparql::ParseOptions parse_options;
  parse_options.prefixes = {{"", std::string(kNamespace)}, {"xsd", std::string(rdf::kXsd)}};
  parse_options.base_iri = "http://base/dir/";
  WEFT_TRY(sparql::Query parsed, sparql::parse_query(query, parse_options));
  return exec::prepare(std::move(parsed), source_, options());
}

namespace {

Status read_all(PreparedQuery& query, std::vector<std::string>& rows) {
  WEFT_TRY(const std::unique_ptr<Solutions> solutions, query.select());
  for (RowBatch batch;;) {
    WEFT_TRY_STATUS(solutions->next(batch));
    if (batch.empty()) {
      return ok_status();
    }
    std::vector<rdf::TermId> ids;
    for (size_t row = 0; row < batch.rows; ++row) {
      for (const Column& column : batch.columns) {
        ids.push_back(column[row]);
      }
    }
    std::vector<std::string> tokens;
    WEFT_TRY_STATUS(solutions->tokens(ids, tokens));
    const size_t width = batch.columns.size();
    for (size_t row = 0; row < batch.rows; ++row) {
      std::string line;
      for (size_t c = 0; c < width; ++c) {
        line += (c == 0 ? "" : " ") + abbreviate(tokens[row * width + c]);
      }
      rows.push_back(line);
    }
  }
}

}  // namespace

std::vector<std::string> QueryRunner::ordered_rows(std::string_view query) {
  Result<std::unique_ptr<PreparedQuery>> prepared = prepare(query);
  if (!prepared.ok()) {
    return {"error: " + prepared.error().to_string()};
  }
  std::vector<std::string> rows;
  const Status status = read_all(**prepared, rows);
  explanation_ = (*prepared)->explain();
  if (!status.ok()) {
    return {"error: " + status.error().to_string()};
  }
  return rows;
}

std::vector<std::string> QueryRunner::rows(std::string_view query) {
  std::vector<std::string> rows = ordered_rows(query);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::string> QueryRunner::triples(std::string_view query) {
  Result<std::unique_ptr<PreparedQuery>> prepared = prepare(query);
  if (!prepared.ok()) {
    return {"error: " + prepared.error().to_string()};
  }
  LineSink sink;
  const Status status = (*prepared)->construct(sink);
  if (!status.ok()) {
    return {"error: " + status.error().to_string()};
  }
  std::sort(sink.lines.begin(), sink.lines.end());
  return sink.lines;
}

std::string QueryRunner::ask(std::string_view query) {
  Result<std::unique_ptr<PreparedQuery>> prepared = prepare(query);
  if (!prepared.ok()) {
    return "error: " + prepared.error().to_string();
  }
  const Result<bool> answer = (*prepared)->ask();
  explanation_ = (*prepared)->explain();
  if (!answer.ok()) {
    return "error: " + answer.error().to_string();
  }
  return *answer ? "true" : "false";
}

std::string QueryRunner::explain(std::string_view query) {
  Result<std::unique_ptr<PreparedQuery>> prepared = prepare(query);
  return prepared.ok() ? (*prepared)->explain() : "error: " + prepared.error().to_string();
}

std::string QueryRunner::value(std::string_view expression) {
  const std::vector<std::string> rows =
      ordered_rows("SELECT (" + std::string(expression) + " AS ?v) {}");
  return rows.size() == 1 ? rows[0] : "rows: " + std::to_string(rows.size());
}

}  // namespace weft::exec

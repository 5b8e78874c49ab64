#include "tests/conformance/sparql/test_graph.h"

#include <fstream>
#include <iterator>
#include <memory>

#include "weft/rdf/term.h"
#include "weft/rdfio/parse.h"

namespace weft::conformance {

Status TestGraph::accept(std::span<const rdf::QuadView> quads) {
  for (const rdf::QuadView& quad : quads) {
    rows_.push_back({std::string(quad.subject), std::string(quad.predicate),
                     std::string(quad.object), std::string(quad.graph)});
  }
  return ok_status();
}

std::vector<std::string> TestGraph::objects(std::string_view subject,
                                            std::string_view predicate) const {
  std::vector<std::string> result;
  for (const Row& row : rows_) {
    if (row[0] == subject && row[1] == predicate) {
      result.push_back(row[2]);
    }
  }
  return result;
}

std::string TestGraph::object(std::string_view subject, std::string_view predicate) const {
  for (const Row& row : rows_) {
    if (row[0] == subject && row[1] == predicate) {
      return row[2];
    }
  }
  return {};
}

std::vector<std::string> TestGraph::subjects(std::string_view predicate,
                                             std::string_view object) const {
  std::vector<std::string> result;
  for (const Row& row : rows_) {
    if (row[1] == predicate && row[2] == object) {
      result.push_back(row[0]);
    }
  }
  return result;
}

std::vector<std::string> TestGraph::list(std::string head) const {
  const std::string rdf(rdf::kRdf);
  std::vector<std::string> result;
  while (!head.empty() && head != rdf::make_iri(rdf + "nil") && result.size() <= rows_.size()) {
    result.push_back(object(head, rdf::make_iri(rdf + "first")));
    head = object(head, rdf::make_iri(rdf + "rest"));
  }
  return result;
}

Status read_rdf(const std::string& path, const std::string& base_iri, rdf::QuadSink& sink) {
  const auto format = rdfio::format_by_file_name(path);
  if (!format.has_value()) {
    return Error(ErrorKind::kInvalid, "unknown RDF syntax").with("file", path);
  }
  WEFT_TRY(const std::unique_ptr<rdfio::InputStream> input, rdfio::open_input(path));
  rdfio::ParseOptions options;
  options.base_iri = base_iri;
  options.file_name = path;
  const auto report = rdfio::parse(*input, *format, options, sink);
  return report.ok() ? ok_status() : Status(report.error());
}

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error(ErrorKind::kNotFound, "cannot read").with("file", path);
  }
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string literal_text(std::string_view token) {
  if (token.empty() || rdf::kind_of(token) != rdf::TermKind::kLiteral) {
    return {};
  }
  return rdf::unescape(rdf::split_literal(token).escaped).value_or("");
}

}  // namespace weft::conformance

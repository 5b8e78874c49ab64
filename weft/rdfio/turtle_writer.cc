// Turtle and TriG: statements with one subject are written together, and so are those of one graph.
#include <algorithm>
#include <optional>

#include "weft/rdf/term.h"
#include "weft/rdfio/buffered_output.h"
#include "weft/rdfio/characters.h"
#include "weft/rdfio/namespaces.h"
#include "weft/rdfio/write.h"
#include "weft/rdfio/write_terms.h"
#include "weft/rdfio/writers.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";

std::string_view skip_digits(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  return text.substr(static_cast<size_t>(end - text.begin()));
}

// Whether a literal of this XSD type may be written without quotes, and is the same again when
// read. (Turtle, section 2.5.2)
bool is_bare(std::string_view type, std::string_view lexical) {
  if (type == "boolean") {
    return lexical == "true" || lexical == "false";
  }
  if (lexical.starts_with('+') || lexical.starts_with('-')) {
    lexical.remove_prefix(1);
  }
  const std::string_view behind = skip_digits(lexical);
  const bool has_integer = behind.size() != lexical.size();
  if (type == "integer") {
    return has_integer && behind.empty();
  }
  std::string_view rest = behind;
  bool has_fraction = false;
  if (rest.starts_with('.')) {
    rest = skip_digits(rest.substr(1));
    has_fraction = behind.size() - rest.size() > 1;
  }
  if (type == "decimal") {
    return has_fraction && rest.empty();
  }
  if (type != "double" || (!has_integer && !has_fraction) ||
      (!rest.starts_with('e') && !rest.starts_with('E'))) {
    return false;
  }
  rest.remove_prefix(1);
  if (rest.starts_with('+') || rest.starts_with('-')) {
    rest.remove_prefix(1);
  }
  return !rest.empty() && skip_digits(rest).empty();
}

using Prefixes = std::vector<std::pair<std::string, std::string>>;

// Those that a document can declare.
Prefixes declarable(const Prefixes& prefixes) {
  Prefixes kept;
  for (const auto& [prefix, iri] : prefixes) {
    const char* const end = prefix.data() + prefix.size();
    if (scan_prefix(prefix.data(), end) == end && rdf::is_canonical(rdf::make_iri(iri))) {
      kept.emplace_back(prefix, iri);
    }
  }
  return kept;
}

class TurtleWriter final : public QuadWriter {
 public:
  TurtleWriter(Format format, OutputStream& output, const WriteOptions& options)
      : format_(format),
        out_(output),
        options_(options),
        namespaces_(declarable(options.prefixes)) {
    std::string& text = out_.text();
    if (options.announce_version) {
      announce();
    }
    for (const auto& [prefix, iri] : namespaces_.prefixes()) {
      text.append("@prefix ").append(prefix).append(": <").append(iri).append("> .\n");
    }
    if (!namespaces_.prefixes().empty()) {
      text.push_back('\n');
    }
  }

  Status accept(std::span<const rdf::QuadView> quads) override {
    for (const rdf::QuadView& quad : quads) {
      WEFT_TRY_STATUS(check_writable(quad, options_.triple_terms));
      WEFT_TRY_STATUS(append(quad));
      WEFT_TRY_STATUS(out_.flush_if_large());
    }
    return ok_status();
  }

  Status finish() override {
    end_graph();
    return out_.flush();
  }

 private:
  Status append(const rdf::QuadView& quad) {
    std::string_view graph = options_.merge_graphs ? std::string_view() : quad.graph;
    if (format_ == Format::kTurtle && !graph.empty()) {
      return cannot_hold("Turtle", "named graphs", graph);
    }
    const bool is_star = options_.triple_terms == TripleTermSyntax::kRdfStar;
    if (!announced_ && !is_star && (needs_rdf12(quad.object) || needs_rdf12(quad.subject))) {
      end_graph();
      announce();
    }
    std::string& text = out_.text();
    if (graph != graph_) {
      end_graph();
      graph_ = graph;
      if (!graph.empty()) {
        append_term(graph);
        text.append(" {\n");
      }
    }
    const std::string_view indent = graph_.empty() ? "" : "  ";
    if (!is_open_ || quad.subject != subject_) {
      end_statement();
      text.append(indent);
      append_term(quad.subject);
      text.push_back(' ');
      append_verb(quad.predicate);
      subject_ = quad.subject;
    } else if (quad.predicate == predicate_) {
      text.append(" ,\n    ").append(indent);
      append_term(quad.object);
      return ok_status();
    } else {
      text.append(" ;\n  ").append(indent);
      append_verb(quad.predicate);
    }
    predicate_ = quad.predicate;
    text.push_back(' ');
    append_term(quad.object);
    is_open_ = true;
    return ok_status();
  }

  void announce() {
    out_.text().append("VERSION \"1.2\"\n");
    announced_ = true;
  }

  void end_statement() {
    if (is_open_) {
      out_.text().append(" .\n");
      is_open_ = false;
    }
  }

  void end_graph() {
    end_statement();
    if (!graph_.empty()) {
      out_.text().append("}\n");
      graph_.clear();
    }
  }

  void append_verb(std::string_view token) {
    if (token == kType) {
      out_.text().push_back('a');
    } else {
      append_term(token);
    }
  }

  void append_term(std::string_view token) {
    switch (rdf::kind_of(token)) {
      case rdf::TermKind::kIri:
        append_iri(token);
        return;
      case rdf::TermKind::kBlankNode:
        out_.text().append(token);
        return;
      case rdf::TermKind::kLiteral:
        append_literal(token);
        return;
      case rdf::TermKind::kTriple:
        append_triple(token);
        return;
    }
  }

  void append_iri(std::string_view token) {
    const std::optional<SplitName> name = namespaces_.split(rdf::iri_of(token));
    if (name) {
      out_.text().append(name->prefix).append(":").append(name->local);
    } else {
      out_.text().append(token);
    }
  }

  void append_literal(std::string_view token) {
    const rdf::LiteralParts parts = rdf::split_literal(token);
    if (parts.datatype.empty()) {
      out_.text().append(token);
      return;
    }
    if (parts.datatype.starts_with(rdf::kXsd) &&
        is_bare(parts.datatype.substr(rdf::kXsd.size()), parts.escaped)) {
      out_.text().append(parts.escaped);
      return;
    }
    out_.text().append("\"").append(parts.escaped).append("\"^^");
    append_iri(token.substr(parts.escaped.size() + 4));
  }

  void append_triple(std::string_view token) {
    const std::optional<rdf::TripleParts> parts = rdf::split_triple(token);
    WEFT_CHECK(parts.has_value());  // check_writable has seen it
    const bool is_star = options_.triple_terms == TripleTermSyntax::kRdfStar;
    out_.text().append(is_star ? "<< " : "<<( ");
    for (const std::string_view part : {parts->subject, parts->predicate, parts->object}) {
      append_term(part);
      out_.text().push_back(' ');
    }
    out_.text().append(is_star ? ">>" : ")>>");
  }

  Format format_;
  BufferedOutput out_;
  WriteOptions options_;
  Namespaces namespaces_;
  bool announced_ = false;
  bool is_open_ = false;
  std::string graph_;
  std::string subject_;
  std::string predicate_;
};

}  // namespace

std::unique_ptr<QuadWriter> make_turtle_writer(Format format, OutputStream& output,
                                               const WriteOptions& options) {
  return std::make_unique<TurtleWriter>(format, output, options);
}

}  // namespace weft::rdfio

// SPARQL 1.1 Query Results JSON Format, with the triples and directions of SPARQL 1.2.
#include <utility>
#include <vector>

#include "weft/json/value.h"
#include "weft/rdf/term.h"
#include "weft/results/text_sink.h"
#include "weft/results/writers.h"

namespace weft::results {
namespace {

void append_member(std::string& out, std::string_view name, std::string_view value) {
  out += ",\"";
  out += name;
  out += "\":";
  json::append_quoted(out, value);
}

void append_term(std::string& out, std::string_view token);

void append_literal(std::string& out, std::string_view token) {
  const rdf::LiteralParts parts = rdf::split_literal(token);
  out += "{\"type\":\"literal\"";
  append_member(out, "value", rdf::unescape(parts.escaped).value_or(std::string(parts.escaped)));
  if (!parts.language.empty()) {
    append_member(out, "xml:lang", parts.language);
    if (!parts.direction.empty()) {
      append_member(out, "its:dir", parts.direction);
    }
  } else if (!parts.datatype.empty()) {
    append_member(out, "datatype", parts.datatype);
  }
  out += "}";
}

void append_triple(std::string& out, std::string_view token) {
  const std::optional<rdf::TripleParts> parts = rdf::split_triple(token);
  out += "{\"type\":\"triple\",\"value\":{\"subject\":";
  append_term(out, parts.has_value() ? parts->subject : "");
  out += ",\"predicate\":";
  append_term(out, parts.has_value() ? parts->predicate : "");
  out += ",\"object\":";
  append_term(out, parts.has_value() ? parts->object : "");
  out += "}}";
}

// Triple terms are nested no deeper than the tokens that readers accept.
void append_term(std::string& out, std::string_view token) {
  if (token.empty()) {
    out += "null";
    return;
  }
  switch (rdf::kind_of(token)) {
    case rdf::TermKind::kIri:
      out += "{\"type\":\"uri\"";
      append_member(out, "value", rdf::iri_of(token));
      out += "}";
      return;
    case rdf::TermKind::kBlankNode:
      out += "{\"type\":\"bnode\"";
      append_member(out, "value", token.substr(2));
      out += "}";
      return;
    case rdf::TermKind::kLiteral:
      append_literal(out, token);
      return;
    case rdf::TermKind::kTriple:
      append_triple(out, token);
      return;
  }
}

class JsonWriter final : public ResultWriter {
 public:
  explicit JsonWriter(rdfio::OutputStream& output) : sink_(output) {}

  Status begin(std::span<const std::string> variables) override {
    std::string& out = sink_.buffer();
    out += "{\"head\":{\"vars\":[";
    for (const std::string& variable : variables) {
      if (!names_.empty()) {
        out += ",";
      }
      std::string name;
      json::append_quoted(name, variable);
      out += name;
      names_.push_back(std::move(name));
    }
    out += "]},\"results\":{\"bindings\":[";
    return ok_status();
  }

  Status rows(std::span<const std::string> tokens, size_t row_count) override {
    std::string& out = sink_.buffer();
    for (size_t row = 0; row < row_count; ++row) {
      out += first_ ? "\n{" : ",\n{";
      first_ = false;
      bool first_binding = true;
      for (size_t i = 0; i < names_.size(); ++i) {
        const std::string& token = tokens[row * names_.size() + i];
        if (token.empty()) {
          continue;
        }
        out += first_binding ? "" : ",";
        first_binding = false;
        out += names_[i];
        out += ":";
        append_term(out, token);
      }
      out += "}";
      WEFT_TRY_STATUS(sink_.spill());
    }
    return ok_status();
  }

  Status end() override {
    sink_.buffer() += first_ ? "]}}\n" : "\n]}}\n";
    return sink_.flush();
  }

  Status boolean(bool answer) override {
    sink_.buffer() +=
        answer ? "{\"head\":{},\"boolean\":true}\n" : "{\"head\":{},\"boolean\":false}\n";
    return sink_.flush();
  }

 private:
  TextSink sink_;
  std::vector<std::string> names_;  // quoted
  bool first_ = true;
};

}  // namespace

std::unique_ptr<ResultWriter> make_json_writer(rdfio::OutputStream& output) {
  return std::make_unique<JsonWriter>(output);
}

}  // namespace weft::results

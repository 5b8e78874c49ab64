// SPARQL Query Results XML Format (Second Edition), with the triples and directions of SPARQL 1.2.
#include <utility>
#include <vector>

#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"
#include "weft/results/text_sink.h"
#include "weft/results/writers.h"

namespace weft::results {
namespace {

constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\" "
    "xmlns:its=\"http://www.w3.org/2005/11/its\" its:version=\"2.0\">\n";

// XML 1.0 §2.2: most control characters have no form at all, U+FFFE and U+FFFF neither.
bool is_xml_character(char32_t c) {
  return (c >= 0x20 && c != 0xFFFE && c != 0xFFFF) || c == '\t' || c == '\n' || c == '\r';
}

Status append_text(std::string& out, std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const rdf::DecodedCodePoint point = rdf::decode_code_point(text.substr(i));
    if (point.size_bytes == 0 || !is_xml_character(point.value)) {
      return Error(ErrorKind::kInvalid, "write result: XML cannot hold this character")
          .with("code_point", static_cast<uint64_t>(point.value))
          .with("remedy", "ask for JSON, CSV or TSV");
    }
    switch (point.value) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\r':  // a reader would make a line feed of it
        out += "&#xD;";
        break;
      case '\n':  // in an attribute it would become a space
        out += "&#xA;";
        break;
      case '\t':
        out += "&#x9;";
        break;
      default:
        out.append(text.substr(i, point.size_bytes));
    }
    i += point.size_bytes;
  }
  return ok_status();
}

Status append_element(std::string& out, std::string_view name, std::string_view text) {
  out.append("<").append(name).append(">");
  WEFT_TRY_STATUS(append_text(out, text));
  out.append("</").append(name).append(">");
  return ok_status();
}

Status append_literal(std::string& out, std::string_view token) {
  const rdf::LiteralParts parts = rdf::split_literal(token);
  out += "<literal";
  if (!parts.language.empty()) {
    out.append(" xml:lang=\"").append(parts.language).append("\"");
    if (!parts.direction.empty()) {
      out.append(" its:dir=\"").append(parts.direction).append("\"");
    }
  } else if (!parts.datatype.empty()) {
    out += " datatype=\"";
    WEFT_TRY_STATUS(append_text(out, parts.datatype));
    out += "\"";
  }
  out += ">";
  WEFT_TRY_STATUS(
      append_text(out, rdf::unescape(parts.escaped).value_or(std::string(parts.escaped))));
  out += "</literal>";
  return ok_status();
}

Status append_term(std::string& out, std::string_view token);

Status append_triple(std::string& out, std::string_view token) {
  const std::optional<rdf::TripleParts> parts = rdf::split_triple(token);
  if (!parts.has_value()) {
    return Error(ErrorKind::kInvalid, "write result: malformed triple term").with("term", token);
  }
  out += "<triple><subject>";
  WEFT_TRY_STATUS(append_term(out, parts->subject));
  out += "</subject><predicate>";
  WEFT_TRY_STATUS(append_term(out, parts->predicate));
  out += "</predicate><object>";
  WEFT_TRY_STATUS(append_term(out, parts->object));
  out += "</object></triple>";
  return ok_status();
}

Status append_term(std::string& out, std::string_view token) {
  switch (rdf::kind_of(token)) {
    case rdf::TermKind::kIri:
      return append_element(out, "uri", rdf::iri_of(token));
    case rdf::TermKind::kBlankNode:
      return append_element(out, "bnode", token.substr(2));
    case rdf::TermKind::kLiteral:
      return append_literal(out, token);
    case rdf::TermKind::kTriple:
      return append_triple(out, token);
  }
  return ok_status();
}

class XmlWriter final : public ResultWriter {
 public:
  explicit XmlWriter(rdfio::OutputStream& output) : sink_(output) {}

  Status begin(std::span<const std::string> variables) override {
    std::string& out = sink_.buffer();
    out.append(kHead).append("  <head>\n");
    names_.assign(variables.begin(), variables.end());
    for (const std::string& name : names_) {
      out.append("    <variable name=\"").append(name).append("\"/>\n");
    }
    out += "  </head>\n  <results>\n";
    return ok_status();
  }

  Status rows(std::span<const std::string> tokens, size_t row_count) override {
    std::string& out = sink_.buffer();
    for (size_t row = 0; row < row_count; ++row) {
      out += "    <result>\n";
      for (size_t i = 0; i < names_.size(); ++i) {
        const std::string& token = tokens[row * names_.size() + i];
        if (token.empty()) {
          continue;
        }
        out.append("      <binding name=\"").append(names_[i]).append("\">");
        WEFT_TRY_STATUS(append_term(out, token));
        out += "</binding>\n";
      }
      out += "    </result>\n";
      WEFT_TRY_STATUS(sink_.spill());
    }
    return ok_status();
  }

  Status end() override {
    sink_.buffer() += "  </results>\n</sparql>\n";
    return sink_.flush();
  }

  Status boolean(bool answer) override {
    sink_.buffer()
        .append(kHead)
        .append("  <head/>\n  <boolean>")
        .append(answer ? "true" : "false")
        .append("</boolean>\n</sparql>\n");
    return sink_.flush();
  }

 private:
  TextSink sink_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_xml_writer(rdfio::OutputStream& output) {
  return std::make_unique<XmlWriter>(output);
}

}  // namespace weft::results

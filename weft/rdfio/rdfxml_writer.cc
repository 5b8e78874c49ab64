// RDF/XML: one rdf:Description per run of statements with one subject.
#include <algorithm>
#include <optional>

#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"
#include "weft/rdfio/buffered_output.h"
#include "weft/rdfio/characters.h"
#include "weft/rdfio/namespaces.h"
#include "weft/rdfio/write.h"
#include "weft/rdfio/write_terms.h"
#include "weft/rdfio/writers.h"
#include "weft/rdfio/xml_names.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kFormatName = "RDF/XML";
constexpr std::string_view kIts = "http://www.w3.org/2005/11/its";

// Appends `text` for an attribute value or element content. False if XML cannot hold it.
bool append_xml(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    switch (byte) {
      case '&':
        out.append("&amp;");
        break;
      case '<':
        out.append("&lt;");
        break;
      case '>':
        out.append("&gt;");
        break;
      case '"':
        out.append("&quot;");
        break;
      case '\t':
        out.append("&#x9;");
        break;
      case '\n':
        out.append("&#xA;");
        break;
      case '\r':
        out.append("&#xD;");
        break;
      default:
        if (static_cast<uint8_t>(byte) < 0x20 || text.substr(at).starts_with("\xEF\xBF\xBE") ||
            text.substr(at).starts_with("\xEF\xBF\xBF")) {
          return false;
        }
        out.push_back(byte);
    }
  }
  return true;
}

class RdfXmlWriter final : public QuadWriter {
 public:
  RdfXmlWriter(OutputStream& output, const WriteOptions& options)
      : out_(output), options_(options) {
    const Namespaces namespaces(options.prefixes);
    for (const auto& [prefix, iri] : namespaces.prefixes()) {
      if (!prefix.empty() && xml_name_start(prefix) == 0 && prefix != "rdf" && !iri.empty() &&
          iri != rdf::kRdf && !has_xml_start(prefix)) {
        prefixes_.emplace_back(prefix, iri);
      }
    }
  }

  Status accept(std::span<const rdf::QuadView> quads) override {
    WEFT_TRY_STATUS(begin());
    for (const rdf::QuadView& quad : quads) {
      if (!quad.graph.empty() && !options_.merge_graphs) {
        return cannot_hold(kFormatName, "named graphs", quad.graph);
      }
      WEFT_TRY_STATUS(check_writable(quad, TripleTermSyntax::kRdf12));
      WEFT_TRY_STATUS(begin_subject(quad.subject));
      out_.text().append("    ");
      WEFT_TRY_STATUS(append_property(quad.predicate, quad.object));
      out_.text().append("\n");
      WEFT_TRY_STATUS(out_.flush_if_large());
    }
    return ok_status();
  }

  Status finish() override {
    WEFT_TRY_STATUS(begin());
    end_subject();
    out_.text().append("</rdf:RDF>\n");
    return out_.flush();
  }

 private:
  static bool has_xml_start(std::string_view prefix) {
    return prefix.size() >= 3 && (prefix[0] == 'x' || prefix[0] == 'X') &&
           (prefix[1] == 'm' || prefix[1] == 'M') && (prefix[2] == 'l' || prefix[2] == 'L');
  }

  Status begin() {
    if (begun_) {
      return ok_status();
    }
    begun_ = true;
    std::string& text = out_.text();
    text.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF xmlns:rdf=\"");
    text.append(rdf::kRdf).append("\"");
    for (const auto& [prefix, iri] : prefixes_) {
      text.append("\n  xmlns:").append(prefix).append("=\"");
      if (!append_xml(text, iri)) {
        return cannot_hold(kFormatName, "this namespace", iri);
      }
      text.append("\"");
    }
    if (options_.announce_version) {
      text.append("\n  rdf:version=\"1.2\"");
    }
    text.append(">\n");
    return ok_status();
  }

  Status begin_subject(std::string_view subject) {
    if (subject == subject_) {
      return ok_status();
    }
    end_subject();
    out_.text().append("  ");
    WEFT_TRY_STATUS(open_description(subject));
    out_.text().append("\n");
    subject_ = subject;
    return ok_status();
  }

  void end_subject() {
    if (!subject_.empty()) {
      out_.text().append("  </rdf:Description>\n");
      subject_.clear();
    }
  }

  Status append_attribute(std::string_view name, std::string_view value) {
    out_.text().append(" ").append(name).append("=\"");
    if (!append_xml(out_.text(), value)) {
      return cannot_hold(kFormatName, "characters of this term", value);
    }
    out_.text().append("\"");
    return ok_status();
  }

  // A label as an XML name: those that begin with a digit get a letter in front, and those that
  // look so already get one more.
  Status append_node_id(std::string_view token) {
    const std::string_view label = token.substr(2);
    const bool escaped = is_digit(label[0]) || label.starts_with("x-");
    const std::string id = (escaped ? "x-" : "") + std::string(label);
    if (!is_xml_name(id)) {
      return cannot_hold(kFormatName, "this label", token);
    }
    return append_attribute("rdf:nodeID", id);
  }

  Status open_description(std::string_view subject) {
    out_.text().append("<rdf:Description");
    if (subject.starts_with("_:")) {
      WEFT_TRY_STATUS(append_node_id(subject));
    } else {
      WEFT_TRY_STATUS(append_attribute("rdf:about", rdf::iri_of(subject)));
    }
    out_.text().append(">");
    return ok_status();
  }

  // The name of a property element, with the declaration of its namespace if that is not known.
  Status append_property_name(std::string_view predicate, std::string& name) {
    const std::string_view iri = rdf::iri_of(predicate);
    const size_t cut = xml_name_start(iri);
    const std::string_view space = iri.substr(0, cut);
    const std::string_view local = iri.substr(cut);
    if (local.empty() || space.empty() || !may_be_property(iri)) {
      return cannot_hold(kFormatName, "this predicate", predicate);
    }
    if (space == rdf::kRdf) {
      name.assign("rdf:").append(local);
      out_.text().append("<").append(name);
      return ok_status();
    }
    const auto known =
        std::ranges::find_if(prefixes_, [space](const auto& pair) { return pair.second == space; });
    if (known != prefixes_.end()) {
      name.assign(known->first).append(":").append(local);
      out_.text().append("<").append(name);
      return ok_status();
    }
    name.assign("p:").append(local);
    out_.text().append("<").append(name);
    return append_attribute("xmlns:p", space);
  }

  Status append_property(std::string_view predicate, std::string_view object) {
    std::string name;
    WEFT_TRY_STATUS(append_property_name(predicate, name));
    switch (rdf::kind_of(object)) {
      case rdf::TermKind::kIri:
        WEFT_TRY_STATUS(append_attribute("rdf:resource", rdf::iri_of(object)));
        out_.text().append("/>");
        return ok_status();
      case rdf::TermKind::kBlankNode:
        WEFT_TRY_STATUS(append_node_id(object));
        out_.text().append("/>");
        return ok_status();
      case rdf::TermKind::kLiteral:
        WEFT_TRY_STATUS(append_literal(object));
        break;
      case rdf::TermKind::kTriple:
        WEFT_TRY_STATUS(append_triple(object));
        break;
    }
    out_.text().append("</").append(name).append(">");
    return ok_status();
  }

  Status append_literal(std::string_view token) {
    const rdf::LiteralParts parts = rdf::split_literal(token);
    if (!parts.language.empty()) {
      WEFT_TRY_STATUS(append_attribute("xml:lang", parts.language));
    }
    if (!parts.direction.empty()) {
      WEFT_TRY_STATUS(append_attribute("rdf:version", "1.2"));
      WEFT_TRY_STATUS(append_attribute("xmlns:its", kIts));
      WEFT_TRY_STATUS(append_attribute("its:version", "2.0"));
      WEFT_TRY_STATUS(append_attribute("its:dir", parts.direction));
    }
    if (!parts.datatype.empty()) {
      WEFT_TRY_STATUS(append_attribute("rdf:datatype", parts.datatype));
    }
    out_.text().append(">");
    const std::optional<std::string> lexical = rdf::unescape(parts.escaped);
    if (!lexical || !append_xml(out_.text(), *lexical)) {
      return cannot_hold(kFormatName, "characters of this term", token);
    }
    return ok_status();
  }

  Status append_triple(std::string_view token) {
    const std::optional<rdf::TripleParts> parts = rdf::split_triple(token);
    WEFT_CHECK(parts.has_value());  // check_writable has seen it
    WEFT_TRY_STATUS(append_attribute("rdf:version", "1.2"));
    WEFT_TRY_STATUS(append_attribute("rdf:parseType", "Triple"));
    out_.text().append(">");
    WEFT_TRY_STATUS(open_description(parts->subject));
    WEFT_TRY_STATUS(append_property(parts->predicate, parts->object));
    out_.text().append("</rdf:Description>");
    return ok_status();
  }

  BufferedOutput out_;
  WriteOptions options_;
  std::vector<std::pair<std::string, std::string>> prefixes_;
  bool begun_ = false;
  std::string subject_;
};

}  // namespace

std::unique_ptr<QuadWriter> make_rdfxml_writer(OutputStream& output, const WriteOptions& options) {
  return std::make_unique<RdfXmlWriter>(output, options);
}

}  // namespace weft::rdfio

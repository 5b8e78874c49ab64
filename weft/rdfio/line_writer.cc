// N-Triples and N-Quads, in the canonical form of RDF 1.2.
#include <algorithm>
#include <optional>

#include "weft/rdf/term.h"
#include "weft/rdfio/buffered_output.h"
#include "weft/rdfio/write.h"
#include "weft/rdfio/write_terms.h"
#include "weft/rdfio/writers.h"

namespace weft::rdfio {
namespace {

// U+FFFE and U+FFFF are no characters of XML 1.1, which canonical N-Triples writes as escapes.
constexpr std::string_view kNoncharacterStart = "\xEF\xBF";

void append_literal(std::string& out, std::string_view token) {
  size_t at = 0;
  while (true) {
    const size_t found = token.find(kNoncharacterStart, at);
    if (found == std::string_view::npos) {
      out.append(token.substr(at));
      return;
    }
    const std::string_view last = token.substr(found + 2, 1);
    out.append(token.substr(at, found - at));
    if (last == "\xBE" || last == "\xBF") {
      out.append(last == "\xBE" ? "\\uFFFE" : "\\uFFFF");
    } else {
      out.append(token.substr(found, 3));
    }
    at = std::min(found + 3, token.size());
  }
}

class LineWriter final : public QuadWriter {
 public:
  LineWriter(Format format, OutputStream& output, const WriteOptions& options)
      : format_(format), out_(output), options_(options) {
    if (options.announce_version) {
      out_.text().append("VERSION \"1.2\"\n");
    }
  }

  Status accept(std::span<const rdf::QuadView> quads) override {
    std::string& text = out_.text();
    for (const rdf::QuadView& quad : quads) {
      WEFT_TRY_STATUS(check_writable(quad, options_.triple_terms));
      append(text, quad.subject);
      append(text, quad.predicate);
      append(text, quad.object);
      if (!quad.graph.empty() && !options_.merge_graphs) {
        if (format_ == Format::kNTriples) {
          return cannot_hold("N-Triples", "named graphs", quad.graph);
        }
        append(text, quad.graph);
      }
      text.append(".\n");
      WEFT_TRY_STATUS(out_.flush_if_large());
    }
    return ok_status();
  }

  Status finish() override { return out_.flush(); }

 private:
  void append(std::string& text, std::string_view token) {
    append_ntriples_term(text, token, options_.triple_terms);
    text.push_back(' ');
  }

  Format format_;
  BufferedOutput out_;
  WriteOptions options_;
};

bool has_triple_subject(std::string_view token) {
  if (!token.starts_with("<<")) {
    return false;
  }
  const std::optional<rdf::TripleParts> parts = rdf::split_triple(token);
  return !parts || parts->subject.starts_with("<<") || has_triple_subject(parts->object);
}

}  // namespace

void append_ntriples_term(std::string& out, std::string_view token, TripleTermSyntax triple_terms) {
  if (token.starts_with('"')) {
    append_literal(out, token);
    return;
  }
  if (!token.starts_with("<<")) {
    out.append(token);
    return;
  }
  const std::optional<rdf::TripleParts> parts = rdf::split_triple(token);
  WEFT_CHECK(parts.has_value());  // tokens are canonical
  const bool is_star = triple_terms == TripleTermSyntax::kRdfStar;
  out.append(is_star ? "<< " : "<<( ");
  for (const std::string_view part : {parts->subject, parts->predicate, parts->object}) {
    append_ntriples_term(out, part, triple_terms);
    out.push_back(' ');
  }
  out.append(is_star ? ">>" : ")>>");
}

bool needs_rdf12(std::string_view token) {
  if (token.starts_with("<<")) {
    return true;
  }
  return token.starts_with('"') && (token.ends_with("--ltr") || token.ends_with("--rtl")) &&
         !rdf::split_literal(token).direction.empty();
}

Status check_writable(const rdf::QuadView& quad, TripleTermSyntax triple_terms) {
  const bool has_triples = quad.subject.starts_with("<<") || quad.object.starts_with("<<");
  if (!has_triples) [[likely]] {
    return ok_status();
  }
  for (const std::string_view token : {quad.subject, quad.object}) {
    if (token.starts_with("<<") && !rdf::split_triple(token)) {
      return Error(ErrorKind::kInvalid, "malformed triple term").with("term", token);
    }
  }
  if (triple_terms == TripleTermSyntax::kRdf12 &&
      (quad.subject.starts_with("<<") || has_triple_subject(quad.object))) {
    return Error(ErrorKind::kInvalid,
                 "RDF 1.2 has no triple terms as subjects; the rdf-star spelling has")
        .with("subject", quad.subject)
        .with("object", quad.object);
  }
  return ok_status();
}

Error cannot_hold(std::string_view format, std::string_view what, std::string_view term) {
  std::string message(format);
  return Error(ErrorKind::kInvalid, message.append(" cannot hold ").append(what))
      .with("term", term);
}

std::unique_ptr<QuadWriter> make_line_writer(Format format, OutputStream& output,
                                             const WriteOptions& options) {
  return std::make_unique<LineWriter>(format, output, options);
}

}  // namespace weft::rdfio

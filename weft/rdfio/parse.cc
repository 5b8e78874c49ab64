#include "weft/rdfio/parse.h"

#include "weft/rdfio/syntaxes.h"

namespace weft::rdfio {

std::string_view triple_term_syntax_name(TripleTermSyntax syntax) {
  switch (syntax) {
    case TripleTermSyntax::kRdf12:
      return "rdf12";
    case TripleTermSyntax::kRdfStar:
      return "rdf-star";
  }
  return "";
}

Result<ParseReport> parse(InputStream& input, Format format, const ParseOptions& options,
                          rdf::QuadSink& sink) {
  switch (format) {
    case Format::kNTriples:
    case Format::kNQuads:
      return parse_lines(input, format, options, sink);
    case Format::kTurtle:
    case Format::kTriG:
      return parse_turtle(input, format, options, sink);
    case Format::kRdfXml:
      return parse_rdfxml(input, options, sink);
  }
  return Error(ErrorKind::kInternal, "unknown format");
}

}  // namespace weft::rdfio

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
    case Format::kRdfXml:
      break;
  }
  return Error(ErrorKind::kUnsupported, "reading this format is not implemented yet")
      .with("format", format_name(format));
}

}  // namespace weft::rdfio

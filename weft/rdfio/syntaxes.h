// The readers of the single syntaxes, which parse() chooses from.
#pragma once

#include "weft/rdfio/parse.h"

namespace weft::rdfio {

// As parse().
Result<ParseReport> parse_lines(InputStream& input, Format format, const ParseOptions& options,
                                rdf::QuadSink& sink);
Result<ParseReport> parse_turtle(InputStream& input, Format format, const ParseOptions& options,
                                 rdf::QuadSink& sink);
Result<ParseReport> parse_rdfxml(InputStream& input, const ParseOptions& options,
                                 rdf::QuadSink& sink);

}  // namespace weft::rdfio

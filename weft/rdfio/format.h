// The RDF syntaxes weft reads and writes, by name and by file name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::rdfio {

enum class Format : uint8_t { kNTriples, kNQuads, kTurtle, kTriG, kRdfXml };

// "ntriples", "nquads", "turtle", "trig", "rdfxml".
std::string_view format_name(Format format);

// The names above and the usual short ones: nt, nq, ttl, xml, rdf, and the media types. Letter case
// does not matter.
std::optional<Format> format_by_name(std::string_view name);

// By the extension (.nt .nq .ttl .trig .rdf .xml .owl and long forms), also in front of .gz, .zst
// and .bz2.
std::optional<Format> format_by_file_name(std::string_view file_name);

// Whether statements may be in named graphs.
bool has_named_graphs(Format format);
// N-Triples and N-Quads: one statement a line, parsed in parallel.
bool is_line_format(Format format);

}  // namespace weft::rdfio

// Writes quads as RDF text, as a stream in bounded memory.
//
// Tokens must be canonical; N-Triples and N-Quads come out as canonical N-Triples and N-Quads of
// RDF 1.2, line by line. What a syntax cannot hold is an error, never left out.
// Format: docs/formats/rdf-syntaxes.md
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rdfio/format.h"
#include "weft/rdfio/input.h"
#include "weft/rdfio/parse.h"

namespace weft::rdfio {

struct WriteOptions {
  // Declared at the top of Turtle, TriG and RDF/XML: prefix without colon, IRI. One that the syntax
  // has no way to declare is not used.
  std::vector<std::pair<std::string, std::string>> prefixes;
  // Further prefixes for the namespaces that the first quads use most.
  bool gather_prefixes = false;
  // kRdf12 writes <<( s p o )>> and refuses a triple term as subject; kRdfStar writes << s p o >>.
  TripleTermSyntax triple_terms = TripleTermSyntax::kRdf12;
  // Turtle, TriG and RDF/XML announce RDF 1.2 in front of the first statement that needs it. Line
  // formats do so only with `announce_version`, at the top, since older readers refuse the line.
  bool announce_version = false;
  // Syntaxes without named graphs: write the quads of all graphs as triples instead of refusing
  // those of named ones.
  bool merge_graphs = false;
};

// Not thread-safe. Errors of accept(): kInvalid names the term and what the syntax cannot hold;
// those of the output. After an error only the destructor may be called.
class QuadWriter : public rdf::QuadSink {
 public:
  // Ends the document and hands the last bytes to the output. To be called once, after the last
  // accept().
  virtual Status finish() = 0;
};

// `output` must outlive the writer.
std::unique_ptr<QuadWriter> make_quad_writer(Format format, OutputStream& output,
                                             const WriteOptions& options = {});

// Appends `token` as RDF 1.2 N-Triples spells it: <<( s p o )>>, or << s p o >> for kRdfStar.
void append_ntriples_term(std::string& out, std::string_view token,
                          TripleTermSyntax triple_terms = TripleTermSyntax::kRdf12);

}  // namespace weft::rdfio

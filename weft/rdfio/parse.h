// Reads RDF text: N-Triples, N-Quads, Turtle, TriG and RDF/XML, of RDF 1.1 and 1.2, as a stream in
// bounded memory.
//
// P1  Every token that reaches a sink is canonical (weft/rdf/term.h).     (test: fuzz/*_fuzz.cc)
// P2  Every error names file, line and column, as facts and in its message; lines and columns count
//     from one, columns in code points.                                   (test: PlaceOfErrors)
// P3  The same bytes and options give the same quads with the same labels; in the same order too,
//     but for parse_lines_parallel.
// P4  Memory is bounded by the longest statement of a line format, the longest literal and the
//     depth of nesting, never by the length of the input.
// Format: docs/formats/rdf-syntaxes.md
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rdfio/format.h"
#include "weft/rdfio/input.h"

namespace weft::rdfio {

// What << s p o >> means. <<( s p o )>> is a triple term in both.
enum class TripleTermSyntax : uint8_t {
  kRdf12,    // Turtle and TriG: a reifier of the triple. Line formats: see ParseOptions::strict
  kRdfStar,  // the older reading: the triple itself as a term, subjects included
};
// "rdf12", "rdf-star".
std::string_view triple_term_syntax_name(TripleTermSyntax syntax);

// Limits; what passes them is kLimit.
inline constexpr uint64_t kLiteralSizeMaxBytes = uint64_t{1} << 30U;
inline constexpr uint64_t kIriSizeMaxBytes = uint64_t{1} << 20U;
inline constexpr size_t kNestingMax = 65'536;  // brackets, collections, annotations, XML elements
// Entities of XML may make the text this much longer, beyond what is free.
inline constexpr float kXmlAmplificationMax = 100.0F;
inline constexpr uint64_t kXmlAmplificationFreeBytes = uint64_t{8} << 20U;
inline constexpr size_t kPrefixesMax = 65'536;  // declared in one document
inline constexpr size_t kWarningsMax = 100;     // kept in a report; all are counted

// Gives the prefix of all blank-node labels of a document, such as "w" + 26 characters + "_". It
// must itself be a valid start of a label.
using BlankNodePrefix = std::function<Result<std::string>()>;

// True for labels (without "_:") that weft made: w, 26 of a-z2-7, an underscore, at least one more.
bool is_weft_label(std::string_view label);

struct ParseOptions {
  std::string base_iri;   // for relative IRIs; empty: they are errors
  std::string file_name;  // for messages
  TripleTermSyntax triple_terms = TripleTermSyntax::kRdf12;
  // Line formats also take << s p o >>, and triple terms as subjects, as dumps of other engines
  // have them. With `strict` only what RDF 1.2 allows.
  bool strict = false;
  // A bad statement is skipped with a warning and reading goes on behind it. Not for RDF/XML text
  // that is no XML, and not for errors of the input or the sink.
  bool lenient = false;
  // Called at most once, when the first blank node is met. A label L becomes prefix + L, an
  // unlabelled node prefix + "-" + its number in document order, which no label can be; labels of
  // weft's own form stay. Without it labels are taken as they stand, and unlabelled nodes are
  // anon-1, anon-2, …; a document that also has such a label behind the node is refused.
  BlankNodePrefix blank_node_prefix;
  // Told every prefix declaration (prefix without colon, absolute IRI).
  std::function<void(std::string_view prefix, std::string_view iri)> on_prefix;
  // Told every warning at once, the ones beyond kWarningsMax too. parse_lines_parallel calls it
  // from one thread at a time, in no promised order.
  std::function<void(const Error&)> on_warning;
  uint64_t literal_size_max_bytes = kLiteralSizeMaxBytes;
  size_t nesting_max = kNestingMax;
  std::stop_token stop;
};

struct ParseReport {
  uint64_t statements = 0;      // quads given to the sink
  uint64_t skipped = 0;         // bad statements left out (lenient only)
  uint64_t bytes = 0;           // of decompressed text
  std::vector<Error> warnings;  // the first kWarningsMax, in order of position
};

// Reads all of `input`. Errors: kInvalid for bad text, kLimit, kCancelled, and those of the input
// and the sink. Quads before the error have reached the sink, whole batches at a time.
Result<ParseReport> parse(InputStream& input, Format format, const ParseOptions& options,
                          rdf::QuadSink& sink);

// Gives the sink of a worker, numbered from 0 below executor.width(). Called once per worker that
// has work, on its thread, possibly at the same time as for others.
using SinkOfWorker = std::function<rdf::QuadSink&(size_t worker_index)>;

// The same for a line format, cut at line ends and parsed on all threads of `executor`. Each sink
// sees batches in no promised order. Of several errors in the text the first by position is given.
// Errors: kUnsupported if `format` is no line format.
Result<ParseReport> parse_lines_parallel(InputStream& input, Format format,
                                         const ParseOptions& options, base::Executor& executor,
                                         const SinkOfWorker& sink_of_worker);

}  // namespace weft::rdfio

// RDF documents -> one `.rete` segment.
//
// I1  The bytes of the segment depend on the quads of the documents and on the options, not on
//     the order or the names of the documents, nor on threads or memory.
// I2  Nothing is visible under the segment's name before all of it is written and synced.
// I3  Blank nodes of different documents never meet, unless they are kept as they stand; the same
//     document read again gives the same labels. Labels of weft's own form are kept always.
// Guide: docs/guide/build.md
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/rdfio/format.h"
#include "weft/rdfio/parse.h"
#include "weft/rete/build/segment_builder.h"
#include "weft/storage/object_store.h"
#include "weft/storage/scratch.h"

namespace weft::quads {

enum class BlankNodeScope : uint8_t {
  kDocument,  // labels get a prefix made from the content of their document
  kKeep,      // labels are taken as they stand, in all documents alike
};

struct IngestOptions {
  // Of all documents. nullopt: each by the name of its file; standard input needs one.
  std::optional<rdfio::Format> format;
  BlankNodeScope blank_nodes = BlankNodeScope::kDocument;
  // Statements of named graphs go into the default graph.
  bool collapse_graphs = false;
  // Options of the parser, but for file_name, blank_node_prefix and stop, which are set here.
  rdfio::ParseOptions parse;
};

struct IngestReport {
  uint64_t statements = 0;
  uint64_t skipped = 0;         // bad statements left out (lenient only)
  uint64_t bytes = 0;           // of decompressed text
  std::vector<Error> warnings;  // the first rdfio::kWarningsMax
  rete::BuildReport build;      // filled by build_segment_of only
};

// Reads `documents` (paths; "-" is standard input) into `builder`, which gets one sink per thread.
// Line formats are parsed on all threads one document after the other, others one per thread.
// Whatever cannot be read twice is kept in `scratch` first, if its blank nodes need a prefix.
// Errors: kInvalid for bad text and unknown formats, kNotFound, kDenied, kLimit, kUnavailable,
// kCancelled; the builder is then of no use.
Result<IngestReport> ingest(std::span<const std::string> documents, const IngestOptions& options,
                            base::Executor& executor, storage::ScratchSpace& scratch,
                            rete::SegmentBuilder& builder, std::stop_token stop = {});

// Builds the segment of `documents` and publishes it as `name`. Errors: those of ingest() and of
// building; kAlreadyExists if the name is taken.
Result<IngestReport> build_segment_of(std::span<const std::string> documents,
                                      const IngestOptions& options, const rete::BuildOptions& build,
                                      base::Executor& executor, storage::ScratchSpace& scratch,
                                      storage::ObjectStore& store, const std::string& name);

// "w", 26 characters made from the digest of a document, "_".
std::string blank_node_prefix(const codec::Digest16& document);

}  // namespace weft::quads

// Parses blocks of N-Triples and N-Quads. Tokens that are canonical already are handed on as views
// of the block; only others are copied.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rdfio/batch.h"
#include "weft/rdfio/labels.h"
#include "weft/rdfio/line_blocks.h"
#include "weft/rdfio/parse.h"

namespace weft::rdfio {

// Not thread-safe: one per thread. The arguments must outlive it.
class LineParser {
 public:
  LineParser(Format format, const ParseOptions& options, DocumentPrefix& prefix);

  // Gives all quads of the block to `sink`. Errors: kInvalid and kLimit with their place, those of
  // the sink and of the prefix callback. With options.lenient, bad lines go to `report`.
  Status parse(const LineBlock& block, rdf::QuadSink& sink, ParseReport& report);

 private:
  // Why and where a line is bad. Functions that read a term return the end of it, or nullptr after
  // filling this.
  struct Failure {
    const char* at = nullptr;
    std::string_view reason;
    ErrorKind kind = ErrorKind::kInvalid;
  };

  const char* fail(const char* at, std::string_view reason, ErrorKind kind = ErrorKind::kInvalid);
  const char* read_batch(const char* at);
  const char* read_line(const char* at);
  const char* read_statement(const char* at);
  const char* read_line_end(const char* at);
  const char* read_version(const char* at);
  const char* read_subject(const char* at, std::string_view& token, size_t depth);
  const char* read_object(const char* at, std::string_view& token, size_t depth);
  const char* read_graph(const char* at, std::string_view& token);
  const char* read_predicate(const char* at, std::string_view& token);
  const char* read_iri(const char* at, std::string_view& token);
  const char* read_raw_iri(const char* at, const char* stop, std::string_view& token);
  const char* read_blank_node(const char* at, std::string_view& token);
  const char* read_literal(const char* at, std::string_view& token);
  const char* read_literal_suffix(const char* open, const char* quote, bool is_plain,
                                  std::string_view& token);
  const char* read_triple(const char* at, std::string_view& token, size_t depth);
  bool keep_literal(std::string_view raw, const char* open, std::string_view suffix,
                    std::string_view& token);

  Status flush(rdf::QuadSink& sink, ParseReport& report);
  Result<const char*> recover(const LineBlock& block, const char* line, ParseReport& report);

  const ParseOptions& options_;
  bool quads_;
  bool older_triples_;  // << s p o >>, and triple terms as subjects
  BlankNodeLabels labels_;
  bool keeps_labels_ = false;
  bool asked_labels_ = false;
  TextArena arena_;
  std::vector<rdf::QuadView> batch_;
  std::string scratch_;
  const char* end_ = nullptr;
  const char* failed_line_ = nullptr;
  Failure failure_;
  std::optional<Error> outside_error_;  // not about the text
};

}  // namespace weft::rdfio

// Tokens of Turtle and TriG: terms, names and white space. Grammar in brackets as in RDF 1.2
// Turtle.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "weft/base/result.h"
#include "weft/rdfio/batch.h"
#include "weft/rdfio/labels.h"
#include "weft/rdfio/parse.h"
#include "weft/rdfio/text_window.h"

namespace weft::rdfio {

// Functions that return bool give false after filling failure(). Terms are canonical tokens in the
// arena given. Not thread-safe; the arguments must outlive it.
class TurtleLexer {
 public:
  struct Failure {
    Error error;
    // The text is bad, rather than the input or a callback: reading may go on behind it.
    bool is_in_text = true;
  };

  TurtleLexer(InputStream& input, const ParseOptions& options, DocumentPrefix& prefix,
              TextArena& arena);

  // Checks and sets the base IRI of the options. To be called first.
  Status start();

  // Skips white space and comments; then `peek` is the first byte of a token, or 0 at the end.
  bool skip_space();
  bool at_end() const { return window_.at_end(); }
  char peek(size_t offset = 0) const { return window_.at()[offset]; }
  bool starts_with(std::string_view text) const;
  void skip(size_t size_bytes) { window_.advance_to(window_.at() + size_bytes); }
  // Skips one byte, or says that it is missing.
  bool expect(char byte, std::string_view reason);

  // The word at this place if it is not the start of a prefixed name; else "". For keywords.
  std::string_view bare_word() const;

  // The ASCII letters at this place.
  std::string_view letters() const;
  bool at_prefixed_name() const;

  // At '<': an IRI, absolute after resolution. [IRIREF]
  bool read_iri_reference(std::string_view& token);
  // At a letter or ':'. [PrefixedName]
  bool read_prefixed_name(std::string_view& token);
  // Either of both. [iri]
  bool read_iri(std::string_view& token);
  // At '_'. [BLANK_NODE_LABEL]
  bool read_blank_node(std::string_view& token);
  bool make_blank_node(std::string_view& token);
  // At a quote. [RDFLiteral]
  bool read_literal(std::string_view& token);
  // At a digit, a sign or a dot. [NumericLiteral]
  bool read_number(std::string_view& token);
  // At a quote: short and without escapes. [VersionSpecifier]
  bool read_version();

  // What follows @prefix or PREFIX, and @base or BASE, up to the IRI.
  bool read_prefix_declaration();
  bool read_base_declaration();

  // Goes to where reading may begin again after bad text: behind the dot that ends its statement,
  // or to a '}' if `in_graph`, or to the end.
  bool recover(bool in_graph);

  bool fail(std::string_view reason, ErrorKind kind = ErrorKind::kInvalid) {
    return fail_at(window_.at(), reason, kind);
  }
  bool fail_outside(Error error);
  Failure take_failure();
  uint64_t bytes() const { return window_.bytes(); }

 private:
  bool fail_at(const char* at, std::string_view reason, ErrorKind kind = ErrorKind::kInvalid);
  bool fill();
  bool check_token(const char* stop);
  bool check_utf8(std::string_view raw);
  bool scan_string(std::string_view& raw);
  bool read_literal_suffix();
  bool read_raw_iri(const char* stop);
  bool keep_iri(std::string_view iri, const char* at, std::string_view& token);
  bool recover_step(bool in_graph, bool& done);
  bool skip_line(bool& ends_with_dot);
  const char* scan_local_name(const char* at, bool& has_escapes) const;

  const ParseOptions& options_;
  TextWindow window_;
  TextArena& arena_;
  BlankNodeLabels labels_;
  std::string base_;
  // Prefix without colon -> "<" and the IRI.
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::string, TextHash, std::equal_to<>> prefixes_;
  std::string scratch_;
  std::string iri_;
  std::optional<Failure> failure_;
};

}  // namespace weft::rdfio

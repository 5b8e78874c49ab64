// Character classes and small tokens that the text syntaxes share. Names in brackets are the
// productions of RDF 1.2 Turtle and N-Triples.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::rdfio {

// Buffers that are parsed in place end with this many zero bytes, which no token can hold: what
// looks a few bytes ahead needs no check of the end.
inline constexpr size_t kPaddingBytes = 64;

bool is_name_start(char32_t value);  // PN_CHARS_BASE
bool is_name_char(char32_t value);   // PN_CHARS

inline bool is_ascii_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}
inline bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

// The end of the blank-node label at `at` (behind "_:"); `at` itself if there is none. Dots at its
// end do not belong to it. (BLANK_NODE_LABEL)
const char* scan_blank_node_label(const char* at, const char* end);

// The end of the prefix of a name at `at`, without the colon; `at` itself if there is none.
// (PN_PREFIX)
const char* scan_prefix(const char* at, const char* end);

struct ScannedTag {
  const char* end = nullptr;  // nullptr: no well-formed tag
  bool is_lower = true;
  size_t language_size = 0;  // without the direction
};
// The language tag at `at`, behind '@', with "--ltr" or "--rtl" if it follows. Parts have at most
// eight characters (RFC 5646, "ABNF"). (LANG_DIR)
ScannedTag scan_language_tag(const char* at, const char* end);

// Whether `iri` starts with a scheme and a colon (RFC 3986, section 3.1).
bool has_scheme(std::string_view iri);

// True for the datatypes that only literals with a language tag have; `datatype` with its brackets.
bool needs_language(std::string_view datatype);

// Appends `raw` with its escapes resolved and in canonical form. Returns raw.size(), or the offset
// of the first malformed escape.
size_t append_canonical_literal(std::string& out, std::string_view raw);
// Appends `raw` with \u escapes resolved. Returns raw.size(), or the offset of the first malformed
// escape or character that an IRI may not hold.
size_t append_unescaped_iri(std::string& out, std::string_view raw);

}  // namespace weft::rdfio

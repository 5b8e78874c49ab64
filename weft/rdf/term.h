// RDF terms as text. weft's identity of a term is its canonical N-Triples token:
//
//     <iri>   _:label   "lex"   "lex"@tag   "lex"@tag--ltr   "lex"^^<iri>   <<s p o>>
//
// Canonical: no \u escapes in IRIs; in literals only \b \t \n \f \r \" \\ and \uXXXX (upper-case
// hex) for the other characters up to U+001F and U+007F, everything else raw UTF-8; language tag
// and direction in lower case; no datatype xsd:string; triple terms as <<s p o>>, parts canonical
// and parted by one space, none after << or before >>. Equal terms have equal canonical tokens and
// the reverse. (docs/formats/rete.md, "Tokens". Lexical forms are kept: "01" and "1" are two
// terms.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weft/base/result.h"

namespace weft::rdf {

// How deep triple terms nest; deeper ones are refused.
inline constexpr size_t kTripleNestingMax = 128;

enum class TermKind : uint8_t { kIri, kBlankNode, kLiteral, kTriple };

// By the first bytes; the token must not be empty.
TermKind kind_of(std::string_view token);

inline constexpr std::string_view kXsd = "http://www.w3.org/2001/XMLSchema#";
inline constexpr std::string_view kRdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
inline constexpr std::string_view kRdfs = "http://www.w3.org/2000/01/rdf-schema#";

// The parts of a literal token, as views into it.
struct LiteralParts {
  std::string_view escaped;    // between the quotes, still escaped
  std::string_view language;   // without '@' and direction; empty if none
  std::string_view direction;  // "ltr", "rtl" or empty
  std::string_view datatype;  // IRI without brackets; empty for simple and language-tagged literals
};
// `token` must be a literal token with balanced quotes (any canonical one is). Keeps views into it.
LiteralParts split_literal(std::string_view token);

// The offset of the quote that closes the literal at the start of `token`, or npos.
size_t find_closing_quote(std::string_view token);

// The parts of a triple-term token (canonical, or any with balanced brackets), as views into it.
struct TripleParts {
  std::string_view subject;
  std::string_view predicate;
  std::string_view object;
};
// nullopt if the token is not well-formed.
std::optional<TripleParts> split_triple(std::string_view token);

// The IRI between the brackets.
std::string_view iri_of(std::string_view token);

// Appends `text` (UTF-8) with the canonical escapes of literals.
void append_escaped(std::string& out, std::string_view text);
// The lexical form: escapes resolved. nullopt on a malformed escape.
std::optional<std::string> unescape(std::string_view escaped);

// One escape: the character and how many bytes spell it.
struct DecodedEscape {
  char32_t value = 0;
  uint8_t size_bytes = 0;
};
// The \uXXXX or \UXXXXXXXX at the start of `text`. nullopt if it is none, or names no character.
std::optional<DecodedEscape> decode_numeric_escape(std::string_view text);
// The same, or one of \b \t \n \f \r \" \' \\.
std::optional<DecodedEscape> decode_escape(std::string_view text);

std::string make_iri(std::string_view iri);
// Appends `@language--direction` or `^^<datatype>` in canonical form, or nothing.
void append_literal_suffix(std::string& out, std::string_view language, std::string_view direction,
                           std::string_view datatype);
// `language` and `direction` in any case; `datatype` empty for none.
std::string make_literal(std::string_view lexical, std::string_view language = {},
                         std::string_view direction = {}, std::string_view datatype = {});
std::string make_triple(std::string_view subject, std::string_view predicate,
                        std::string_view object);

// The effective datatype: the datatype of the token, or xsd:string, rdf:langString,
// rdf:dirLangString.
std::string_view effective_datatype(const LiteralParts& parts);

// True if `token` is in canonical form already (it is well-formed then). One pass, no allocation.
bool is_canonical(std::string_view token);
// The canonical form of a raw token of another writer (\u escapes, letter case of tags, xsd:string,
// spaces and round brackets in triple terms). Characters that no IRI may hold stay as they are
// spelt: such a token is its own form, though never is_canonical. Errors: kInvalid if it is no term
// at all, or not UTF-8; kLimit beyond kTripleNestingMax.
Result<std::string> canonical_token(std::string_view token);

bool is_valid_utf8(std::string_view text);

}  // namespace weft::rdf

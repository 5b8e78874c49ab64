// SPARQL's functions on values, by family. All are strict: the caller has made sure that every
// argument is defined. An undefined result is a type error (SPARQL 1.1 §17).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "weft/exec/value_cache.h"
#include "weft/rdf/value.h"
#include "weft/sparql/expression.h"

namespace weft::exec {

using Arguments = std::span<const Cell>;

// STRLEN SUBSTR UCASE LCASE STRSTARTS STRENDS CONTAINS STRBEFORE STRAFTER ENCODE_FOR_URI CONCAT
// LANGMATCHES.
rdf::Value string_function(sparql::Function function, Arguments arguments);
// isIRI … isTRIPLE, STR, LANG, LANGDIR, DATATYPE, IRI, STRDT, STRLANG, STRLANGDIR, hasLANG,
// hasLANGDIR, TRIPLE, SUBJECT, PREDICATE, OBJECT.
rdf::Value term_function(sparql::Function function, Arguments arguments, std::string_view base_iri);
// YEAR … TZ.
rdf::Value date_function(sparql::Function function, const rdf::Value& value);
// MD5 SHA1 SHA256 SHA384 SHA512.
rdf::Value hash_function(sparql::Function function, const rdf::Value& value);

// Strings with or without a language: the arguments of string functions.
inline bool is_text(const rdf::Value& value) {
  return value.kind() == rdf::ValueKind::kString || value.kind() == rdf::ValueKind::kLangString;
}
// Replaces `result` with `text` in upper or lower case, Unicode's, whatever the language. False if
// it is too long.
bool change_case(std::string_view text, bool upper, std::string& result);
// RFC 4647 basic filtering.
bool language_matches(std::string_view tag, std::string_view range);
// `text` with the language and direction of `like`.
rdf::Value text_like(const rdf::Value& like, std::string_view text);
// The lexical form of the very term; nullopt for blank nodes and triple terms.
std::optional<std::string> lexical_form(const Cell& cell);

}  // namespace weft::exec

// IRI references: resolution against a base (RFC 3986 §5.2, strict; RFC 3987 for the characters).
// Nothing is normalised: no case, no percent-encoding, no dot segments of an IRI that is absolute
// already (RDF compares IRIs by their characters). No characters are checked.
#pragma once

#include <string>
#include <string_view>

namespace weft::rdf {

// The parts of an IRI reference (RFC 3986 appendix B), as views into it.
struct IriParts {
  std::string_view scheme;     // without ':'
  std::string_view authority;  // without "//"
  std::string_view path;
  std::string_view query;     // without '?'
  std::string_view fragment;  // without '#'
  bool has_scheme = false;
  bool has_authority = false;
  bool has_query = false;
  bool has_fragment = false;
};
IriParts split_iri(std::string_view reference);

// The absolute IRI that `reference` means where `base` is the base; `reference` unchanged if it has
// a scheme, or if `base` is empty.
std::string resolve_iri(std::string_view base, std::string_view reference);

}  // namespace weft::rdf

// SPARQL 1.1 Query text to algebra, with the triple terms of SPARQL 1.2. Hand-written recursive
// descent; every error says where ("line", "column"). No state is kept between calls; thread-safe.
//
// P1  Nesting of the text is bounded (kNestingMax), so that no input exhausts the stack.
// P2  A query that this version cannot answer is refused by name (kUnsupported, facts "feature",
//     "line", "column"), in one place: unsupported.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/result.h"
#include "weft/sparql/algebra.h"

namespace weft::sparql {

// How deep brackets, parentheses, groups and triple terms may nest (limit "query nesting").
inline constexpr uint32_t kNestingMax = 200;
// Limit "query text".
inline constexpr size_t kQueryBytesMax = size_t{64} << 20U;

struct ParseOptions {
  std::string base_iri;  // absolute, or empty: relative IRIs stay as they are
  std::vector<std::pair<std::string, std::string>> prefixes;  // prefix without ':', IRI
  // False: also parse what exec cannot answer (for syntax tests).
  bool refuse_unsupported = true;
};

// Errors: kInvalid (syntax or static rule, with the rule in words), kUnsupported (P2), kLimit.
Result<Query> parse_query(std::string_view text, const ParseOptions& options = {});

}  // namespace weft::sparql
